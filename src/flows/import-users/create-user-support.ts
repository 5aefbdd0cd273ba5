/** Finds out before the run whether the service has CreateUser, and checks with the first users that it keeps all they have. */
import { ifMissing } from '../../api/api-error.ts';
import { search, type Client } from '../../api/client.ts';
import { IdportError, UsageError } from '../../errors.ts';
import { note, warning, type Emit } from '../../events.ts';
import type { AcceptedRecord } from '../../records/user.ts';
import { listEventsResponse } from '../../wire/event.ts';
import { getUser } from '../reconcile/find-users.ts';

/** Call that creates users. `v2`: CreateUser; `v1`: `_import`. */
export type Api = 'v1' | 'v2';

interface ApiRequest {
  readonly api: 'v1' | 'auto';
  readonly jit?: boolean;
  readonly sinceJournal?: readonly string[] | undefined;
}

/**
 * Returns `v2` if the service has CreateUser, else warns of what `_import` costs. Throws `UsageError` if `_import` will not do.
 */
export async function chooseApi(client: Client, { api, jit, sinceJournal }: ApiRequest, emit: Emit) {
  if (api === 'auto' && (await knowsCreateUser(client))) return 'v2';
  const why = api === 'v1' ? '--api=v1' : notKnown;
  const needs = jit ? '--jit' : sinceJournal && '--since-journal';
  if (needs !== undefined) throw new UsageError(`${why}, and ${needs} needs it`);
  emit(olderCall(why));
  return 'v1';
}

/** Returns a warning of what users lose with `_import`. */
const olderCall = (why: string) =>
  warning(
    'import:v1',
    `${why}: users get new ids, TOTP secrets stay behind, and users with an unverified address cannot sign in until they answer an email.`,
  );

const notKnown = 'the service does not know CreateUser (POST /v2/users/new)';

/** Reports, for a preflight, which call `import-users` would create users with. Writes nothing. */
export async function reportCreateUser(client: Client, emit: Emit) {
  const isKnown = await knowsCreateUser(client);
  const text =
    'import-users creates each user in one call (POST /v2/users/new). It keeps TOTP secrets, and ids except numbers of up to 14 digits and ids with a slash';
  emit(isKnown ? note('target:create-user', text) : olderCall(notKnown));
  return isKnown ? 'v2' : 'v1';
}

/** Sends an empty request, which writes nothing. A service that has CreateUser names the missing field. Throws `ApiError`. */
async function knowsCreateUser(client: Client) {
  const end = await client.attempt({ method: 'POST', path: '/v2/users/new', body: {}, repeat: 'safe' });
  if (end.ok || end.error.text.includes('CreateUserRequest.OrganizationId')) return true;
  if ([404, 405, 501].includes(end.error.status ?? 0)) return false;
  throw end.error;
}

/**
 * Lets users through one at a time until each part (password, TOTP, …) is proved with one user. Users without an unproved part do
 * not wait.
 */
export function createFirstUsers(client: Client) {
  const proved = new Set<string>();
  let last: Promise<unknown> = Promise.resolve();
  return async <Result extends { readonly state: string; readonly id?: string }>(
    record: AcceptedRecord,
    create: () => Promise<Result>,
  ) => {
    const parts = ['', ...partsOf(record)];
    const isProved = () => parts.every((part) => proved.has(part));
    if (isProved()) return create();
    const turn = last.then(async () => {
      const result = await create();
      const { state, id = '' } = result;
      if (isProved() || state !== 'created' || !(await checkWhole(client, id, record))) return result;
      for (const part of parts) proved.add(part);
      return result;
    });
    last = turn;
    return turn;
  };
}

/** Event in the log of a user that each part leaves, if there is one. */
const events = {
  'the password hash': '',
  'the TOTP secret': 'user.human.mfa.otp.added',
  metadata: 'user.metadata.set',
  'linked logins': 'user.human.externalidp.added',
};

/**
 * Reads back a user that was just created, because a service silently accepts fields that it does not know. Throws `IdportError`
 * if a part is missing, before any other user with that part is sent. Returns false if the service does not find the user, since
 * look-ups can miss new users, as lists do. Then the next user has to prove the part.
 */
async function checkWhole(client: Client, id: string, record: AcceptedRecord) {
  const answer = await client.call(getUser(id)).catch(ifMissing);
  if (answer === undefined) return false;
  const { userId, username, state, human } = answer.user ?? {};
  const parts = partsOf(record);
  const kept = {
    'the id': userId === id,
    'the user name': username === record.userName,
    'the active state': state === 'USER_STATE_ACTIVE',
    'the password hash': !parts.includes('the password hash') || human?.passwordChanged,
  };
  const missing = Object.entries(kept).flatMap(([part, isKept]) => (isKept ? [] : part));
  const seen = await client.attempt(
    search('/admin/v1/events/_search', { aggregateId: id, limit: 100 }, listEventsResponse),
  );
  // A token of one organization may not read events. Then only what the user itself shows is checked.
  if (seen.ok) {
    const types = new Set(seen.value.events.map(({ type }) => type?.type ?? ''));
    missing.push(...parts.filter((part) => events[part] !== '' && !types.has(events[part])));
  }
  if (missing.length === 0) return true;
  throw new IdportError(
    'import:not-whole',
    `the service created user ${id} without ${missing.join(', ')}`,
    'No other user with such a part was sent. Roll back with `idport undo`; --api=v1 uses the older call, or use the bulk import.',
  );
}

function partsOf(record: AcceptedRecord) {
  const parts: (keyof typeof events)[] = record.metadata.length > 0 ? ['metadata'] : [];
  if (record.kind === 'machine') return parts;
  if (record.passwordHash !== '') parts.push('the password hash');
  if (record.otpSecret !== '') parts.push('the TOTP secret');
  if (record.links.length > 0) parts.push('linked logins');
  return parts;
}
