/**
 * Handles one call: finds the user, asks the old system about the password, and writes a right one to the service. In any
 * case the request goes back unchanged, and the service checks the password itself.
 */
import { isIP } from 'node:net';
import type { Clock } from '../../lib/clock.ts';
import { isPrivateAddress } from '../../lib/private-address.ts';
import { type JsonObject, objectOf, firstText } from '../../lib/json-value.ts';
import { isTooLong } from '../../records/password-policy.ts';
import type { WebhookCall } from '../../webhooks/call.ts';
import type { GuessLimits, Repeats, Recent } from './guess-limits.ts';
import type { Migrated } from './migrated-users.ts';
import type { LoginService } from './service.ts';
import { findListed, hasOwnPassword } from './listed-users.ts';
import type { UserList } from './user-list.ts';
import { isRight, type LoginAttempt, type VerifierChain } from './verifier.ts';

/** How a call can end. */
export const outcomes = {
  'no-password': 'The call has no password, as the first of two.',
  'no-user': 'The service has no such user, or no such session.',
  'not-listed': 'The user is not on the list.',
  'migrated-before': 'The user already has a password at the service.',
  'not-active': 'The user is locked, deactivated or initial at the service.',
  limited: 'Too many wrong passwords came before.',
  busy: 'There are more first logins than can be hashed in time.',
  'too-long': 'The password is over 72 bytes, the limit of bcrypt: the user has to set a new one.',
  unknown: 'No verifier knows the user.',
  wrong: 'The password is wrong.',
  migrated: 'The password was right and is now at the service.',
  failed: 'A verifier, the service or the receiver failed.',
  late: 'The time of the call was up; a right password was still written.',
} as const;
export type CallOutcome = keyof typeof outcomes;

export interface Decision {
  readonly outcome: CallOutcome;
  /** Empty if not known. */
  readonly userId: string;
  /** Name of the verifier that decided. Empty if none did. */
  readonly verifier: string;
}

export interface ReceiverParts {
  readonly service: LoginService;
  readonly list: UserList | undefined;
  /** Also migrate users who are not on the list, as long as they have no password at the service. */
  readonly anyUser: boolean;
  readonly migrated: Migrated;
  /** Runs work on one user's password alone, also across receivers with a shared state. */
  readonly alone: <Value>(userId: string, work: () => Promise<Value>) => Promise<Value>;
  readonly verifiers: VerifierChain;
  readonly byUser: GuessLimits;
  readonly byAddress: GuessLimits;
  readonly repeats: Repeats;
  /** User ids by login name, so that logins of migrated users need no lookup. */
  readonly loginNames: Recent<string>;
  /** Limits the first logins handled at the same time. */
  readonly slots: ReturnType<typeof createSlots>;
  /** Hashes a password for the service to store. */
  readonly hash: (password: string) => Promise<string>;
  readonly requireChange: boolean;
  readonly clock: Clock;
}

/**
 * Continues after the call has timed out, so that the user's next login finds the password. Throws errors of the service
 * and of hashing.
 */
export async function decide(call: Pick<WebhookCall, 'payload'>, parts: ReceiverParts): Promise<Decision> {
  const request = readRequest(call.payload);
  if (request.password === '') return { outcome: 'no-password', userId: '', verifier: '' };
  const { id: knownId, address = request.address } = await findId(request, parts);
  if (knownId !== undefined && (await parts.migrated.has(knownId))) {
    return { outcome: 'migrated-before', userId: knownId, verifier: '' };
  }
  const user = await findUser(request, knownId, parts);
  if (user === undefined) return { outcome: 'no-user', userId: '', verifier: '' };
  const end = (outcome: CallOutcome, verifier = ''): Decision => ({ outcome, userId: user.id, verifier });
  if (user.id !== knownId && (await parts.migrated.has(user.id))) return end('migrated-before');

  const listed = parts.list && (await findListed(user, parts.list, parts.service));
  if (listed === undefined && !parts.anyUser) return end('not-listed');
  if (!user.isActive) return end('not-active');
  if (isTooLong(request.password)) return end('too-long');
  const at = new Date(parts.clock.now()).toISOString();
  const entry = { at, id: user.id };
  const hasMigrated = async () => {
    const hasOwn = await hasOwnPassword(user.id, listed, parts.service);
    if (hasOwn) await parts.migrated.add({ ...entry, by: 'service' });
    return hasOwn;
  };
  if (await hasMigrated()) return end('migrated-before');

  const { loginName, userName, email } = user;
  const attempt = { userId: user.id, userName, loginName, email, password: request.password, listed };
  if (!parts.slots.take()) return end('busy');
  try {
    const answer = await parts.repeats(attempt, async () => {
      const answer = await askWithinLimits(attempt, address, parts);
      if (answer === 'limited' || !isRight(answer.verdict)) return answer;
      const changeRequired = parts.requireChange || answer.verdict === 'expired';
      const hash = await parts.hash(request.password);
      return parts.alone(user.id, async () => {
        // The user may have set a password meanwhile, and the service has no conditional write.
        if (await hasMigrated()) return 'migrated-before';
        await parts.service.writePassword(user.id, hash, changeRequired);
        await parts.migrated.add({ ...entry, by: answer.verifier });
        return answer;
      });
    });
    if (typeof answer === 'string') return end(answer);
    return end(isRight(answer.verdict) ? 'migrated' : answer.verdict, answer.verifier);
  } finally {
    parts.slots.free();
  }
}

