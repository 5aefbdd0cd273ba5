/** Whether the service creates users whole in one call: asked before the run, and proved with its first user. */
import { ifMissing } from '../../api/api-error.ts';
import { search, type Client } from '../../api/client.ts';
import { IdportError, UsageError } from '../../errors.ts';
import { note, warning, type Emit, type NoticeEvent } from '../../events.ts';
import type { MachineRecord, UserRecord } from '../../records/user.ts';
import { listEventsResponse } from '../../wire/event.ts';
import { getUserV2Response } from '../../wire/user.ts';
import { userPath } from '../reconcile/find-users.ts';

/** `v2`: CreateUser; `v1`: `_import`. */
export type Api = 'v1' | 'v2';

export interface ApiRequest {
  readonly api: 'v1' | 'auto';
  readonly jit?: boolean;
  readonly sinceJournal?: readonly string[];
}

/** CreateUser where the service knows it; says what the older call costs. Throws `UsageError` where that cannot do. */
export async function chooseApi(
  client: Client,
  { api, jit, sinceJournal }: ApiRequest,
  emit: Emit,
): Promise<Api> {
  if (api === 'auto' && (await knowsCreateUser(client))) return 'v2';
  const why = api === 'v1' ? '--api=v1' : notKnown;
  if (jit === true) throw new UsageError(`${why}, and --jit needs it`);
  if (sinceJournal !== undefined) throw new UsageError(`${why}, and --since-journal needs it`);
  emit(olderCall(why));
  return 'v1';
}

/** What `_import` costs the users. */
const olderCall = (why: string): NoticeEvent =>
  warning(
    'import:v1',
    `${why}: users get new ids, TOTP secrets stay behind, and users with an unverified address cannot sign in ` +
      'until they answer an email.',
  );

const notKnown = 'the service does not know CreateUser (POST /v2/users/new)';

/** For a preflight: says by which call `import-users` would create users. Writes nothing. */
export async function reportCreateUser(client: Client, emit: Emit): Promise<Api> {
  const isKnown = await knowsCreateUser(client);
  const text =
    'import-users creates each user in one call (POST /v2/users/new): TOTP and ids other than plain numbers are kept';
  emit(isKnown ? note('target:create-user', text) : olderCall(notKnown));
  return isKnown ? 'v2' : 'v1';
}

/** An empty request: it writes nothing, and who knows the call names the field that is missing. Throws `ApiError`. */
async function knowsCreateUser(client: Client) {
  const end = await client.attempt({ method: 'POST', path: '/v2/users/new', body: {}, repeat: 'safe' });
  if (end.ok || end.error.text.includes('CreateUserRequest.OrganizationId')) return true;
  if ([404, 405, 501].includes(end.error.status ?? 0)) return false;
  throw end.error;
}

/**
 * Lets users through one at a time until each part (password, TOTP, …) is proved with one; users without an unproved part
 * do not wait.
 */
export function createFirstUsers() {
  const proved = new Set<string>();
  let last: Promise<unknown> = Promise.resolve();
  return {
    async run<Result extends { readonly state: string }>(
      record: UserRecord | MachineRecord,
      create: () => Promise<Result>,
      prove: (result: Result) => Promise<boolean>,
    ): Promise<Result> {
      const parts = ['', ...partsOf(record)];
      const isProved = () => parts.every((part) => proved.has(part));
      if (isProved()) return create();
      const turn = last.then(async () => {
        const result = await create();
        if (isProved() || result.state !== 'created' || !(await prove(result))) return result;
        for (const part of parts) proved.add(part);
        return result;
      });
      last = turn;
      return turn;
    },
  };
}

/** The event that a part of a user leaves. */
const events = {
  'the TOTP secret': 'user.human.mfa.otp.added',
  metadata: 'user.metadata.set',
  'identity provider links': 'user.human.externalidp.added',
} as const;
type Part = 'the password hash' | keyof typeof events;

/**
 * Reads a user back that was just created. A service accepts fields silently that it does not know: `IdportError`
 * where a part is missing, before any other user with it is sent. False where the service's own look-up has lost the user, which
 * it does as its lists do: then the next user has to prove it.
 */
export async function checkWhole(
  client: Client,
  id: string,
  record: UserRecord | MachineRecord,
): Promise<boolean> {
  const path = userPath(id);
  const answer = await client.call({ method: 'GET', path, answer: getUserV2Response }).catch(ifMissing);
  if (answer === undefined) return false;
  const { user } = answer;
  const missing: string[] = [];
  if (user?.userId !== id) missing.push('the id');
  if (user?.username !== record.userName) missing.push('the user name');
  if (user?.state !== 'USER_STATE_ACTIVE') missing.push('the active state');
  const parts = partsOf(record);
  const isLeft = parts.includes('the password hash') && (user?.human?.passwordChanged ?? '') === '';
  if (isLeft) missing.push('the password hash');
  const seen = await client.attempt(
    search('/admin/v1/events/_search', { aggregateId: id, limit: 100 }, listEventsResponse),
  );
  // A token of one organization may not read events; then what GET shows has to do.
  if (seen.ok) {
    const types = new Set(seen.value.events.map(({ type }) => type?.type ?? ''));
    missing.push(
      ...parts.filter((part) => part in events && !types.has(events[part as keyof typeof events])),
    );
  }
  if (missing.length === 0) return true;
  throw new IdportError(
    'import:not-whole',
    `the service created user ${id} without ${missing.join(', ')}`,
    'No other user with such a part was sent. Roll back with `idport undo`; --api=v1 uses the older call, or use the bulk import.',
  );
}

function partsOf(record: UserRecord | MachineRecord) {
  const parts: Part[] = record.metadata.length > 0 ? ['metadata'] : [];
  if (record.kind === 'machine') return parts;
  if (record.passwordHash !== '') parts.push('the password hash');
  if (record.otpSecret !== '') parts.push('the TOTP secret');
  if (record.links.length > 0) parts.push('identity provider links');
  return parts;
}
