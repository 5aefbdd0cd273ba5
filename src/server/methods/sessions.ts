/** Sessions (create, set, get, delete), with checks of user, password and TOTP. */
import { optionalShortText, optionalText, ruled, text, type Output, type Input } from '../../wire/message.ts';
import { details } from '../../wire/details.ts';
import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { grpcCodes } from '../../wire/errors.ts';
import { durationMs } from '../../wire/scalars.ts';
import * as wire from '../../wire/sign-in.ts';
import { hashSecret, never } from '../accounts.ts';
import { mayIn, requirePermission } from '../auth.ts';
import { type Call, sessions } from '../method.ts';
import { ServiceError, refusal, refuseIf, refuseLacking, existing } from '../errors.ts';
import { makeRoom } from '../recent.ts';
import type { SessionRow } from '../store/rows.ts';
import { defined } from '../users/change.ts';
import { findByLoginName } from '../users/search.ts';
import { checkPassword, checkTotp } from '../users/password.ts';
import { datesOf, displayNameOf, instanceDetails, loginNamesOf } from '../users/show.ts';

type Changes = Pick<Output<typeof wire.setSessionRequest>, 'checks' | 'metadata' | 'challenges' | 'lifetime'>;

export const sessionMethods = [
  sessions('CreateSession', 'POST /v2/sessions', 'authenticated', {
    status: 201,
    request: wire.createSessionRequest,
    response: wire.createSessionResponse,
    async handle(call, request) {
      requirePermission(call, '', 'session.write');
      const now = call.store.now();
      const fresh: SessionRow = {
        id: '',
        created: now,
        changed: now,
        sequence: 1,
        creator: call.caller.user.id,
        tokenHash: '',
        expires: never,
        ...defined({ userAgent: request.userAgent }),
      };
      const { row, token = '' } = await change(call, fresh, request);
      return { details: instanceDetails(call, row), sessionId: row.id, sessionToken: token };
    },
  }),
  sessions('SetSession', 'PATCH /v2/sessions/:sessionId', 'authenticated', {
    request: wire.setSessionRequest,
    response: {
      details,
      sessionToken: text,
    },
    async handle(call, request) {
      const known = call.store.sessions.get(request.sessionId);
      if (request.sessionToken === undefined) requirePermission(call, '', 'session.write');
      else if (!mayIn(call.caller, '', 'session.write')) requireToken(known, request.sessionToken);
      if (known !== undefined) requireLive(call, known);
      const { row, token = request.sessionToken ?? '' } = await change(call, known, request);
      return { details: instanceDetails(call, row), sessionToken: token };
    },
  }),
  sessions('GetSession', 'GET /v2/sessions/:sessionId', 'authenticated', {
    request: {
      sessionToken: ruled(optionalText, { min: 1, max: 500 }),
    },
    response: wire.getSessionResponse,
    handle(call, { sessionId, sessionToken }) {
      const row = call.store.sessions.get(sessionId);
      if (row === undefined || row.terminated) throw refusal('QUERY-SFeaa');
      requireAccess(call, row, sessionToken, 'session.read');
      return { session: showSession(call, row) };
    },
  }),
  sessions('DeleteSession', 'DELETE /v2/sessions/:sessionId', 'authenticated', {
    bodyOnDelete: true,
    request: {
      sessionToken: optionalShortText,
    },
    handle(call, { sessionId, sessionToken }) {
      const row = call.store.sessions.get(sessionId);
      if (row === undefined) return {};
      requireAccess(call, row, sessionToken, 'session.delete');
      if (row.terminated) return instanceDetails(call, row);
      const changed = call.store.now();
      const ended = { ...row, terminated: true, changed, sequence: row.sequence + 1 };
      return instanceDetails(call, call.store.sessions.put(ended));
    },
  }),
];

/**
 * Runs the checks and stores the session with a new token. If a check fails or nothing changes, the session stays as it
 * was.
 */
