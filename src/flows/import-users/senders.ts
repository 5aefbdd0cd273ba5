/** Defines the two ways to create a user: CreateUser, and `_import` of version 1 for services that do not have it. */
import { lostAnswers } from '../../api/retry.ts';
import type { MachineRecord, UserRecord } from '../../records/user.ts';
import { encodeCreateUser } from '../../targets/create-user.ts';
import { encodeImportRecord } from '../../targets/human-user.ts';
import { readLoggedUser } from '../reconcile/event-log.ts';
import { isThere, readUserV2, writtenAt } from '../reconcile/find-users.ts';
import {
  failure,
  lookUpByName,
  isAboutLink,
  waits,
  type Asked,
  type CreateResult,
  type Sender,
} from './create-user.ts';
import { orgOf, type UsersRun } from './run.ts';
import { makeId } from './user-ids.ts';

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
    return (await lookUpByName(run, user, Infinity, 'once')) ?? failure('import:name-taken', error);
  },
};

/** Looks up the user with the id. Undefined if none is shown. */
async function readOwner(run: UsersRun, { id, since }: Asked): Promise<CreateResult | undefined> {
  const found = await readUserV2(run.client, id);
  if (found === undefined || !isThere(found)) return undefined;
  const createdAt = Date.parse(found.details?.creationDate ?? '');
  return { state: run.writes.isPossible(createdAt, since) ? 'created' : 'existed', id };
}

/** Finds out whether the user with the taken id is of this run. An open attempt proves nothing: the user may be older. */
async function findOwner(run: UsersRun, user: Asked): Promise<CreateResult | 'again'> {
  const { number, record, id, since } = user;
  const isFirst = since === Infinity;
  const owner = await readOwner(run, user);
  if (owner !== undefined) return owner;
  // Look-ups can miss users that the event log has.
  const logged = isFirst ? undefined : await readLoggedUser(run.client, id);
  if (logged !== undefined && run.writes.isPossible(logged.createdAt, since)) return { state: 'created', id };
  if (!isFirst && logged === undefined) {
    return failure('import:unconfirmed', { text: 'its id is taken, and the service does not show by whom' });
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
    const found = user.since === Infinity ? undefined : await lookUpByName(run, user, user.since, 'once');
    return found?.state === 'created' ? found : undefined;
  },
  lost: (run, user) => lookUpByName(run, user, user.since, 'until stable'),
  /** On a first attempt, the user existed before, in this organization or another. On a repeated one, it may be ours. */
  async refused(run, user, error) {
    if (error.status !== 409) return undefined;
    const looks = user.since === Infinity ? 'once' : 'until stable';
    const found = await lookUpByName(run, user, user.since, looks);
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
function encodeImport(record: UserRecord | MachineRecord) {
  if (record.kind === 'human') {
    const text = encodeImportRecord(record);
    if (record.plainPassword === '' || record.passwordHash !== '') return text;
    return `${text.slice(0, -1)},"password":${JSON.stringify(record.plainPassword)}}`;
  }
  const { userName, name, description } = record;
  return JSON.stringify({ userName, name, ...(description === '' ? {} : { description }) });
}
