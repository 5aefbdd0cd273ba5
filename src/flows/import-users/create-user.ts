/** Creates one user at the target. Its result is known and in the journal at the end, whatever happens on the way. */
import type { ApiError } from '../../api/api-error.ts';
import type { Attempt, Call } from '../../api/client.ts';
import type { ReasonCode } from '../../records/reasons.ts';
import type { MachineRecord, UserRecord } from '../../records/user.ts';
import { encodeImportRecord } from '../../targets/human-user.ts';
import { foldName } from '../../records/text.ts';
import { readUser, removeUser, writtenAt } from '../reconcile/find-users.ts';
import { lookUp, lookUpUntilStill } from '../reconcile/look-up.ts';
import { orgOf, type UsersRun } from './run.ts';

export type CreateResult =
  | { readonly state: 'created'; readonly id: string }
  | { readonly state: 'existed'; readonly id: string }
  | { readonly state: 'failed'; readonly code: ReasonCode; readonly detail: string };

/** Another user has the name, and may give it up: nothing was done. */
export const waits = { state: 'waits' } as const;

type Result = CreateResult | typeof waits;

export interface UserToCreate {
  readonly number: number;
  readonly record: UserRecord | MachineRecord;
  /** `encodeCreation` of the record. */
  readonly body: string;
  /** Of the record as the source has it. */
  readonly fingerprint: string;
  /** For the id map: what the source calls the user. */
  readonly oldId: string;
  /** Id at the target of the user that a previous run has created: to be deleted. */
  readonly replaces: string | undefined;
  /** Return `waits` when another user has the user name, instead of a final result. */
  readonly mayWait: boolean;
}

interface Task {
  readonly run: UsersRun;
  readonly user: UserToCreate;
  /**
   * Attempts whose answers were lost. Their intents stay open until the result is known: a resumed run then knows
   * since when the user could be ours.
   */
  readonly lost: number[];
}

/** A user whose answer is lost so often is given up. */
const mostLost = 3;

/** Throws what concerns all users; the journal then says that this one was not done. */
export async function createUser(run: UsersRun, user: UserToCreate): Promise<Result> {
  const task: Task = { run, user, lost: [...(run.openAttempts.get(user.number) ?? [])] };
  const found = await findSentBeforeResume(task);
  if (found !== undefined) return found;
  for (let unanswered = 1; ; unanswered++) {
    const sent = await sendAttempt(task);
    const { attempt, end, left } = sent;
    if (end.ok) {
      run.concurrency.answered();
      // Where this throws, the intent stays open: a resumed run finds the new user and deletes the old one.
      if (left !== undefined) await removeUser(run.client, left);
      run.writes.learn(sent.at, end.value.writtenAt);
      return settle(task, attempt, { state: 'created', id: end.value.userId }, end.value.writtenAt);
    }
    if (end.error.done !== 'unknown') {
      run.concurrency.answered();
      return endRefused(task, sent, end.error);
    }
    run.concurrency.lost();
    const result = await findAfterLostAnswer(task, sent);
    if (result !== undefined) return settle(task, attempt, result);
    if (unanswered === mostLost) {
      return settle(task, attempt, { state: 'failed', code: 'import:unconfirmed', detail: end.error.text });
    }
    task.lost.push(attempt);
  }
}

/** Looks for a user whose request was sent before the run was resumed. */
async function findSentBeforeResume(task: Task): Promise<CreateResult | undefined> {
  const { run, user, lost } = task;
  const [attempt] = lost;
  if (attempt === undefined) return undefined;
  const result = await findSent(task, 'once');
  if (result?.state !== 'created') return undefined;
  if (user.replaces !== undefined) await removeUser(run.client, user.replaces);
  return settle(task, attempt, result);
}

interface Sent {
  readonly attempt: number;
  /** When, on the service's clock. */
  readonly at: number;
  readonly end: Attempt<Created>;
  /** Id of the user that is replaced, where it is still there. */
  readonly left: string | undefined;
}

