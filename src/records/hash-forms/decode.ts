/**
 * Reads stored passwords by rows. The result is a hash string of the target, the password itself, or a reason with a
 * form to check.
 */
import {
  ambiguous,
  isProblem,
  malformed,
  type McfProblem,
  nameOf,
  none,
  peppered,
  type Recognised,
  unsupported,
  unverifiable,
} from '../mcf/algorithm.ts';
import { describeHex, md5Salted } from '../mcf/crypt.ts';
import { encodeArgon2, encodePbkdf2, encodeScrypt } from '../mcf/keyed.ts';
import { recognise } from '../mcf/recognise.ts';
import { isHex } from '../text.ts';
import { type Decoded, type Refused, type Bytes, type Digest, digestBytes, type SourceForm } from './form.ts';
import { fromBase64, toCount } from './encodings.ts';
import { literalOf } from './formula.ts';
import {
  type Pattern,
  toRegExp,
  type HashDecoder,
  type HashParts,
  type HashRow,
  type Inputs,
  type Kdf,
  textOf,
  kdfOf,
} from './row.ts';
import { stringRows } from './rows/strings.ts';
import {
  inputsOf,
  withDefaults,
  isGiven,
  describe,
  unpack,
  bytesOf,
  Unreadable,
  saltOf,
  keyOf,
  fill,
  countOf,
} from './row-inputs.ts';

/**
 * Decodes a stored password. Pure and never throws: what cannot be read is refused, with a reason that shows no part of
 * a hash.
 */
export function decodeHash({ rows }: Pick<HashDecoder, 'rows'>, parts: HashParts): Decoded {
  const inputs = inputsOf(parts);
  if (inputs['hash'] === '' && inputs['.'] === undefined) return none('the field is empty');
  return decodeRows(rows, inputs) ?? unsupported('unknown form');
}

/** Returns the result of the first row that fits, or undefined. */
function decodeRows(rows: readonly HashRow[], inputs: Inputs) {
  for (const row of rows) {
    const groups = matchRow(row, inputs);
    if (groups === undefined) continue;
    const decoded = decodeRow(row, { ...inputs, ...groups });
    if (decoded !== undefined) return decoded;
  }
  return undefined;
}

function matchRow({ hash, algorithm, when }: HashRow, inputs: Inputs): Inputs | undefined {
  const patterns: Readonly<Record<string, Pattern | undefined>> = { hash, algorithm, ...when };
  const groups: Record<string, string> = {};
  for (const [name, pattern] of Object.entries(patterns)) {
    if (pattern === undefined) continue;
    // Sources write algorithm names in either case. A hash in another case is damaged.
    const isExact = name === 'hash' || typeof pattern !== 'string';
    const regExp = toRegExp(isExact ? pattern : `(i)${pattern}`);
    const value = inputs[name] ?? '';
    const match = regExp.exec(typeof value === 'string' ? value : name);
    if (match === null) return undefined;
    for (const group in match.groups) {
      const text = match.groups[group];
      if (text !== undefined) groups[group] = text;
    }
  }
  if (groups['hash'] !== undefined) groups['raw'] = groups['hash'];
  return groups;
}

/** Returns undefined if the row hands over to other rows and none of them fits. */
export function decodeRow(row: HashRow, given: Inputs): Decoded | undefined {
  try {
    return answerOf(row, given);
  } catch (error) {
    if (error instanceof Unreadable) return error.problem;
    throw error;
  }
}

function answerOf(row: HashRow, given: Inputs): Decoded | undefined {
  const { as, doubt, refuse } = row;
  const read = row.read?.((name) => textOf(given, name));
  if (read !== undefined && isProblem(read)) return read;
  const inputs = withDefaults(row, read === undefined ? given : { ...given, ...read });
  if (as !== undefined) {
    const decoded = decodeRows(as, inputs);
    return decoded && asTyped(row, decoded, inputs);
  }
  const kdf = kdfOf(row);
  if (kdf === undefined) return refuse && describe(refuse, inputs);
  const unpacked = unpack(row, inputs);
  const decoded = asTyped(row, makers[kdf](row, unpacked), unpacked);
  if (doubt !== undefined && 'mcf' in decoded) return { ...decoded, doubt };
  if (refuse === undefined || !('code' in decoded) || decoded.code === 'password:unverifiable')
    return decoded;
  // A mark in front of the hash string is enough to know this, even if the string cannot be read.
  const isKnown = decoded.form !== undefined || inputs['text'] !== undefined;
  return isKnown ? { ...decoded, ...describe(refuse, inputs) } : decoded;
}

/**
 * Adds the form for rows with `typed`: the hash string only matches if what was hashed is typed instead of the
 * password.
 */
