/**
 * Predicts the server's answer to a hash at an import, even if it accepts a hash that it could never verify. The grammar is the
 * one of the server's hash library (github.com/zitadel/passwap 0.12.1).
 */
import { trimEndOf } from '../lib/strings.ts';
import { isStrictBase64, cryptValue } from '../records/mcf/base64.ts';
import {
  type AlgorithmName,
  type HashDescription,
  type HashParameters,
  type VerifierName,
  verifierNames,
} from '../records/mcf/algorithm.ts';
import { pbkdf2Digests } from '../records/mcf/keyed.ts';
import { defaultRounds } from '../records/mcf/crypt.ts';
import type { TargetProfile } from '../wire/profile.ts';
import { isEnabled, findViolations } from './check-hash.ts';

/**
 * `CRYPT-5uV9n`: a cost is outside the limits. `CRYPT-r8Qm2`: a verifier reports that it cannot read the text. `CRYPT-2xK7d`: no
 * verifier knows the text. `panic`: the server answers 500 to a single call and crashes in a bulk import.
 */
type ServerVerdict = 'ok' | 'CRYPT-5uV9n' | 'CRYPT-r8Qm2' | 'CRYPT-2xK7d' | 'panic';

/** Result of one verifier. After `silent` and `error`, the next verifier is tried. */
type Reading = 'silent' | 'error' | 'panic' | Pick<HashDescription, 'algorithm' | 'parameters'>;

/** Returns the exact answer of the server. An empty hash is accepted as no hash. */
export function serverVerdict(mcf: string, { passwordHasher }: TargetProfile): ServerVerdict {
  if (mcf === '') return 'ok';
  let reported = false;
  for (const verifier of verifierNames) {
    if (!isEnabled(verifier, passwordHasher)) continue;
    const reading = readings[verifier](mcf);
    if (reading === 'panic') return 'panic';
    if (reading === 'error') reported = true;
    if (typeof reading === 'string') continue;
    if (findViolations({ ...reading, verifier }, passwordHasher.limits).length > 0) return 'CRYPT-5uV9n';
    const { r = 0, p = 0 } = reading.parameters;
    // scrypt has its own limit, which is not one of the settings.
    return r * p > 2 ** 30 ? 'CRYPT-r8Qm2' : 'ok';
  }
  return reported ? 'CRYPT-r8Qm2' : 'CRYPT-2xK7d';
}

/** Reports whether the server accepts the hash of a recovery code. It only looks at the beginning and only knows bcrypt. */
export function isRecoveryCodeHash(mcf: string) {
  return mcf.startsWith('$2');
}

const readings: Readonly<Record<VerifierName, (text: string) => Reading>> = {
  argon2: readArgon2,
  bcrypt: readBcrypt,
  drupal7(text) {
    const log2 = cryptValue(text, 3);
    if (!text.startsWith('$S$') || Buffer.byteLength(text) !== 55 || log2 < 0) return 'error';
    return { algorithm: 'drupal7', parameters: { iterations: log2 > 62 ? 0 : 2 ** log2 } };
  },
  md5: (text) => (text.startsWith('$1$') && scanFields(text, ' 1 %s %s') ? accepted('md5-crypt') : 'error'),
  md5plain: (text) => (text.length % 2 === 0 && /^[0-9a-f]*$/i.test(text) ? accepted('md5') : 'error'),
  md5salted(text) {
    if (!text.startsWith('$md5salted')) return 'silent';
    const name = scanFields(text, ' %s %s %s')?.[0];
    return name === 'md5salted-prefix' || name === 'md5salted-suffix' ? accepted(name) : 'error';
  },
  pbkdf2: readPbkdf2,
  phpass(text) {
    if (!(text.startsWith('$P$') || text.startsWith('$H$')) || Buffer.byteLength(text) !== 34) return 'error';
    return { algorithm: 'phpass', parameters: { rounds: cryptValue(text, 3) } };
  },
  scrypt: readScrypt,
  sha2: readSha2,
};

function accepted(algorithm: AlgorithmName, parameters: HashParameters = {}): Reading {
  return { algorithm, parameters };
}

/** golang.org/x/crypto/bcrypt looks only at length, version and cost. */
function readBcrypt(text: string): Reading {
  if (text === '$2') return 'panic';
  const bytes = Buffer.from(text);
  if (!/^\$2[aby]/.test(text) || bytes.length < 59) return 'error';
  const cost = goAtoi(bytes.toString('latin1', 4, 6));
  return cost === undefined || cost < 4n || cost > 31n ? 'error' : accepted('bcrypt', { cost: Number(cost) });
}