async function change(
  call: Call,
  asked: SessionRow | undefined,
  { checks = {}, challenges, metadata, lifetime }: Changes,
) {
  const user = checks.user === undefined ? userOf(call, asked) : findUser(call, checks.user);
  if (checks.user !== undefined && asked?.userId !== undefined && user?.id !== asked.userId) {
    throw new ServiceError(grpcCodes.invalidArgument, 'user change not possible', { id: '' });
  }
  const at = call.store.now();
  const parts = Object.keys({ ...defined(checks), ...(challenges as object) });
  const unsupported = parts.find((name) => !['user', 'password', 'totp'].includes(name));
  refuseLacking(unsupported !== undefined, `check of ${unsupported}`);
  if (checks.password !== undefined)
    await checkPassword(call, existing(user, 'COMMAND-Sfw3f'), checks.password.password);
  if (checks.totp !== undefined) checkTotp(call, existing(user, 'COMMAND-8N9ds'), checks.totp.code);
  const known = existing(asked, 'COMMAND-Flk38');
  // A check takes time, so the session may have been changed or deleted meanwhile.
  const before = call.store.sessions.get(known.id) ?? known;
  requireLive(call, before);
  const token = randomBytes(64).toString('base64url');
  if (before.id === '') makeRoom(call.store.sessions, call.settings.keptRows);
  const { metadata: set = {} } = before;
  // An empty value removes the key.
  const kept = Object.entries({ ...set, ...(metadata as object) }).filter(([, value]) => value !== '');
  const changesMetadata = !isDeepStrictEqual(kept, Object.entries(set));
  const events = parts.length + Number(changesMetadata) + Number(lifetime !== '');
  if (before.id !== '' && events === 0) return { row: before };
  const row = call.store.sessions.put({
    ...before,
    id: before.id || call.store.nextId(),
    changed: at,
    sequence: before.sequence + events + 1,
    tokenHash: hashSecret(token),
    ...defined({
      expires: lifetime === '' ? undefined : at + durationMs(lifetime),
      userId: user?.id,
      userAt: checks.user && at,
      passwordAt: checks.password && at,
      totpAt: checks.totp && at,
      metadata: metadata === undefined ? undefined : Object.fromEntries(kept),
    }),
  });
  return { row, token };
}

function findUser(
  { store }: Call,
  { userId, loginName }: { userId?: string | undefined; loginName?: string | undefined },
) {
  const user = userId === undefined ? findByLoginName(store, loginName ?? '') : store.users.get(userId);
  if (user?.kind !== 'human') throw refusal('QUERY-Dfbg2');
  refuseIf(user.status !== 'active', 'SESSION-Gj4ko');
  return user;
}

const userOf = ({ store }: Call, row: SessionRow | undefined) => store.users.get(row?.userId ?? '');

function requireToken(row: SessionRow | undefined, token: string) {
  refuseIf(row?.tokenHash !== hashSecret(token), 'COMMAND-sGr42');
}

/** Allows access with the session's token, to its creator, to its user, and with the permission on the instance. */
function requireAccess(call: Call, row: SessionRow, token: string | undefined, permission: string) {
  const { id } = call.caller.user;
  if (token !== undefined) requireToken(row, token);
  else if (row.creator !== id && row.userId !== id) requirePermission(call, '', permission);
}

function requireLive({ store }: Call, row: SessionRow) {
  refuseIf(row.terminated === true, 'COMMAND-Hewfq');
  refuseIf(row.expires <= store.now(), 'COMMAND-Hkl3d');
}

function showSession(call: Call, row: SessionRow): Input<typeof wire.session> {
  const user = userOf(call, row);
  const verified = (at: number | undefined) => (at === undefined ? undefined : { verifiedAt: at });
  const factors = user && {
    user: {
      ...verified(row.userAt),
      id: user.id,
      loginName: loginNamesOf(call.store, user)[0] ?? user.userName,
      displayName: displayNameOf(user),
      organizationId: user.orgId,
    },
    password: verified(row.passwordAt),
    totp: verified(row.totpAt),
  };
  return {
    id: row.id,
    ...datesOf(row),
    sequence: String(row.sequence),
    factors,
    metadata: row.metadata,
    userAgent: row.userAgent,
    expirationDate: row.expires === never ? '' : row.expires,
  };
}
