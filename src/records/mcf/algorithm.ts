/** Types of password hashes: their algorithms, what a hash string turns out to be, and which costs are too high. */
import type { ReasonCode } from '../reasons.ts';

/** Names of the target's verifiers in its settings (`SystemDefaults.PasswordHasher.Verifiers`). */
export const verifierNames = [
  'argon2',
  'bcrypt',
  'drupal7',
  'md5',
  'md5plain',
  'md5salted',
  'pbkdf2',
  'phpass',
  'scrypt',
  'sha2',
] as const;
export type VerifierName = (typeof verifierNames)[number];

/** Names under which hashes are counted here. They are finer than verifiers, because limits and remedies are. */
export const algorithmNames = [
  'argon2i',
  'argon2id',
  'bcrypt',
  'drupal7',
  'md5',
  'md5-crypt',
  'md5salted-prefix',
  'md5salted-suffix',
  'pbkdf2-sha1',
  'pbkdf2-sha224',
  'pbkdf2-sha256',
  'pbkdf2-sha384',
  'pbkdf2-sha512',
  'phpass',
  'scrypt',
  'sha256-crypt',
  'sha512-crypt',
] as const;
/** No target has a verifier for the last two. They are checked at a first login. */
export type AlgorithmName = (typeof algorithmNames)[number] | 'argon2d' | `pbkdf2-sha3-${number}`;

/**
 * The cost of a hash, under the names of the target's limits: bcrypt `cost`; argon2 `time`, `memory` (KiB), `threads`;
 * scrypt `ln`, `r`, `p`; pbkdf2 and sha2 `rounds`; phpass `rounds` (logarithm to base 2); drupal7 `iterations`.
 */
export type HashParameters = Readonly<Record<string, number>>;

export interface HashDescription {
  readonly algorithm: AlgorithmName;
  /** Verifier of the target that would check this hash. */
  readonly verifier: VerifierName;
  readonly parameters: HashParameters;
}

/** A hash that a verifier of the target can check. */
export interface Recognised extends HashDescription {
  /** Canonical form, as written into an import body. Secret. */
  readonly mcf: string;
}

/** Why the target cannot check a text as a hash. `detail` never contains a part of the hash. */
export interface McfProblem {
  readonly code: Extract<ReasonCode, `password:${string}`>;
  readonly detail: string;
}

/** One algorithm, or a few that only differ in name: how it is read, written and described. */
export interface HashAlgorithm<Parts> {
  /** What is between the first two dollar signs. Empty for md5, which has none. */
  readonly identifiers: readonly string[];
  readonly decode: (text: string) => Parts | McfProblem;
  /** Returns the canonical form: `encode(decode(text))` is the same for all forms of a hash. */
  readonly encode: (parts: Parts) => string;
  readonly describe: (parts: Parts) => HashDescription;
  /** Resolves to whether the hash was made from the password. No limits apply, so a costly hash takes its time. */
  readonly check: (parts: Parts, password: Buffer) => Promise<boolean>;
}

export function isProblem(value: object | string): value is McfProblem {
  return typeof value === 'object' && 'code' in value;
}

const because =
  (code: McfProblem['code']) =>
  (detail: string): McfProblem => ({ code, detail });

export const none = (detail = 'the source marks the account as one without a password'): McfProblem => ({
  code: 'password:none',
  detail,
});
/** The hash was made from something other than the password. */
export const prehashed = because('password:prehashed');
/** The hash was made from the password and a secret. */
export const peppered = because('password:peppered');
/** The text could be one of several kinds of hash, and a wrong guess would lock the user out. */
export const ambiguous = because('password:ambiguous-format');
/** The hash cannot be read. */
export const malformed = because('password:malformed');
/** No verifier supports this way of hashing. */
export const unsupported = because('password:algorithm-unsupported');
/** A verifier would accept the hash, but no password would ever match. */
export const unverifiable = because('password:unverifiable');
export const encrypted = because('password:encrypted-by-source');
export const redacted = because('password:redacted');
export const notGiven = because('password:not-given');

/** Returns a name from a source for a detail, if it is short and plain. */
export function nameOf(text: string) {
  return /^[\w.+-]{1,24}$/.test(text) ? text : 'unknown';
}

/** What names of schemes consist of in directories and Dovecot: `{SSHA}`, `{SHA512-CRYPT}`, `{PBKDF2-HMAC-SHA256}`. */
const schemeWords = new Set(
  (
    '1 256 384 512 3des aes aes128 aes256 apr1 argon2 argon2i argon2id b64 base64 bcrypt blf blowfish bsdmd5 clear cleartext cram crypt ' +
    'des digest gost hex hmac kerberos lanman ldap md4 md5 ns mta ntlm otp pbkdf2 pkcs5s2 plain radius rc4 sasl scram scrypt sha sha1 ' +
    'sha256 sha384 sha512 skey smd5 ssha ssha256 ssha384 ssha512 totp1 totp256 totp512 unix yescrypt'
  ).split(' '),
);

/** The text in braces is named only if it is a scheme: a password in plain text may begin with braces as well. */
export function ldapScheme(name: string) {
  const words = name.toLowerCase().split(/[-_.]/);
  return unsupported(`LDAP scheme {${words.every((word) => schemeWords.has(word)) ? name : 'unknown'}}`);
}

/** The hash string that was last written or read. The check against the target asks for it next. */
let latest: Recognised | undefined;

/** Returns the hash string of the parts and its description, and keeps them for `recall`. */
export function remember<Parts>({ encode, describe }: HashAlgorithm<Parts>, parts: Parts): Recognised {
  return (latest = { mcf: encode(parts), ...describe(parts) });
}

/** Returns the description of the latest hash string, or undefined for any other. */
export const recall = (mcf: string) => (latest?.mcf === mcf ? latest : undefined);

/**
 * Highest costs, by the names of `HashParameters`. They are far above what login systems use. scrypt's `size` is N × r
 * × p, here 512 MiB. Argon2 may use 512 MiB as well. PBKDF2 runs in native code, which does not stop at once with its
 * thread, so it is limited to a few seconds of work.
 */
const highest: Readonly<Partial<Record<VerifierName, Readonly<Record<string, number>>>>> = {
  argon2: { time: 64, memory: 524_288, threads: 64 },
  bcrypt: { cost: 18 },
  drupal7: { iterations: 2 ** 24 },
  pbkdf2: { rounds: 5_000_000 },
  phpass: { rounds: 24 },
  scrypt: { size: 2 ** 22 },
  sha2: { rounds: 10_000_000 },
};

/** Returns why one check of such a hash would take too much (`time 4294967295 is beyond 64`), or undefined. */
export function tooCostly({ verifier, parameters }: Pick<HashDescription, 'verifier' | 'parameters'>) {
  const { ln = 0, r = 0, p = 0 } = parameters;
  const costs = verifier === 'scrypt' ? { size: 2 ** ln * r * p } : parameters;
  for (const [name, most] of Object.entries(highest[verifier] ?? {})) {
    const cost = costs[name] ?? 0;
    if (!(cost <= most)) return `${name} ${cost} is beyond ${most}`;
  }
  return undefined;
}