function readArgon2(text: string): Reading {
  if (!text.startsWith('$argon2')) return 'silent';
  const [name, version, memory, time, threads, salt, key] =
    scanFields(text, ' %s v=%i64 m=%u32,t=%u32,p=%u8 %s %s') ?? [];
  if ((name !== 'argon2i' && name !== 'argon2id') || version !== 19n) return 'error';
  if (!isStrict(salt) || !isStrict(key)) return 'error';
  return accepted(name, { time: Number(time), memory: Number(memory), threads: Number(threads) });
}

function readPbkdf2(text: string): Reading {
  if (!text.startsWith('$pbkdf2')) return 'silent';
  const [name, rounds, salt, key] = scanFields(text, ' %s %u32 %s %s') ?? [];
  const digest = pbkdf2Digests.find((digest) => name === (digest === 'sha1' ? 'pbkdf2' : `pbkdf2-${digest}`));
  if (digest === undefined || !isLax(salt) || !isLax(key)) return 'error';
  return accepted(`pbkdf2-${digest}`, { rounds: Number(rounds) });
}

function readScrypt(text: string): Reading {
  if (!text.startsWith('$scrypt$') && !text.startsWith('$7$')) return 'silent';
  const [, ln, r, p, salt, key] = scanFields(text, ' %s ln=%i64,r=%i64,p=%i64 %s %s') ?? [];
  if (!isStrict(salt) || !isStrict(key)) return 'error';
  return accepted('scrypt', { ln: Number(ln), r: Number(r), p: Number(p) });
}

/** This reader splits instead of scanning, so blanks may be anywhere. */
function readSha2(text: string): Reading {
  const parts = text.split('$');
  const [, name, first = ''] = parts;
  if (parts.length < 4 || parts.length > 5 || (name !== '5' && name !== '6')) return 'error';
  const rounds = first.startsWith('rounds=') ? goAtoi(first.slice('rounds='.length)) : BigInt(defaultRounds);
  if (rounds === undefined) return 'error';
  return accepted(name === '5' ? 'sha256-crypt' : 'sha512-crypt', {
    rounds: rounds === 0n ? defaultRounds : Number(rounds),
  });
}

/** Scans like the library, which first replaces dollar signs by blanks. */
function scanFields(text: string, format: string) {
  return scan(text.replaceAll('$', ' '), format);
}

function isStrict(text: Scanned[number] | undefined) {
  return typeof text === 'string' && isStrictBase64(text);
}

/** Accepts the standard alphabet if there is a plus sign, otherwise passlib's, with any number of `=` at the end. */
function isLax(text: Scanned[number] | undefined) {
  if (typeof text !== 'string') return false;
  const body = trimEndOf(text, '=');
  const alphabet = body.includes('+') ? /^[A-Za-z0-9+/]*$/ : /^[A-Za-z0-9./]*$/;
  return body.length % 4 !== 1 && alphabet.test(body);
}

/** Go's `strconv.Atoi`: accepts a leading sign and 64 bits. Returns undefined for other text. */
function goAtoi(text: string) {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** Ranges of whole numbers, by the Go type into which they are read. `%s` is a word. */
const bounds: Readonly<Record<string, readonly [min: bigint, max: bigint]>> = {
  '%i64': [-(2n ** 63n), 2n ** 63n - 1n],
  '%u32': [0n, 2n ** 32n - 1n],
  '%u8': [0n, 255n],
};

/** Go's white space without the line break. JavaScript's `\s` includes U+FEFF and lacks U+0085. */
const blank = '\t\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000';

type Scanned = readonly (string | bigint)[];

/**
 * Returns the words and numbers found, or undefined if Go would report an error. A blank in the format matches one or more
 * blanks, but no line break. Text after the last item is ignored.
 */
function scan(text: string, format: string): Scanned | undefined {
  const verbs: string[] = [];
  const pattern = format.replaceAll(/%[a-z0-9]+| /g, (item) => {
    if (item === ' ') return `(?:[${blank}]+|$)`;
    verbs.push(item);
    const sign = bounds[item]?.[0] === 0n ? '' : '[+-]?';
    return `[${blank}]*(${item === '%s' ? `[^\\n${blank}]+` : `${sign}\\d+`})`;
  });
  const found = new RegExp(`^${pattern}`).exec(text)?.slice(1);
  const values = found?.map((token, at) => {
    const range = bounds[verbs[at]!];
    if (range === undefined) return token;
    const value = BigInt(token.replace('+', ''));
    return value >= range[0] && value <= range[1] ? value : undefined;
  });
  return values?.every((value) => value !== undefined) ? values : undefined;
}
