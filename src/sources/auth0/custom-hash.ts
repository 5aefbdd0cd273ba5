/**
 * Converts `custom_password_hash` of Auth0's bulk import schema to modular crypt format.
 * The schema: auth0.com/docs/manage-users/user-migration/bulk-user-import-database-schema-and-examples.
 */
import {
  isProblem,
  malformed,
  type McfProblem,
  nameOf,
  unsupported,
  unverifiable,
} from '../../records/mcf/algorithm.ts';
import type { Base64Encoding } from '../../records/mcf/base64.ts';
import { md5Salted } from '../../records/mcf/md5.ts';
import { encodePbkdf2 } from '../../records/mcf/pbkdf2.ts';
import { recognise } from '../../records/mcf/recognise.ts';
import { encodeScrypt } from '../../records/mcf/scrypt.ts';
import { firstText, isObject, type JsonObject, readJsonCount } from '../../lib/json-value.ts';
import { isHex } from '../../records/text.ts';

/** Never throws, whatever the object holds; the details never show a hash, a salt or a key. */
export function convertCustomHash(custom: unknown, encoding: Base64Encoding = 'padded'): string | McfProblem {
  if (!isObject(custom)) return malformed('custom_password_hash is not an object');
  const algorithm = typeof custom['algorithm'] === 'string' ? custom['algorithm'].toLowerCase() : '';
  const convert = algorithms.get(algorithm);
  if (convert === undefined) return unsupported(`algorithm ${nameOf(algorithm)}`);
  const passwordEncoding =
    firstText(isObject(custom['password']) ? custom['password'] : {}, 'encoding') || 'utf8';
  if (!/^(?:utf-?8|ascii)$/i.test(passwordEncoding)) {
    return unverifiable(`the password was hashed as ${nameOf(passwordEncoding)}, not as UTF-8`);
  }
  const hash = isObject(custom['hash']) ? custom['hash'] : {};
  return firstText(hash, 'value') === ''
    ? malformed('custom_password_hash has no hash.value')
    : convert(hash, custom, encoding);
}

type Convert = (hash: JsonObject, custom: JsonObject, encoding: Base64Encoding) => string | McfProblem;

const algorithms: ReadonlyMap<string, Convert> = new Map<string, Convert>([
  ['argon2', convertWhole],
  ['bcrypt', convertWhole],
  ['pbkdf2', convertPbkdf2],
  ['scrypt', convertScrypt],
  ['md5', convertMd5],
]);

/** The value is a complete hash string. */
function convertWhole(hash: JsonObject): string | McfProblem {
  const found = recognise(firstText(hash, 'value').trim());
  return isProblem(found) ? found : found.mcf;
}

/** `$pbkdf2-sha512$i=100000,l=64$<salt>$<key>`: the form of PHC, whose parameters the target does not read. */
function convertPbkdf2(hash: JsonObject, _custom: JsonObject, encoding: Base64Encoding): string | McfProblem {
  const text = firstText(hash, 'value').trim();
  const match = /^\$pbkdf2(?:-(sha\d{1,3}))?\$i=(\d{1,15})(?:,l=(\d{1,6}))?\$([^$]*)\$([^$]*)$/.exec(text);
  if (match === null) return convertWhole(hash);
  const [, digest = 'sha1', rounds = '', length, saltBase64 = '', keyBase64 = ''] = match;
  const keyBytes = Math.floor((keyBase64.replace(/=+$/, '').length * 3) / 4);
  if (length !== undefined && Number(length) !== keyBytes) {
    return malformed(`the key has ${keyBytes} bytes where l says ${length}`);
  }
  return encodePbkdf2({ digest, rounds: Number(rounds), saltBase64, keyBase64 }, encoding);
}

/**
 * The key's bytes are what scrypt derived; the costs that are absent are those of Node's crypto, as Auth0 takes them.
 */
function convertScrypt(hash: JsonObject, custom: JsonObject): string | McfProblem {
  const key = decodeHash(hash);
  if (key === undefined) return malformed('hash.value cannot be read in its encoding');
  const salt = decodeSalt(custom['salt']);
  if (salt === undefined) return malformed('salt.value cannot be read in its encoding');
  const length = readJsonCount(custom['keylen'] ?? key.length);
  if (length !== key.length) return malformed(`the key has ${key.length} bytes where keylen says ${length}`);
  return encodeScrypt({
    cost: readJsonCount(custom['cost'] ?? 16_384),
    blockSize: readJsonCount(custom['blockSize'] ?? 8),
    parallelization: readJsonCount(custom['parallelization'] ?? 1),
    saltBase64: salt.toString('base64'),
    keyBase64: key.toString('base64'),
  });
}

function convertMd5(hash: JsonObject, custom: JsonObject): string | McfProblem {
  const digest = decodeHash(hash);
  if (digest?.length !== 16) return malformed('hash.value is not an MD5 digest in its encoding');
  const salt = custom['salt'];
  if (salt === undefined || salt === null) return digest.toString('hex');
  const bytes = decodeSalt(salt);
  if (bytes === undefined) return malformed('salt.value cannot be read in its encoding');
  const text = bytes.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(bytes)) return unverifiable('the salt of the MD5 digest is not text');
  const position = isObject(salt) ? salt['position'] : undefined;
  if (position !== 'prefix' && position !== 'suffix')
    return malformed('salt.position is neither prefix nor suffix');
  const found = recognise(md5Salted.encode({ position, salt: text, digest: digest.toString('base64') }));
  return isProblem(found) ? found : found.mcf;
}

/** The schema names no default for the encoding of a digest: all hexadecimal digits is hexadecimal. */
function decodeHash(hash: JsonObject): Buffer | undefined {
  const value = firstText(hash, 'value');
  return decode(value, firstText(hash, 'encoding') || (isHex(value) ? 'hex' : 'base64'));
}

function decodeSalt(salt: unknown): Buffer | undefined {
  return isObject(salt) ? decode(firstText(salt, 'value'), firstText(salt, 'encoding') || 'utf8') : undefined;
}

/** Undefined for what is empty or cannot be read. Auth0 takes both alphabets of base64. */
function decode(text: string, encoding: string): Buffer | undefined {
  if (text === '') return undefined;
  switch (encoding.toLowerCase()) {
    case 'hex':
      return isHex(text) ? Buffer.from(text, 'hex') : undefined;
    case 'base64':
      return /^[\w+/-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined;
    case 'utf8':
    case 'utf-8':
      return Buffer.from(text, 'utf8');
    default:
      return undefined;
  }
}
