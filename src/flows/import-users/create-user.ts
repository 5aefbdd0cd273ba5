/**
 * Creates one user of a one-by-one import. The journal has the intent before the request is sent, and the result at the end,
 * whatever happens in between. One of two senders decides how the user is created, and how it is found after a lost answer:
 * CreateUser, or `_import` of version 1 for services that do not have it.
 */
import type { ApiError } from '../../api/api-error.ts';
import type { Call } from '../../api/client.ts';
import { backoff, lostAnswers } from '../../api/retry.ts';
import type { Ends } from '../../journal/journal.ts';
import type { ReasonCode } from '../../records/reasons.ts';
import type { AcceptedRecord } from '../../records/user.ts';
import { lookUp, lookUpUntilStable } from '../reconcile/look-up.ts';
import { followUpNumber } from '../runs/journal-users.ts';
import { orgOf, type UsersRun } from './run.ts';
import { encodeCreateUser } from '../../targets/create-user.ts';
import { encodeImportRecord, machineFields } from '../../targets/human-user.ts';
import { readLoggedUser } from '../reconcile/event-log.ts';
import { createdAt, isThere, readUserV2, writtenAt } from '../reconcile/find-users.ts';
import { makeId } from './user-ids.ts';

export type CreateResult =
  | { readonly state: 'created' | 'existed'; readonly id: string }
  | { readonly state: 'failed'; readonly code: ReasonCode; readonly detail: string };

/** Nothing was done, because another user has the user name and may give it up. */
export const waits = { state: 'waits' } as const;

export interface UserToCreate {
  readonly number: number;
  readonly record: AcceptedRecord;
  /** Fingerprint of the record as the source has it. */
  readonly fingerprint: string;
  /** Return `waits` if another user has the user name, instead of a final result. */
  readonly mayWait: boolean;
}

interface Created {
  readonly id: string;
  /** Time of the write on the clock that stamps users, in milliseconds. */
  readonly writtenAt: number | undefined;
}

/** A user to be created, who may already exist. */
interface Asked extends UserToCreate {
  /** Id that is sent. Empty if the service chooses it. */
  readonly id: string;
  /** When the first request that may have created the user was sent, by the service's `Date`. Infinity if none was. */
  readonly since: number;
}

/** One of the ways to create a user. */
interface Sender {
  call(run: UsersRun, user: Asked): Call<Created>;
  /** Number of lost answers after which this run gives the user up. */
  readonly mostLost: number;
  /** Returns the result if it is known before anything is sent. */
  before(run: UsersRun, user: Asked): Promise<CreateResult | undefined>;
  /** Returns the result after a lost answer, or undefined if the request may be sent again. */
  lost(run: UsersRun, user: Asked): Promise<CreateResult | undefined>;
  /**
   * Returns the result after a refusal, or `again` to send the user with another id. Undefined if only the general rules apply.
   */
  refused(
    run: UsersRun,
    user: Asked,
    error: ApiError,
  ): Promise<CreateResult | typeof waits | 'again' | undefined>;
}

/** Throws errors that concern all users. The journal then says that this user was not done. */
export async function createUser(
  run: UsersRun,
  user: UserToCreate,
  sender: Sender,
): Promise<CreateResult | typeof waits> {
  const { number, record } = user;
  const { journal, client } = run;
  const ask = (): Asked => ({
    ...user,
    id: run.ids.choose(number, record.id),
    since: journal.unconfirmed.get(number) ?? Infinity,
  });
  const known = await sender.before(run, ask());
  if (known !== undefined) return settle(run, user, (await intend(run, ask())).attempt, known);
  for (let unanswered = 1; ;) {
    const asked = ask();
    const { attempt, at, entries } = await intend(run, asked);
    const end = await client.attempt(sender.call(run, asked)).catch(async (error: unknown) => {
      // The call was never made: the run was stopped while it waited for its turn.
      await journal.settle(attempt);
      throw error;
    });
    if (end.ok) {
      const { id, writtenAt } = end.value;
      return settle(run, user, attempt, { state: 'created', id }, writtenAt);
    }
    const { error } = end;
    if (error.verdict === 'unsure') {
      const last = unanswered === sender.mostLost ? failure('import:unconfirmed', error) : undefined;
      const result = (await sender.lost(run, { ...asked, since: Math.min(asked.since, at) })) ?? last;
      if (result !== undefined) return settle(run, user, attempt, result);
      await journal.settleSoon(attempt, { unconfirmed: entries });
      const wait = backoff(unanswered++, run.clock.random());
      run.emit({ type: 'run:waiting', reason: 'unreachable', seconds: wait / 1000 });
      await run.clock.sleep(wait, run.signal);
      continue;
    }
    const result = (await sender.refused(run, asked, error)) ?? refusalOf(error);
    if (result !== undefined && result !== 'again' && result.state !== 'waits') {
      return settle(run, user, attempt, result);
    }
    await journal.settle(attempt);
    if (result === undefined) throw error;
    if (result !== 'again') return result;
  }
}

