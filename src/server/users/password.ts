/** Passwords and one-time passwords: policy, imported hashes, checks at login, lockout. */
import { randomBytes, createHmac, timingSafeEqual } from 'node:crypto';
import { bcrypt } from 'hash-wasm';
import { isEnabled } from '../../profiles/check-hash.ts';
import { serverVerdict } from '../../profiles/server-verdict.ts';
import { isProblem } from '../../records/mcf/algorithm.ts';
import { recognise, verifyPassword as verifyHash } from '../../records/mcf/recognise.ts';
import { findWeakness, isTooLong, type Weakness } from '../../records/password-policy.ts';
import type { TargetProfile } from '../../wire/profile.ts';
import type { ServerState } from '../method.ts';
import { existing, refusal, unknownError, refuseIf } from '../errors.ts';
import type { OrgRow, UserRow } from '../store/rows.ts';
import { decodeBase32 } from '../../lib/base32.ts';

/** Error ids by version of the API, after its prefix. */
const weaknessIds = {
  MinLength: 'HuJf6',
  HasLower: 'co3Xw',
  HasUpper: 'VoaRj',
  HasNumber: 'ZBv4H',
  HasSymbol: 'ZDLwA',
} as const satisfies Record<Weakness, string>;
const prefixes = { v1: 'DOMAIN', v2: 'COMMA' } as const;

/** Hashes a password after checking the policy. The service uses bcrypt, which refuses passwords that it would truncate. */
export async function hashNewPassword(
  state: ServerState,
  org: OrgRow,
  password: string,
  version: keyof typeof prefixes,
) {
  const policy = org.passwordComplexityPolicy ?? state.store.instance.passwordComplexity;
  const weakness = findWeakness(policy, password);
  if (weakness !== undefined) throw refusal(`${prefixes[version]}-${weaknessIds[weakness]}`);
  if (isTooLong(password)) throw unknownError('bcrypt: password length exceeds 72 bytes');
  const hash = await state.settings.hashPassword(password);
  // The organization may have been removed meanwhile.
  existing(state.store.orgs.get(org.id), 'COMMAND-QXPGs');
  return hash;
}

/** Throws if the service's hash library would refuse the hash. `''` means no hash. */
export function checkHash(state: ServerState, hash: string) {
  const verdict = serverVerdict(hash, state.settings.profile);
  if (verdict !== 'ok') throw refusal(verdict === 'panic' ? 'RECOVER' : verdict);
}

/** Cost of new bcrypt hashes. The real service uses 14, which takes over a second per hash, too slow for a rehearsal. */
const cost = 10;

/** Returns a password check that rejects if no enabled verifier knows the hash. Cost limits only apply at imports. */
export function createPasswordCheck(profile: TargetProfile) {
  return async (password: string, hash: string) => {
    const found = recognise(hash);
    if (isProblem(found)) throw new Error(found.detail);
    if (!isEnabled(found.verifier, profile.passwordHasher)) throw new Error(`${found.verifier} is off`);
    const verdict = await verifyHash(hash, password);
    if (typeof verdict !== 'boolean') throw new Error(verdict.detail);
    return verdict;
  };
}

export function hashPassword(password: string) {
  return bcrypt({ password, salt: randomBytes(16), costFactor: cost, outputType: 'encoded' });
}

/** Throws if the password is wrong. Failures are counted and may lock the user. A hash other than bcrypt is replaced. */
export async function checkPassword(state: ServerState, user: UserRow, password: string) {
  const { store, settings } = state;
  refuseIf(user.status === 'locked', 'COMMAND-JLK35');
  refuseIf(user.passwordHash === '', 'COMMAND-3nJ4t');
  const right = await settings.verifyPassword(password, user.passwordHash).catch(() => {
    throw refusal('COMMAND-CahN2');
  });
  const row = rereadUser(store, user.id);
  refuseIf(row.status === 'locked', 'COMMAND-SFA3t');
  if (!right) throw refusal('COMMAND-3M0fs', { failedAttempts: countFailure(state, row, 'failedAttempts') });
  const foreign = !row.passwordHash.startsWith('$2');
  // The service rehashes everything that is not bcrypt of its own cost, and bcrypt refuses more than 72 bytes.
  refuseIf(isTooLong(password) && !/^\$2[aby]\$14\$/.test(row.passwordHash), 'COMMAND-CahN2');
  if (!foreign && row.failedAttempts === undefined) return;
  const renewed = foreign ? await settings.hashPassword(password) : row.passwordHash;
  const now = rereadUser(store, user.id);
  const passwordHash = now.passwordHash === row.passwordHash ? renewed : now.passwordHash;
  store.users.put({ ...now, passwordHash, failedAttempts: undefined, sequence: now.sequence + 1 });
}

/** Reads a user again, because it may have changed or been deleted while a hash was computed. */
const rereadUser = ({ users }: ServerState['store'], id: string) => existing(users.get(id), 'QUERY-Dfbg2');

/** Counts a wrong attempt and returns the number since the last correct one. The organization's limit locks the user. */
function countFailure({ store }: ServerState, user: UserRow, counter: 'failedAttempts' | 'failedCodes') {
  const failures = (user[counter] ?? 0) + 1;
  const { maxPasswordAttempts = 0, maxOtpAttempts = 0 } = store.orgs.get(user.orgId)?.lockoutPolicy ?? {};
  const most = counter === 'failedAttempts' ? maxPasswordAttempts : maxOtpAttempts;
  const status = most > 0 && failures >= most ? 'locked' : user.status;
  store.users.put({ ...user, status, [counter]: failures, sequence: user.sequence + 1 });
  return failures;
}

/** Throws if the TOTP code is wrong. Failures are counted and may lock the user. */
export function checkTotp(state: ServerState, checked: UserRow, code: string) {
  const { store } = state;
  // The check of the password may have changed the row.
  const user = rereadUser(store, checked.id);
  const { otpSecret, failedCodes } = user;
  if (otpSecret === undefined) throw refusal('COMMAND-3Mif9s');
  refuseIf(user.status === 'locked', 'COMMAND-SF3fg');
  if (!verifyTotp(otpSecret, code, store.now())) {
    countFailure(state, user, 'failedCodes');
    throw refusal('EVENT-8isk2');
  }
  if (failedCodes !== undefined)
    store.users.put({ ...user, failedCodes: undefined, sequence: user.sequence + 1 });
}

/** Milliseconds of a TOTP step (RFC 6238). As in the service: SHA-1, six digits, thirty seconds. */
const step = 30_000;

/** Reports whether the code is that of the current step, the one before or the one after. */
function verifyTotp(secret: string, code: string, now: number) {
  const key = decodeBase32(secret);
  if (key === undefined) return false;
  const given = Buffer.from(code);
  return [-1, 0, 1].some((offset) => {
    const expected = Buffer.from(totpCode(key, Math.floor(now / step) + offset));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

function totpCode(key: Uint8Array, counter: number) {
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(BigInt(counter));
  const mac = createHmac('sha1', key).update(message).digest();
  const number = mac.readUInt32BE(mac[19]! & 15) & 0x7fff_ffff;
  return String(number % 1_000_000).padStart(6, '0');
}
