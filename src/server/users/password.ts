/** A new password or a hash of an old one in, a refusal thrown when the org or the server does not take it. */
import { serverVerdict } from '../../profiles/server-verdict.ts';
import type { ServerVerdict } from '../../profiles/server-verdict.ts';
import { grpcCodes } from '../../wire/errors.ts';
import type { TargetProfile } from '../../wire/profile.ts';
import type { ServerState } from '../context.ts';
import { panicked, refusal, unknown } from '../errors.ts';
import type { OrgRow } from '../store/rows.ts';

const policyText = (what: string): string => `Errors.User.PasswordComplexityPolicy.${what}`;

const classes = [
  ['hasLowercase', /[a-z]/, 'DOMAIN-co3Xw', 'HasLower'],
  ['hasUppercase', /[A-Z]/, 'DOMAIN-VoaRj', 'HasUpper'],
  ['hasNumber', /[0-9]/, 'DOMAIN-ZBv4H', 'HasNumber'],
  ['hasSymbol', /[^A-Za-z0-9]/, 'DOMAIN-ZDLwA', 'HasSymbol'],
] as const;

/** Length counts bytes. The org's own policy, else the instance's. */
export function checkPasswordPolicy(state: ServerState, org: OrgRow, password: string): void {
  const policy = org.passwordComplexityPolicy ?? state.store.instance.passwordComplexity;
  if (Buffer.byteLength(password) < Number(policy.minLength)) {
    throw refusal(grpcCodes.invalidArgument, 'DOMAIN-HuJf6', policyText('MinLength'));
  }
  for (const [name, pattern, id, text] of classes) {
    if (policy[name] && !pattern.test(password)) {
      throw refusal(grpcCodes.invalidArgument, id, policyText(text));
    }
  }
}

/** The hasher of the service is bcrypt, which refuses what it could only cut. */
export async function hashNewPassword(state: ServerState, org: OrgRow, password: string): Promise<string> {
  checkPasswordPolicy(state, org, password);
  if (Buffer.byteLength(password) > 72) throw unknown('bcrypt: password length exceeds 72 bytes');
  return state.settings.hashPassword(password);
}

const verdictTexts = {
  'CRYPT-5uV9n': 'Errors.User.Password.Invalid',
  'CRYPT-r8Qm2': 'Errors.User.Password.Invalid',
  'CRYPT-2xK7d': 'Errors.Hash.NotSupported',
} as const;

/**
 * The part of a hash that its verdict hangs on, where the rest is sound base64 of any content: `$pbkdf2-sha256$27500$`,
 * `$2a$10$`. Undefined for every other text: other families look closer at padding, or at the length of the whole.
 * Plain loops: an import asks this for every person.
 */
function beginningOf(hash: string): string | undefined {
  if (hash.length === 60 && /^\$2[aby]\$\d\d\$/.test(hash)) return hash.slice(0, 7);
  if (!hash.startsWith('$pbkdf2')) return undefined;
  const rounds = hash.indexOf('$', 1) + 1;
  const salt = hash.indexOf('$', rounds) + 1;
  const key = hash.indexOf('$', salt) + 1;
  if (rounds === 0 || salt === 0 || key === 0 || salt > 30) return undefined;
  if (!isNumber(hash, rounds, salt - 1)) return undefined;
  return isBase64(hash, salt, key - 1) && isBase64(hash, key, hash.length) ? hash.slice(0, salt) : undefined;
}

function isNumber(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x30 || unit > 0x39) return false;
  }
  return end > start;
}

/** Standard alphabet, at least two characters, up to two `=` at the end. */
function isBase64(text: string, start: number, stop: number): boolean {
  let end = stop;
  while (end > stop - 2 && text.charCodeAt(end - 1) === 0x3d) end--;
  const length = end - start;
  if (length < 2 || length % 4 === 1) return false;
  for (let i = start; i < end; i++) {
    const unit = text.charCodeAt(i);
    const letter = (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a;
    // `/` and the digits stand side by side.
    if (!letter && !(unit >= 0x2f && unit <= 0x39) && unit !== 0x2b) return false;
  }
  return true;
}

const verdicts = new WeakMap<TargetProfile, Map<string, ServerVerdict>>();

/** An import brings thousands of hashes of one kind; the library is asked once for each kind. */
export function judgeHash(hash: string, profile: TargetProfile): ServerVerdict {
  const beginning = beginningOf(hash);
  if (beginning === undefined) return serverVerdict(hash, profile);
  const known = verdicts.get(profile) ?? new Map<string, ServerVerdict>();
  verdicts.set(profile, known);
  const before = known.get(beginning);
  if (before !== undefined) return before;
  const verdict = serverVerdict(hash, profile);
  if (known.size < 1000) known.set(beginning, verdict);
  return verdict;
}

/** Judges a hash as the server's hash library does; `''` is no hash and fine. */
export function checkHash(state: ServerState, hash: string): void {
  const verdict = judgeHash(hash, state.settings.profile);
  if (verdict === 'ok') return;
  if (verdict === 'panic') throw panicked();
  throw refusal(grpcCodes.invalidArgument, verdict, verdictTexts[verdict]);
}