/** Writes the intent, with the id, to the journal before the request is sent. */
async function intend(run: UsersRun, { number, record, fingerprint, id }: Asked) {
  const at = run.client.serverNow();
  const users = [[record.id, record.userName, fingerprint]] as const;
  const ids = id === '' || id === record.id ? [] : [[number, id] as const];
  // Includes the call that sets the state: until it is made, a user who should be disabled can sign in.
  const entries = record.state === 'active' ? [number] : [number, followUpNumber(run.plan, 'state', number)];
  return { at, entries, attempt: await run.journal.intend({ at, entries, users, ids }) };
}

async function settle(
  run: UsersRun,
  user: UserToCreate,
  attempt: number,
  result: CreateResult,
  writtenAt?: number,
) {
  await settleUser(run, user, attempt, { ...toEnds(user, result), writtenAt }, result);
  return result;
}

export async function settleUser(
  run: UsersRun,
  { number, record: { id: oldId, userName } }: UserToCreate,
  attempt: number,
  ends: Ends,
  { state, id = '' }: { readonly state: 'created' | 'changed' | 'existed' | 'failed'; readonly id?: string },
) {
  await run.journal.settleSoon(attempt, ends, () => {
    if (state === 'created') run.ids.set(number, id, oldId);
    run.idMap?.add({ oldId: oldId === '' ? userName : oldId, newId: id, state });
  });
}

function toEnds({ number: entry, record: { id: oldId, state } }: UserToCreate, result: CreateResult): Ends {
  if (result.state === 'failed') {
    const { code, detail } = result;
    // The user may have been created all the same, so a rollback looks for it.
    return { failed: [{ entry, code, detail }], unconfirmed: code === 'import:unconfirmed' ? [entry] : [] };
  }
  const ids: [number, string][] = result.id === '' || result.id === oldId ? [] : [[entry, result.id]];
  const isPart = result.state === 'created' && state !== 'active';
  const noted = isPart ? [{ entry, code: 'single:state', detail: '' }] : [];
  return { [result.state]: [entry], ids, noted };
}

export const failure = (code: ReasonCode, { text: detail }: Pick<ApiError, 'text'>): CreateResult => ({
  state: 'failed',
  code,
  detail,
});

/** Returns the failure if the refusal concerns this user alone, undefined if it would happen to all users. */
export function refusalOf(error: ApiError): CreateResult | undefined {
  const { status, id = '', verdict } = error;
  if (verdict === 'stop') return undefined;
  if (verdict === 'too-large') return failure('import:too-large', error);
  if (status === 409) return failure('import:link-taken', error);
  if (id.startsWith('CRYPT-')) return failure('import:hash-refused', error);
  return status === 400 || id === 'RECOVER' ? failure('import:refused', error) : undefined;
}

/** Reports whether a link is taken, not the name: both have the same error id. A translated text counts as a link. */
const isAboutLink = ({ record }: UserToCreate, { text }: ApiError) =>
  record.kind === 'human' && record.links.length > 0 && !/^User already exists/i.test(text);

/** Looks up the user with this name in its organization. `created` if the user was created since the time `since`. */
async function lookUpByName(
  run: UsersRun,
  { record }: UserToCreate,
  since: number,
  look: typeof lookUpUntilStable,
): Promise<CreateResult | undefined> {
  const { userName } = record;
  const email = record.kind === 'human' ? record.email : '';
  const sent = { orgs: [orgOf(run, record)], id: '', userName, email, since };
  const [seen] = await look(run, [sent]);
  if (seen === undefined || seen.state === 'missing') return undefined;
  // It is another user of the source, who keeps the name: this one is not there.
  const { id } = seen.user;
  if (seen.state === 'other' && run.selection.previous?.hasCreated(id))
    return failure('import:name-taken', { text: `a previous run created its user (${id})` });
  return { state: seen.state === 'ours' ? 'created' : 'existed', id };
}

/** Error ids if a user or service account has the id, or had it in an organization that was removed. */
const idTaken: ReadonlySet<string | undefined> = new Set(['COMMAND-7yiox1isql', 'COMMAND-k2una']);

/**
 * Creates a whole user in one call, under an id that is in the journal. After a lost answer, the id is read, which waits for a
 * service that is down, and the same call is sent again. No list is read.
 */