/** The intent is in the file before the request is sent. */
async function sendAttempt(task: Task): Promise<Sent> {
  const { run, user, lost } = task;
  const { number, record, fingerprint, replaces } = user;
  const at = run.client.serverNow();
  const users = [[record.id, record.userName, fingerprint]] as const;
  const attempt = await run.journal.intend({ at, entries: [number], users });
  try {
    if (replaces !== undefined) return { attempt, at, ...(await replace(task, replaces)) };
    return { attempt, at, end: await send(task), left: undefined };
  } catch (error) {
    // The call was never made: it was waiting for its turn when the run was stopped.
    if (lost.length === 0) await run.journal.settle(attempt);
    throw error;
  }
}

/** Undefined where the user is not there: then the request may be sent again. */
async function findAfterLostAnswer(task: Task, { at }: Sent): Promise<CreateResult | undefined> {
  const { run, user } = task;
  if (!run.sentBefore.has(user.number)) run.sentBefore.set(user.number, at);
  const result = await findSent(task);
  if (result?.state === 'created' && user.replaces !== undefined) {
    await removeUser(run.client, user.replaces);
  }
  return result;
}

async function endRefused(task: Task, { attempt, left }: Sent, error: ApiError): Promise<Result> {
  const { run, user, lost } = task;
  if (error.status === 409) {
    const result = await findTaken(task, error);
    if (result.state === 'created' && left !== undefined) await removeUser(run.client, left);
    if (result.state !== 'created' && user.mayWait) {
      run.sentBefore.delete(user.number);
      for (const sent of [...lost, attempt]) await run.journal.settle(sent);
      return waits;
    }
    const isBlocked = result.state === 'existed' && left !== undefined;
    return settle(task, attempt, isBlocked ? nameTaken(error) : result);
  }
  const code = refusalCode(error);
  if (code !== undefined) return settle(task, attempt, { state: 'failed', code, detail: error.text });
  if (lost.length === 0) await run.journal.settle(attempt);
  throw error;
}

async function settle(
  { run, user, lost }: Task,
  attempt: number,
  result: CreateResult,
  writtenAt?: number,
): Promise<CreateResult> {
  const { number, oldId } = user;
  run.sentBefore.delete(number);
  for (const other of lost) if (other !== attempt) await run.journal.settle(other);
  await run.journal.settleSoon(attempt, { ...toEnds(number, result), writtenAt }, () => {
    const newId = result.state === 'failed' ? '' : result.id;
    if (result.state === 'created') run.ids.set(number, newId);
    run.idMap.add({ oldId, newId, state: result.state });
  });
  return result;
}

function toEnds(entry: number, result: CreateResult) {
  if (result.state === 'failed') return { failed: [{ entry, code: result.code, detail: result.detail }] };
  const ids: [number, string][] = result.id === '' ? [] : [[entry, result.id]];
  return { [result.state]: [entry], ids };
}

/**
 * The service checks last whether the name is taken. So "already exists" says that it accepts the record, and only then
 * the old user is deleted, if the name is theirs. A user whose new record is refused stays as it was.
 */
async function replace(task: Task, old: string): Promise<Pick<Sent, 'end' | 'left'>> {
  const { client } = task.run;
  const org = orgOf(task.run, task.user.record);
  const trial = await send(task);
  if (trial.ok || trial.error.status !== 409) return { end: trial, left: old };
  const found = await readUser(client, org, { id: old, userName: '' });
  if (found === undefined) return { end: trial, left: undefined };
  // Another user has the name, so that deleting the old one would not help.
  if (foldName(found.userName) !== foldName(task.user.record.userName)) return { end: trial, left: old };
  await removeUser(client, old);
  return { end: await send(task), left: undefined };
}

const nameTaken = ({ text }: ApiError): CreateResult => ({
  state: 'failed',
  code: 'import:name-taken',
  detail: `${text}; they stay as they were. ${swapped}`,
});

const swapped =
  'If users have swapped their names, give one of them another name at the target: the next run then replaces them';

/** Undefined where the user is not there. When it throws, the intent stays open and a resumed run looks again. */
async function findSent(
  { run, user: { number, record, replaces } }: Task,
  looks: 'once' | 'until still' = 'until still',
): Promise<CreateResult | undefined> {
  const sent = {
    orgs: [orgOf(run, record)],
    id: '',
    userName: record.userName,
    email: record.kind === 'human' ? record.email : '',
    since: run.sentBefore.get(number) ?? Infinity,
  };
  const [seen] = looks === 'once' ? await lookUp(run, [sent]) : await lookUpUntilStill(run, [sent]);
  // The user that is to be replaced is not the new one.
  if (seen === undefined || seen.state === 'missing' || seen.user.id === replaces) return undefined;
  return { state: seen.state === 'ours' ? 'created' : 'existed', id: seen.user.id };
}