export function asTyped(row: HashRow, decoded: Decoded, inputs: Inputs) {
  if (row.typed === undefined || !('mcf' in decoded)) return decoded;
  const { mcf } = decoded;
  const form: SourceForm = { kind: 'mcf', mcf, of: fill(row, row.typed, { ...inputs, mcf }) };
  return row.refuse === undefined ? { mcf, form } : { ...describe(row.refuse, inputs), form };
}

/** With fewer bytes, many wrong passwords would match a key that was cut. */
const leastKeyBytes = 8;
const cutKey = malformed(`the key was cut: it has fewer than ${leastKeyBytes} bytes`);

/** Returns a function that makes a hash from salt and key. */
const keyed =
  (make: (salt: Buffer, key: Buffer, inputs: Inputs) => string | McfProblem) =>
  (row: HashRow, inputs: Inputs): Decoded => {
    const own = saltOf(row, inputs);
    const salt = row.salted === undefined ? own : literalOf(fill(row, row.salted, inputs));
    if (salt === undefined) return peppered('a secret is a part of the salt');
    const key = keyOf(row, inputs);
    const length = textOf(inputs, 'length');
    if (length !== '' && Number(length) !== key.length) {
      return malformed(`the key has ${key.length} bytes where the hash says ${nameOf(length)}`);
    }
    const mcf = make(salt, key, inputs);
    if (typeof mcf !== 'string') return mcf;
    if (key.length < leastKeyBytes) return cutKey;
    const found = recognise(mcf);
    return isProblem(found) ? { ...found, form: { kind: 'mcf', mcf, of: 'password' } } : { mcf };
  };

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const both = (salt: Buffer, key: Buffer) => ({ salt: base64(salt), key: base64(key) });
const makers: Readonly<Record<Kdf, (row: HashRow, inputs: Inputs) => Decoded>> = {
  mcf: (_, inputs) => decodeString(textOf(inputs, 'text') || textOf(inputs, 'hash')),
  plain: (_, inputs) => ({ plain: textOf(inputs, inputs['text'] === undefined ? 'raw' : 'text') }),
  // Settings may write the digest in either case.
  pbkdf2: keyed((salt, key, inputs) => {
    const digest = textOf(inputs, 'digest').toLowerCase();
    return encodePbkdf2({ digest, rounds: countOf(inputs, 'rounds'), ...both(salt, key) });
  }),
  scrypt: keyed((salt, key, inputs) => {
    // Parameter lines contain `1 << 15`.
    const ln = /^\s*1\s*<<\s*(\d{1,2})\s*$/.exec(textOf(inputs, 'n'))?.[1] ?? textOf(inputs, 'ln');
    const cost = ln === '' ? countOf(inputs, 'n') : 2 ** toCount(ln);
    return encodeScrypt({ cost, r: countOf(inputs, 'r'), p: countOf(inputs, 'p'), ...both(salt, key) });
  }),
  argon2: keyed((salt, key, inputs) => {
    const variant = textOf(inputs, 'variant');
    const [memory, time, threads] = [countOf(inputs, 'm'), countOf(inputs, 't'), countOf(inputs, 'p')];
    const version = Number(textOf(inputs, 'version') || 19);
    return encodeArgon2({ variant, version, memory, time, threads, ...both(salt, key) });
  }),
  digest: decodeDigest,
  apr1: decodeChecksum('apr1'),
  des: decodeChecksum('des-crypt'),
  firebase: decodeFirebase,
};

/** For rows whose form the target does not have. The rows themselves say why. */
function decodeChecksum(kind: 'apr1' | 'des-crypt') {
  return (_: HashRow, inputs: Inputs): Refused => ({
    ...unsupported(kind),
    form: { kind, salt: textOf(inputs, 'salt'), checksum: textOf(inputs, 'key') },
  });
}

/** Decodes a hash string. Plain hexadecimal digits do not show which form they have. */
function decodeString(source: string): Decoded {
  const text = source.trim();
  if (isHex(text)) return ambiguous(describeHex(text.length));
  const found = recognise(text);
  if (!isProblem(found)) return isCut(found) ? cutKey : { mcf: found.mcf };
  return decodeRows(stringRows, { hash: text }) ?? found;
}

function isCut({ mcf, verifier }: Recognised) {
  if (!/^(?:argon2|pbkdf2|scrypt)$/.test(verifier)) return false;
  const [key = ''] = mcf.slice(mcf.lastIndexOf('$') + 1).split('=');
  return key.length * 6 < leastKeyBytes * 8;
}

/** More rounds would delay a login for minutes. */
const maxRounds = 10_000_000;