export const oneCall: Sender = {
  mostLost: lostAnswers.createUser,
  call(run, { record, id }) {
    const { sendVerification } = run;
    const organizationId = orgOf(run, record);
    const body = encodeCreateUser(record, { organizationId, userId: id, sendVerification });
    // Any other body is not an answer of the service.
    const parse = (value: unknown) => {
      const { id: given } = value as { id?: unknown };
      if (given !== id) throw new TypeError('the answer names another user');
      return { id, writtenAt: writtenAt(value) };
    };
    return { method: 'POST', path: '/v2/users/new', body, answer: { parse } };
  },
  async before(run, user) {
    const { id, since } = user;
    if (run.taken.isElsewhere(id)) return takenElsewhere;
    if (!run.taken.has(id)) return undefined;
    if (since === Infinity) return { state: 'existed', id };
    const owner = await findOwner(run, user);
    return owner === 'again' ? undefined : owner;
  },
  lost: readOwner,
  async refused(run, user, error) {
    if (idTaken.has(error.id)) return findOwner(run, user);
    if (error.status !== 409) return undefined;
    if (isAboutLink(user, error)) return failure('import:link-taken', error);
    if (user.mayWait) return waits;
    return (await lookUpByName(run, user, Infinity, lookUp)) ?? failure('import:name-taken', error);
  },
};

const takenElsewhere = failure('import:id-taken', { text: '' });

/** Looks up the user with the id. Undefined if none is shown. */
async function readOwner(run: UsersRun, { id, since, record }: Asked): Promise<CreateResult | undefined> {
  const found = await readUserV2(run.client, id);
  if (found === undefined || !isThere(found)) return undefined;
  if (found.details?.resourceOwner !== orgOf(run, record)) return takenElsewhere;
  return { state: run.writes.isPossible(createdAt(found), since) ? 'created' : 'existed', id };
}

/** Finds out whether the user with the taken id is of this run. An open attempt proves nothing: the user may be older. */
async function findOwner(run: UsersRun, user: Asked): Promise<CreateResult | 'again'> {
  const { number, record, id, since } = user;
  const owner = await readOwner(run, user);
  if (owner !== undefined) return owner;
  if (since !== Infinity) {
    // Look-ups can miss users that the event log has.
    const logged = await readLoggedUser(run.client, id);
    if (logged === undefined)
      return failure('import:unconfirmed', {
        text: 'its id is taken, and the service does not show by whom',
      });
    if (run.writes.isPossible(logged.createdAt, since)) return { state: 'created', id };
  }
  // No user has the id, but it stays taken for ever.
  run.ids.set(number, makeId(id, record.userName), record.id);
  return 'again';
}

/** Creates a user whose id the service chooses. After a lost answer, the user has to be searched for. */
export const byImport: Sender = {
  mostLost: lostAnswers.importUser,
  call(run, { record }) {
    const kind = record.kind === 'machine' ? 'machine' : 'human/_import';
    return {
      method: 'POST',
      path: `/management/v1/users/${kind}`,
      org: orgOf(run, record),
      body: encodeImport(record),
      answer: imported,
    };
  },
  async before(run, user) {
    const found = user.since === Infinity ? undefined : await lookUpByName(run, user, user.since, lookUp);
    return found?.state === 'created' ? found : undefined;
  },
  lost: (run, user) => lookUpByName(run, user, user.since, lookUpUntilStable),
  /** On a first attempt, the user existed before, in this organization or another. On a repeated one, it may be ours. */
  async refused(run, user, error) {
    if (error.status !== 409) return undefined;
    const look = user.since === Infinity ? lookUp : lookUpUntilStable;
    const found = await lookUpByName(run, user, user.since, look);
    // The name is free in this organization: another one has it, or the link belongs to another user.
    return found ?? failure(isAboutLink(user, error) ? 'import:link-taken' : 'import:name-taken', error);
  },
};

/** A body without an id is not an answer of the service. */
const imported = {
  parse(value: unknown) {
    const { userId: id } = value as { userId?: unknown };
    if (typeof id === 'string' && id !== '') return { id, writtenAt: writtenAt(value) };
    throw new TypeError('there is no userId');
  },
};

/** Encodes the body of `_import`. The service itself hashes a password in plain text. */
function encodeImport(record: AcceptedRecord) {
  if (record.kind === 'machine') return machineFields(record);
  const text = encodeImportRecord(record);
  if (record.plainPassword === '' || record.passwordHash !== '') return text;
  return `${text.slice(0, -1)},"password":${JSON.stringify(record.plainPassword)}}`;
}