/** A login without a free slot is answered at once. In a queue, all logins would exceed the time limit of their calls. */
export function createSlots(most: number) {
  let taken = 0;
  return {
    /** Returns false if no slot is free. */
    take: () => taken < most && taken++ < most,
    free: () => void taken--,
  };
}

/** Asks the verifiers. Only a wrong password stays counted, for the user and for the client's address. */
async function askWithinLimits(
  attempt: LoginAttempt,
  address: string,
  { byUser, byAddress, verifiers }: ReceiverParts,
) {
  if (!(await byUser.take(attempt.userId))) return 'limited';
  if (address !== '' && !(await byAddress.take(address))) {
    await byUser.giveBack(attempt.userId);
    return 'limited';
  }
  const answer = await verifiers.ask(attempt);
  if (answer.verdict === 'wrong') return answer;
  if (address !== '') await byAddress.giveBack(address);
  if (isRight(answer.verdict)) await byUser.forget(attempt.userId);
  else await byUser.giveBack(attempt.userId);
  return answer;
}

type LoginRequest = ReturnType<typeof readRequest>;

/** Reads what matters from a CreateSession or SetSession request. Absent fields are empty. */
function readRequest(payload: unknown) {
  const request = objectIn(payload, 'request');
  const checks = objectIn(request, 'checks');
  const user = objectIn(checks, 'user');
  return {
    password: firstText(objectIn(checks, 'password'), 'password'),
    userId: firstText(user, 'userId'),
    loginName: firstText(user, 'loginName'),
    sessionId: firstText(request, 'sessionId'),
    /** The browser's IP address, from the request's `userAgent` or from the forwarded headers. */
    address:
      publicAddress(firstText(objectIn(request, 'userAgent'), 'ip')) ??
      forwardedFor(objectIn(payload, 'headers')),
  };
}

const objectIn = (value: unknown, name: string) => objectOf(objectOf(value)[name]);

function forwardedFor(headers: JsonObject) {
  for (const [name, value] of Object.entries(headers)) {
    if (name.toLowerCase() !== 'x-forwarded-for') continue;
    const first: unknown = Array.isArray(value) ? value[0] : value;
    return publicAddress(typeof first === 'string' ? (first.split(',')[0] ?? '').trim() : '') ?? '';
  }
  return '';
}

/** Ignores private addresses. They belong to a proxy or to the login pages, which all users share. */
function publicAddress(address = '') {
  return isIP(address) === 0 || isPrivateAddress(address) ? undefined : address;
}

type Lookups = Pick<ReceiverParts, 'service' | 'loginNames'>;

/** The id is absent if the login name has to be looked up, or if there is no such session. */
async function findId(request: LoginRequest, { service, loginNames }: Lookups) {
  if (request.userId !== '') return { id: request.userId };
  if (request.loginName !== '') return { id: loginNames.get(request.loginName) };
  if (request.sessionId === '') return {};
  // The second step of a login does not contain the browser's address.
  const { id, address } = await service.userOfSession(request.sessionId);
  return { id, address: publicAddress(address) };
}

async function findUser(
  { loginName }: LoginRequest,
  knownId: string | undefined,
  { service, loginNames }: Lookups,
) {
  if (knownId !== undefined) return service.findUser(knownId);
  if (loginName === '') return undefined;
  const user = await service.findByLoginName(loginName);
  if (user !== undefined) loginNames.put(loginName, user.id);
  return user;
}