/** Decodes a digest. The target only accepts MD5, with a text at one end of the password at most. */
function decodeDigest(row: HashRow, inputs: Inputs): Decoded {
  const expected = keyOf(row, inputs);
  const rounds = row.again === undefined ? 1 : countOf(inputs, 'rounds');
  if (!(rounds >= 1 && rounds <= maxRounds)) return malformed('the number of rounds cannot be read');
  const formulas = [row.of ?? []].flat();
  const typed = row.typed === undefined ? 'password' : fill(row, row.typed, inputs);
  const [first, ...others] = formulas.map((formula) => fill(row, formula, inputs, typed));
  const digest = first === undefined ? undefined : digestIn(first);
  const title = titleOf(row, inputs, digest, rounds);
  if (first === undefined || digest === undefined || expected.length !== digestBytes[digest]) {
    return malformed(`it is not ${title}`);
  }
  const again = row.again ? { again: fill(row, row.again, inputs) } : {};
  const forms = [first, ...others].map((of): SourceForm => ({
    kind: 'digest',
    expected: base64(expected),
    of: rounds === 1 ? of : { ...(of as Digest<never>), rounds, ...again },
  }));
  const form: SourceForm = others.length === 0 ? forms[0]! : { kind: 'any', of: forms };
  if (digest !== 'md5' || rounds > 1 || others.length > 0) return { ...unsupported(title), form };
  const md5 = md5Of(fill(row, formulas[0]!, inputs), expected);
  if (md5 === undefined) return { ...unsupported(title), form };
  return isProblem(md5) ? { ...md5, form } : { mcf: md5 };
}

function digestIn(made: Bytes) {
  if (typeof made !== 'object') return undefined;
  if ('digest' in made) return made.digest;
  return 'hmac' in made ? made.hmac : undefined;
}

function titleOf({ title, of }: HashRow, inputs: Inputs, digest = '', rounds: number) {
  if (title !== undefined) return describe(unsupported(title), inputs).detail;
  if (String(of).startsWith('hmac-')) return 'an HMAC of the password';
  const salted = isGiven(inputs['salt']) ? `salted ${digest}` : `a digest of ${digest}`;
  return rounds === 1 ? salted : `${salted}, ${rounds} times`;
}

/**
 * Returns an MD5 hash that the target can check, or why it cannot. Undefined if there is more than a text at one end of
 * the password.
 */
function md5Of(made: Bytes, expected: Buffer): string | McfProblem | undefined {
  const of = typeof made === 'object' && 'digest' in made ? made.of : undefined;
  if (of === 'password') return expected.toString('hex');
  const pieces = typeof of === 'object' && 'join' in of ? of.join : [];
  const salt = pieces.find((piece) => piece !== 'password');
  if (pieces.length !== 2 || !pieces.includes('password') || typeof salt !== 'object') return undefined;
  if (!('text' in salt)) return 'base64' in salt ? unsupported('md5 with a salt of bytes') : undefined;
  const position = pieces[0] === salt ? 'prefix' : 'suffix';
  const parts = md5Salted.decode(`$md5salted-${position}$${salt.text}$${base64(expected)}`);
  return isProblem(parts) ? unverifiable(parts.detail) : md5Salted.encode(parts);
}

/** Decodes Firebase's scrypt. The signer key is a secret of the project if it is not stored with the hash. */
function decodeFirebase(row: HashRow, inputs: Inputs): Decoded {
  const [memoryCost, rounds] = [countOf(inputs, 'memCost'), countOf(inputs, 'rounds')];
  const parallelization = toCount(textOf(inputs, 'p') || '1');
  const [salt, separator] = [textOf(inputs, 'salt'), textOf(inputs, 'separator')];
  const hash = textOf(inputs, 'key') || textOf(inputs, 'hash');
  const title = unsupported('scrypt in the form of Firebase');
  const named = bytesOf(inputs['signerKey'] ?? inputs['secret'], 'base64');
  const isBase64 = [salt, separator || salt, hash].every((text) => fromBase64(text) !== undefined);
  const isCost = memoryCost >= 1 && memoryCost <= 30 && rounds >= 1 && parallelization >= 1;
  if (named === undefined || !isBase64 || !isCost) return title;
  const signerKey: Bytes = named.length === 0 ? { secret: row.secret ?? '' } : { base64: base64(named) };
  const costs = { memoryCost, rounds, parallelization };
  return { ...title, form: { kind: 'firebase-scrypt', ...costs, salt, separator, signerKey, hash } };
}

/** Reports whether a hash string does not show if the password was altered before. */
export function hidesAlterations(mcf: string) {
  return /^\$(?:2[aby]|argon2|[156]|[PH]|S)(?:\$|id?\$)/.test(mcf);
}
