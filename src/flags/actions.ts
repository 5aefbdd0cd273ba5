/** The flags of `idport actions`. */
import {
  replaces,
  bool,
  choice,
  commas,
  on,
  oneOf,
  output,
  parsed,
  required,
  text,
  type Values,
  readAddress,
  readDuration,
  readSize,
  readTime,
  readUrl,
  wholeNumber,
} from '../lib/flag.ts';
import { formatFlags, serviceFlags } from './connection.ts';

const keys = (help: string) => ({ signingKeyFile: commas('<file>', help) });
const ages = {
  tolerance: parsed('<duration>', 'how old, or ahead of this clock, a call may be', readDuration, '5m'),
  allowFuture: on('accept calls from any time in the future'),
};
const file = (help: string) => ({ file: required(text('<file>', help)) });

export const listenFlags = {
  port: parsed('<number>', 'port to listen on; 0 takes a free one', wholeNumber(0, 65_535), '0'),
  host: text('<address>', 'address to listen on', '127.0.0.1'),
  ...keys('signing key of the target, read anew for each call (repeatable)'),
  forwardTo: replaces(
    parsed('<url>', 'forward verified calls to this address, and return its response', readUrl),
    'status',
    'delay',
  ),
  forwardTimeout: parsed('<duration>', 'longest wait for the forwarded response', readDuration, '30s'),
  record: text('<folder>', 'save each call unchanged, secrets included'),
  calls: parsed('<number>', 'stop after N calls', wholeNumber(1, 1e9)),
  status: replaces(
    parsed('<code>', 'status of the response to a verified call (default: 200)', wholeNumber(200, 599)),
    'forward-to',
  ),
  delay: replaces(parsed('<duration>', 'delay before the response', readDuration), 'forward-to'),
  maxBody: parsed('<size>', 'refuse larger bodies', readSize, '4MiB'),
  ...ages,
  allowReplays: on('accept repeated calls'),
  ...formatFlags,
};

export const savedCall = file('a recorded call, or - for standard input');
export const verifyCallFlags = {
  signingKeyFile: required(keys('signing key of the target (repeatable)').signingKeyFile),
  signature: text('<value>', 'value of the signature header, if the file holds only the body'),
  at: parsed(
    '<time>',
    'time at which to check the age, or now (default: when the call was recorded, else now)',
    readTime,
  ),
  ignoreAge: on('accept a call of any age'),
  ...ages,
  ...formatFlags,
};

export const bodyFile = { file: required(text('<body>', 'a file with the body, or - for standard input')) };
export const signFlags = {
  signingKeyFile: required(keys('key to sign with (repeatable)').signingKeyFile),
  at: parsed('<time>', 'sign with this time (default: now)', readTime),
};

export const recordings = {
  path: required(text('<recordings>', 'folder that `actions listen --record` wrote, or one file in it')),
};
export const replayFlags = {
  to: required(parsed('<url>', 'address that receives the calls', readUrl)),
  ...keys('sign the calls again with this key and the current time (repeatable)'),
  timeout: parsed('<duration>', 'longest wait for a response', readDuration, '30s'),
  ...formatFlags,
};

export const actionsFile = file('targets and executions as YAML or JSON, or - for standard input');
export const applyFlags = {
  ...serviceFlags,
  yes: { ...on('make the changes'), once: true as const },
  prune: on('also delete targets and clear executions that the file does not list'),
  keyFolder: text('<folder>', 'write the signing keys of new targets to this folder'),
  ...formatFlags,
};

/** Flags that say when a target is called. Exactly one is given. */
const conditionFlags = oneOf({
  requestMethod: text('<method>', 'before this method runs: /zitadel.user.v2.UserService/AddHumanUser'),
  requestService: text('<service>', 'before any method of this service: zitadel.user.v2.UserService'),
  requestAll: on('before any method'),
  responseMethod: text('<method>', 'after this method'),
  responseService: text('<service>', 'after any method of this service'),
  responseAll: on('after any method'),
  function: text('<name>', 'preuserinfo, preaccesstoken or presamlresponse'),
  event: text('<type>', 'when this event happens: user.human.added'),
  eventGroup: text('<group>', 'when any event of this group happens: user.human'),
  eventAll: on('when any event happens'),
});

export const clearFlags = { ...conditionFlags, ...serviceFlags };
export const setFlags = {
  ...clearFlags,
  target: required(commas('<id|name>', 'target to call (repeatable; called in this order)')),
};
export const namesKind = {
  kind: required(choice('<kind>', 'what to list', ['methods', 'services', 'functions'])),
};

const timeout = 'time that a call may take, up to 270s';
const settingsFlags = {
  ...oneOf({
    webhook: on('only the status of its response counts (default)'),
    call: on('its response replaces the content of the request or response'),
    async: on('the service does not wait for its response'),
  }),
  interruptOnError: bool('a failed call also fails the request that triggered it; or false'),
  payload: choice('<form>', 'format of the payload', ['json', 'jwt', 'jwe']),
  ...serviceFlags,
};

const keyFlags = (key: string, where: string) => ({
  signingKeyFile: output(`write the ${key} to ${where}`),
  showKey: on(`put the ${key} into the JSON on standard output`),
});
const newKeyFlags = keyFlags('signing key', 'this new file, readable by you alone');

export const createTargetFlags = {
  name: required(text('<name>', 'name of the target')),
  endpoint: required(parsed('<url>', 'address that receives the calls', readAddress)),
  timeout: parsed('<duration>', timeout, readDuration, '10s'),
  ...settingsFlags,
  ...newKeyFlags,
};

export const oneTarget = { target: required(text('<target>', 'id or name of the target')) };
export const updateTargetFlags = {
  ...settingsFlags,
  name: text('<name>', 'new name'),
  endpoint: parsed('<url>', 'address that receives the calls', readAddress),
  timeout: parsed('<duration>', timeout, readDuration),
};
export const listFlags = { ...serviceFlags, ...formatFlags };
export const getTargetFlags = { ...serviceFlags, ...newKeyFlags };
export const rotateKeyFlags = {
  ...serviceFlags,
  ...keyFlags('new key', 'this file, which may exist'),
};

export type KeyFlags = Values<typeof newKeyFlags>;
export type ConditionFlags = Values<typeof conditionFlags>;
export type TargetFlags = Values<typeof updateTargetFlags>;
export type OneTarget = Values<typeof oneTarget & typeof serviceFlags>;
export type ListenFlags = Values<typeof listenFlags>;
export type VerifyCallFlags = Values<typeof verifyCallFlags & typeof savedCall>;
export type SignFlags = Values<typeof signFlags & typeof bodyFile>;
export type ReplayFlags = Values<typeof replayFlags & typeof recordings>;
export type ApplyFlags = Values<typeof applyFlags & typeof actionsFile>;
export type SetFlags = Values<typeof setFlags>;
export type ClearFlags = Values<typeof clearFlags>;
export type NamesFlags = Values<typeof serviceFlags & typeof namesKind>;
export type CreateTargetFlags = Values<typeof createTargetFlags>;
export type ListFlags = Values<typeof listFlags>;
