/**
 * Creates one user by CreateUser: whole, in one call, under an id that is in the journal before it is sent. After a lost
 * answer the same call is sent again, and the service says whether it has arrived; no list is asked.
 */
import type { ApiError } from '../../api/api-error.ts';
import type { Attempt, Client } from '../../api/client.ts';
import type { ReasonCode } from '../../records/reasons.ts';
import type { MachineRecord, UserRecord } from '../../records/user.ts';
import { encodeCreateUser } from '../../targets/create-user.ts';
import { getUserV2Response } from '../../wire/user.ts';
import { readLoggedUser } from '../reconcile/event-log.ts';
import { lookUp } from '../reconcile/look-up.ts';
import { followUpNumber } from '../resume/journal-users.ts';
import { orgOf, type UsersRun } from './run.ts';
import { makeId } from './user-ids.ts';

export type CreateResult =
  | { readonly state: 'created'; readonly id: string }
  | { readonly state: 'existed'; readonly id: string }
  | { readonly state: 'failed'; readonly code: ReasonCode; readonly detail: string };

/** Another user has the name, and may give it up: nothing was done. */
export const waits = { state: 'waits' } as const;

export type Result = CreateResult | typeof waits;

export interface UserToCreate {
  readonly number: number;
  readonly record: UserRecord | MachineRecord;
  /** Of the record as the source has it. */
  readonly fingerprint: string;
  /** Return `waits` when another user has the user name, instead of a final result. */
  readonly mayWait: boolean;
}

/** What the source calls the user, for the id map. */
export const oldIdOf = ({ id, userName }: UserRecord | MachineRecord): string => (id === '' ? userName : id);

/** A user whose answer is lost so often is given up for this run. */
const mostLost = 10;

/** Throws what concerns all users; the journal then says that this one was not done. */
export async function createUser(run: UsersRun, user: UserToCreate): Promise<Result> {
  const { number, record } = user;
  // Attempts whose answers were lost: their intents stay open until the result is known.
  const lost = [...(run.openAttempts.get(number) ?? [])];
  const taken = run.ids.choose(number, record.id);
  if (run.taken.has(taken)) {
    if (lost.length === 0) {
      return settle(run, user, [await intend(run, user, taken)], { state: 'existed', id: taken });
    }
    const result = await findOwner(run, user, taken, false);
    if (result !== 'again') return settle(run, user, lost, result);
  }
  for (;;) {
    const id = run.ids.choose(number, record.id);
    const at = run.client.serverNow();
    const attempt = await intend(run, user, id);
    const end = await send(run, record, id).catch(async (error: unknown) => {
      // The call was never made: it was waiting for its turn when the run was stopped.
      if (lost.length === 0) await run.journal.settle(attempt);
      throw error;
    });
    const attempts = [...lost, attempt];
    if (end.ok) {
      run.writes.learn(end.value.at, end.value.writtenAt);
      return settle(run, user, attempts.toReversed(), { state: 'created', id }, end.value.writtenAt);
    }
    if (end.error.done === 'unknown') {
      lost.push(attempt);
      if (!run.sentBefore.has(number)) run.sentBefore.set(number, at);
      if (lost.length < mostLost) continue;
      return settle(run, user, attempts, {
        state: 'failed',
        code: 'import:unconfirmed',
        detail: end.error.text,
      });
    }
    const result = await judge(run, user, { id, error: end.error, isFirst: lost.length === 0 });
    if (result === 'again') {
      await run.journal.settle(attempt);
      continue;
    }
    if (result === 'stop') {
      if (lost.length === 0) await run.journal.settle(attempt);
      throw end.error;
    }
    if (result.state === 'waits') {
      for (const each of attempts) await run.journal.settle(each);
      return result;
    }
    return settle(run, user, attempts, result);
  }
}

/** The intent, with the id, is in the file before the request is sent. */
function intend(run: UsersRun, user: UserToCreate, id: string): Promise<number> {
  const { number, record, fingerprint } = user;
  const users = [[record.id, record.userName, fingerprint]] as const;
  const ids = id === record.id ? {} : { ids: [[number, id]] as const };
  return run.journal.intend({ at: run.client.serverNow(), entries: entriesFor(run, user), users, ...ids });
}

/** With the call that sets the state, which belongs to the user: until that is done, the user can sign in. */
export const entriesFor = ({ plan }: UsersRun, { number, record }: UserToCreate): number[] =>
  record.state === 'active' ? [number] : [number, followUpNumber(plan, 'state', number)];

/** The answer to a call with an id that some user has, or had in an organization that was removed. */
const idTaken = 'COMMAND-7yiox1isql';

interface Refusal {
  readonly id: string;
  readonly error: ApiError;
  /** No attempt before this one can have created the user. */
  readonly isFirst: boolean;
}

