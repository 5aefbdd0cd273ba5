/**
 * Creates one user by `_import` of version 1, for services that do not know CreateUser. The service chooses the id, so that
 * a lost answer takes a search for the user. The result is in the journal at the end, whatever happens on the way.
 */
import type { ApiError } from '../../api/api-error.ts';
import type { Attempt, Call } from '../../api/client.ts';
import type { MachineRecord, UserRecord } from '../../records/user.ts';
import { encodeImportRecord } from '../../targets/human-user.ts';
import { writtenAt } from '../reconcile/find-users.ts';
import { lookUp, lookUpUntilStill } from '../reconcile/look-up.ts';
import {
  isAboutLink,
  oldIdOf,
  refusalCode,
  entriesFor,
  toEnds,
  type CreateResult,
  type UserToCreate,
} from './create-user.ts';
import { orgOf, type UsersRun } from './run.ts';

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
export async function createByImport(run: UsersRun, user: UserToCreate): Promise<CreateResult> {
  const task: Task = { run, user, lost: [...(run.openAttempts.get(user.number) ?? [])] };
  const found = await findSentBeforeResume(task);
  if (found !== undefined) return found;
  for (let unanswered = 1; ; unanswered++) {
    const sent = await sendAttempt(task);
    const { attempt, end } = sent;
    if (end.ok) {
      run.writes.learn(sent.at, end.value.writtenAt);
      return settle(task, attempt, { state: 'created', id: end.value.userId }, end.value.writtenAt);
    }
    if (end.error.done !== 'unknown') {
      return endRefused(task, sent, end.error);
    }
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
  const [attempt] = task.lost;
  if (attempt === undefined) return undefined;
  const result = await findSent(task, 'once');
  if (result?.state !== 'created') return undefined;
  return settle(task, attempt, result);
}

interface Sent {
  readonly attempt: number;
  /** When, on the service's clock. */
  readonly at: number;
  readonly end: Attempt<Created>;
}

/** The intent is in the file before the request is sent. */
async function sendAttempt(task: Task): Promise<Sent> {
  const { run, user, lost } = task;
  const { record, fingerprint } = user;
  const at = run.client.serverNow();
  const users = [[record.id, record.userName, fingerprint]] as const;
  const attempt = await run.journal.intend({ at, entries: entriesFor(run, task.user), users });
  try {
    return { attempt, at, end: await send(task) };
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
  return findSent(task);
}

async function endRefused(task: Task, { attempt }: Sent, error: ApiError): Promise<CreateResult> {
  const { run, lost } = task;
  if (error.status === 409) return settle(task, attempt, await findTaken(task, error));
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
  const { number, record } = user;
  run.sentBefore.delete(number);
  for (const other of lost) if (other !== attempt) await run.journal.settle(other);
  await run.journal.settleSoon(attempt, { ...toEnds(number, record, result), writtenAt }, () => {
    const newId = result.state === 'failed' ? '' : result.id;
    if (result.state === 'created') run.ids.set(number, newId, record.id);
    run.idMap.add({ oldId: oldIdOf(record), newId, state: result.state });
  });
  return result;
}

/** Undefined where the user is not there. When it throws, the intent stays open and a resumed run looks again. */
async function findSent(
  { run, user: { number, record } }: Task,
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
  if (seen === undefined || seen.state === 'missing') return undefined;
  return { state: seen.state === 'ours' ? 'created' : 'existed', id: seen.user.id };
}

/** On a first attempt the user existed before, in this organization or another; on a repeated one it may be ours. */
async function findTaken(task: Task, error: ApiError): Promise<CreateResult> {
  const { run, user } = task;
  const hasLinks = user.record.kind === 'human' && user.record.links.length > 0;
  const isFirst = !run.sentBefore.has(user.number);
  const found = await findSent(task, isFirst ? 'once' : 'until still');
  if (found !== undefined) return found;
  // The name is free in this organization: another one has it, or the link belongs to another user.
  const code = hasLinks && isAboutLink(error) ? 'import:link-taken' : 'import:name-taken';
  return { state: 'failed', code, detail: error.text };
}

interface Created {
  readonly userId: string;
  /** On the clock that stamps users, in milliseconds. */
  readonly writtenAt: number | undefined;
}

function send({ run, user: { record } }: Task): Promise<Attempt<Created>> {
  const org = orgOf(run, record);
  const call: Call<Created> = {
    method: 'POST',
    path: record.kind === 'machine' ? '/management/v1/users/machine' : '/management/v1/users/human/_import',
    org,
    body: encodeImport(record),
    repeat: 'unsafe',
    answer: created,
  };
  return run.client.attempt(call);
}

/** Anything without an id is not an answer of the service. */
const created = {
  parse(value: unknown): Created {
    const { userId, details } = value as { userId?: unknown; details?: unknown };
    if (typeof userId === 'string' && userId !== '') return { userId, writtenAt: writtenAt(details) };
    throw new TypeError('there is no userId');
  },
};

/** A password in plain text is for the service to hash. */
function encodeImport(record: UserRecord | MachineRecord): string {
  if (record.kind === 'human') {
    const text = encodeImportRecord(record);
    if (record.plainPassword === '') return text;
    return `${text.slice(0, -1)},"password":${JSON.stringify(record.plainPassword)}}`;
  }
  const { userName, name, description } = record;
  return JSON.stringify({ userName, name, ...(description === '' ? {} : { description }) });
}
