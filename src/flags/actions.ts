/** The flags of `idport actions`. */
import {
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
  readUrl,
  wholeNumber,
} from '../lib/flag.ts';
import { formatFlags, serviceFlags } from './connection.ts';

const keys = (help: string) => ({ signingKeyFile: commas('<file>', help) });
const file = (help: string) => ({ file: required(text('<file>', help)) });

export const listenFlags = {
  port: parsed('<number>', 'port to listen on; 0 takes a free one', wholeNumber(0, 65_535), '0'),
  host: text('<address>', 'address to listen on', '127.0.0.1'),
  ...keys('signing key of the target, read anew for each call (repeatable)'),
  forwardTo: parsed('<url>', 'forward verified calls to this address, and return its response', readUrl),
  record: text('<folder>', 'save each call unchanged, secrets included'),
  calls: parsed('<number>', 'stop after N calls', wholeNumber(1, 1e9)),
  ...formatFlags,
};

export const savedCall = file('a recorded call, or - for standard input');
export const verifyCallFlags = {
  signingKeyFile: required(keys('signing key of the target (repeatable)').signingKeyFile),
};

export const bodyFile = { file: required(text('<body>', 'a file with the body, or - for standard input')) };
export const signFlags = {
  signingKeyFile: required(keys('key to sign with (repeatable)').signingKeyFile),
};

export const recordings = {
  path: required(text('<recordings>', 'folder that `actions listen --record` wrote, or one file in it')),
};
export const replayFlags = {
  to: required(parsed('<url>', 'address that receives the calls', readUrl)),
  ...keys('sign the calls again with this key and the current time (repeatable)'),
};

export const actionsFile = file('targets and executions as YAML or JSON, or - for standard input');
export const applyFlags = {
  ...serviceFlags,
  yes: { ...on('make the changes'), once: true as const },
  keyFolder: text('<folder>', 'write the signing keys of new targets to this folder'),
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
export type SetFlags = Values<typeof setFlags>;
export type ClearFlags = Values<typeof clearFlags>;
export type CreateTargetFlags = Values<typeof createTargetFlags>;
export type ListFlags = Values<typeof listFlags>;