/** `again`: under another id; `stop`: it would happen to all users. */
async function judge(
  run: UsersRun,
  user: UserToCreate,
  { id, error, isFirst }: Refusal,
): Promise<Result | 'again' | 'stop'> {
  const { record, mayWait } = user;
  const org = orgOf(run, record);
  if (error.id === idTaken) return findOwner(run, user, id, isFirst);
  if (error.status === 409) {
    const hasLinks = record.kind === 'human' && record.links.length > 0;
    if (hasLinks && isAboutLink(error))
      return { state: 'failed', code: 'import:link-taken', detail: error.text };
    if (mayWait) return waits;
    const [seen] = await lookUp(run, [{ orgs: [org], id: '', userName: record.userName, since: Infinity }]);
    if (seen === undefined || seen.state === 'missing') {
      return { state: 'failed', code: 'import:name-taken', detail: error.text };
    }
    return { state: 'existed', id: seen.user.id };
  }
  const code = refusalCode(error);
  return code === undefined ? 'stop' : { state: 'failed', code, detail: error.text };
}

/** Whether the user of an id that is taken is of this run: one who was there before it may have its open attempt, too. */
async function findOwner(
  run: UsersRun,
  { number, record }: UserToCreate,
  id: string,
  isFirst: boolean,
): Promise<CreateResult | 'again'> {
  const since = isFirst ? Infinity : (run.sentBefore.get(number) ?? Infinity);
  const createdAt = await readCreation(run.client, id);
  if (createdAt !== undefined) {
    return { state: run.writes.isPossible(createdAt, since) ? 'created' : 'existed', id };
  }
  // Look-ups have lost users whom the log has.
  const logged = isFirst ? undefined : await readLoggedUser(run.client, id);
  if (logged !== undefined && run.writes.isPossible(logged.createdAt, since)) return { state: 'created', id };
  if (!isFirst && logged === undefined) {
    const detail = 'its id is taken, and the service does not show by whom';
    return { state: 'failed', code: 'import:unconfirmed', detail };
  }
  // No user has it, and it stays taken for ever.
  run.ids.set(number, makeId(id, record.userName), record.id);
  return 'again';
}

/**
 * When the user of an id was created, in whatever organization, in milliseconds; undefined where there is none. Users of a
 * removed organization are still shown, without a login name.
 */
export async function readCreation(client: Client, id: string): Promise<number | undefined> {
  const path = `/v2/users/${encodeURIComponent(id)}`;
  const end = await client.attempt({ method: 'GET', path, answer: getUserV2Response });
  if (!end.ok) {
    if (end.error.verdict !== 'refused') throw end.error;
    return undefined;
  }
  const { preferredLoginName = '', details } = end.value.user ?? {};
  return preferredLoginName === '' ? undefined : Date.parse(details?.creationDate ?? '');
}

/** The result is that of the first attempt given: a rollback takes no user for ours who was created before it. */
async function settle(
  run: UsersRun,
  { number, record }: UserToCreate,
  [attempt, ...others]: readonly number[],
  result: CreateResult,
  writtenAt?: number,
): Promise<CreateResult> {
  for (const other of others) await run.journal.settle(other);
  await run.journal.settleSoon(attempt!, { ...toEnds(number, record, result), writtenAt }, () => {
    const newId = result.state === 'failed' ? '' : result.id;
    run.idMap.add({ oldId: oldIdOf(record), newId, state: result.state });
  });
  return result;
}

export function toEnds(entry: number, { id: oldId, state }: UserToCreate['record'], result: CreateResult) {
  if (result.state === 'failed') {
    const { code, detail } = result;
    // Perhaps it was created all the same: a rollback looks for it.
    return {
      failed: [{ entry, code, detail }],
      ...(code === 'import:unconfirmed' ? { doubtful: [entry] } : {}),
    };
  }
  const ids: [number, string][] = result.id === '' || result.id === oldId ? [] : [[entry, result.id]];
  const isPart = result.state === 'created' && state !== 'active';
  const noted = isPart ? [{ entry, code: 'single:state', detail: '' }] : [];
  return { [result.state]: [entry], ids, noted };
}

/** A name and a link that are taken have the same error id; a translated text tells neither. */
export const isAboutLink = ({ text }: ApiError): boolean => !/^User already exists/i.test(text);

interface Created {
  /** When it was sent, by the service's `Date`, in milliseconds. */
  readonly at: number;
  /** On the clock that stamps users, in milliseconds. */
  readonly writtenAt: number | undefined;
}

function send(run: UsersRun, record: UserRecord | MachineRecord, userId: string): Promise<Attempt<Created>> {
  const { client, sendVerification } = run;
  const at = client.serverNow();
  return client.attempt<Created>({
    method: 'POST',
    path: '/v2/users/new',
    body: encodeCreateUser(record, { organizationId: orgOf(run, record), userId, sendVerification }),
    repeat: 'unsafe',
    answer: { parse: (value) => ({ at, writtenAt: parseCreated(value, userId) }) },
  });
}

/** Anything without this id is not an answer of the service. */
function parseCreated(value: unknown, userId: string): number | undefined {
  const { id, creationDate } = value as { id?: unknown; creationDate?: unknown };
  if (id !== userId) throw new TypeError('the answer names another user');
  const time = Date.parse(String(creationDate));
  return Number.isNaN(time) ? undefined : time;
}

/** Of a refusal that is about this user alone; undefined for what would happen to all. */
export function refusalCode({ status, id, verdict }: ApiError): ReasonCode | undefined {
  if (verdict === 'too-large') return 'import:too-large';
  if (status === 409) return 'import:link-taken';
  if (id?.startsWith('CRYPT-') === true) return 'import:hash-refused';
  return status === 400 || id === 'RECOVER' ? 'import:refused' : undefined;
}