/** On a first attempt the user existed before, in this organization or another; on a repeated one it may be ours. */
async function findTaken(task: Task, error: ApiError): Promise<CreateResult> {
  const { run, user } = task;
  const hasLinks = user.record.kind === 'human' && user.record.links.length > 0;
  const isFirst = !run.sentBefore.has(user.number);
  // It waits for the name in any case.
  if (isFirst && !hasLinks && user.mayWait) return { state: 'existed', id: '' };
  const found = await findSent(task, isFirst ? 'once' : 'until still');
  if (found !== undefined) return found;
  // The name is free in this organization: another one has it, or the link belongs to another user.
  const code = hasLinks && isAboutLink(error) ? 'import:link-taken' : 'import:name-taken';
  return { state: 'failed', code, detail: error.text };
}

/** A name and a link that are taken have the same error id; a translated text tells neither. */
const isAboutLink = ({ text }: ApiError): boolean => !/^User already exists/i.test(text);

interface Created {
  readonly userId: string;
  /** On the clock that stamps users, in milliseconds. */
  readonly writtenAt: number | undefined;
}

function send({ run, user: { record, body } }: Task): Promise<Attempt<Created>> {
  const org = orgOf(run, record);
  const call: Call<Created> = {
    method: 'POST',
    path: pathOf(record),
    org,
    body,
    repeat: 'unsafe',
    answer: created,
  };
  return run.client.attempt(call);
}

function pathOf(record: UserRecord | MachineRecord): string {
  if (record.kind === 'machine') return '/management/v1/users/machine';
  return record.startsActive === true ? '/v2/users/human' : '/management/v1/users/human/_import';
}

/** Anything without an id is not an answer of the service. */
const created = {
  parse(value: unknown): Created {
    const { userId, details } = value as { userId?: unknown; details?: unknown };
    if (typeof userId === 'string' && userId !== '') return { userId, writtenAt: writtenAt(details) };
    throw new TypeError('there is no userId');
  },
};

/** The body of the request that creates the user. A password in plain text is for the service to hash. */
export function encodeCreation(record: UserRecord | MachineRecord, orgId: string): string {
  if (record.kind === 'human' && record.startsActive === true) return encodeVersion2(record, orgId);
  if (record.kind === 'human') {
    const text = encodeImportRecord(record);
    if (record.plainPassword === '') return text;
    return `${text.slice(0, -1)},"password":${JSON.stringify(record.plainPassword)}}`;
  }
  const { userName, name, description } = record;
  return JSON.stringify({ userName, name, ...(description === '' ? {} : { description }) });
}

/** Of a user without a password, or with the placeholder password, and without links. As with the older call, the service gives the id. */
function encodeVersion2(user: UserRecord, orgId: string): string {
  const { userName, givenName, familyName, nickName, displayName, language, gender } = user;
  const { email, emailVerified, phone, phoneVerified } = user;
  return JSON.stringify({
    username: userName,
    organization: { orgId },
    profile: {
      givenName,
      familyName,
      ...(nickName === '' ? {} : { nickName }),
      ...(displayName === '' ? {} : { displayName }),
      ...(language === '' ? {} : { preferredLanguage: language }),
      ...(gender === 'unspecified' ? {} : { gender: `GENDER_${gender.toUpperCase()}` }),
    },
    email: { email, ...(emailVerified ? { isVerified: true } : {}) },
    ...(phone === '' ? {} : { phone: { phone, ...(phoneVerified ? { isVerified: true } : {}) } }),
    ...(user.passwordHash === '' ? {} : { hashedPassword: { hash: user.passwordHash } }),
    ...(user.otpSecret === '' ? {} : { totpSecret: user.otpSecret }),
  });
}

/** Of a refusal that is about this user alone; undefined for what would happen to all. */
function refusalCode({ status, id, verdict }: ApiError): ReasonCode | undefined {
  if (verdict === 'too-large') return 'import:too-large';
  if (id?.startsWith('CRYPT-') === true) return 'import:hash-refused';
  return status === 400 || id === 'RECOVER' ? 'import:refused' : undefined;
}
