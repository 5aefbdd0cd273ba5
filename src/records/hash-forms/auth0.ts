/**
 * Reads `custom_password_hash` of Auth0's bulk import schema.
 * The schema: auth0.com/docs/manage-users/user-migration/bulk-user-import-database-schema-and-examples.
 */
import { malformed, nameOf, unsupported, unverifiable } from '../mcf/algorithm.ts';
import { type Decoded, type HashParts, digestForm, saltedBytes, saltedDigest, scryptOf } from './decoded.ts';
import { decodeOnly, decodePbkdf2Text } from './direct.ts';
import { fromBase64, fromHex, fromText } from './encodings.ts';
import { type Bytes, type DigestName, digestNames } from './form.ts';
import { decodeLdap } from './ldap.ts';
import { firstText, isObject, type JsonObject, readJsonCount, tryParseJson } from '../../lib/json-value.ts';
import { isHex } from '../text.ts';

/** Never throws, whatever the object holds; the details never show a hash, a salt or a key. */
export function decodeAuth0({ hash: text, options }: HashParts): Decoded {
  const custom = options ?? tryParseJson(text);
  if (!isObject(custom)) return malformed('custom_password_hash is not an object');
  const algorithm = firstText(custom, 'algorithm').toLowerCase();
  const decode = algorithms.get(algorithm);
  if (decode === undefined) return unsupported(`algorithm ${nameOf(algorithm)}`);
  const hash = objectAt(custom, 'hash');
  if (firstText(hash, 'value') === '') return malformed('custom_password_hash has no hash.value');
  const encoding = firstText(objectAt(custom, 'password'), 'encoding') || 'utf8';
  const password = passwordBytes.find(([names]) => names.test(encoding))?.[1];
  const decoded = decode(hash, custom, password ?? 'password');
  if (password === 'password') return decoded;
  const refused = unverifiable(`the password was hashed as ${nameOf(encoding)}, not as UTF-8`);
  if (password === undefined) return refused;
  return 'mcf' in decoded
    ? { ...refused, form: { kind: 'mcf', mcf: decoded.mcf, of: password } }
    : { ...decoded, ...refused };
}

/** Node's names of encodings, and what is hashed under them. */
const passwordBytes: readonly (readonly [names: RegExp, bytes: Bytes])[] = [
  [/^(?:utf-?8|ascii)$/i, 'password'],
  [/^(?:utf-?16-?le|ucs-?2)$/i, { step: 'utf-16le', of: 'password' }],
  [/^(?:latin1|binary)$/i, { step: 'latin1', of: 'password' }],
];

type Decode = (hash: JsonObject, custom: JsonObject, password: Bytes) => Decoded;

const algorithms: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ['argon2', (hash) => decodeOnly(firstText(hash, 'value'), ['$argon2'], 'an Argon2 hash')],
  ['bcrypt', (hash) => decodeOnly(firstText(hash, 'value'), ['$2'], 'a bcrypt hash')],
  [
    'pbkdf2',
    (hash) => decodePbkdf2Text(firstText(hash, 'value').trim()) ?? malformed('it is not a hash of PBKDF2'),
  ],
  ['scrypt', decodeScrypt],
  ['ldap', decodeScheme],
  ['hmac', decodeHmac],
  ...(['md4', 'md5', 'sha1', 'sha256', 'sha512'] as const).map((name): [string, Decode] => [
    name,
    decodeDigest(name),
  ]),
]);

/** The costs that are absent are those of Node's crypto, as Auth0 takes them. */
function decodeScrypt(hash: JsonObject, custom: JsonObject): Decoded {
  const key = digestOf(hash);
  if (key === undefined) return malformed('hash.value cannot be read in its encoding');
  const length = readJsonCount(custom['keylen'] ?? key.length);
  if (length !== key.length) return malformed(`the key has ${key.length} bytes where keylen says ${length}`);
  const costs = {
    cost: readJsonCount(custom['cost'] ?? 16_384),
    blockSize: readJsonCount(custom['blockSize'] ?? 8),
    parallelization: readJsonCount(custom['parallelization'] ?? 1),
  };
  const salt = textAt(objectAt(custom, 'salt'));
  return salt === undefined ? unreadableSalt : scryptOf(costs, salt, key);
}

function decodeScheme(hash: JsonObject, _custom: JsonObject, password: Bytes): Decoded {
  const text = firstText(hash, 'value').trim();
  if (!text.startsWith('{')) return malformed('hash.value has no scheme in braces');
  const decoded = decodeLdap({ hash: text });
  // Its form is one of the password in UTF-8.
  return 'code' in decoded && password !== 'password' ? unsupported(decoded.detail) : decoded;
}

const unreadableSalt = malformed('salt.value cannot be read in its encoding');
const unplacedSalt = malformed('salt.position is neither prefix nor suffix');

function decodeDigest(name: DigestName): Decode {
  return (hash, custom, password) => {
    const salt = saltOf(custom);
    return 'code' in salt ? salt : saltedDigest(name, salt.position, salt.bytes, digestOf(hash), password);
  };
}

/** No verifier of the target knows HMAC; with its key a typed password can be checked. */
function decodeHmac(hash: JsonObject, custom: JsonObject, password: Bytes): Decoded {
  const salt = saltOf(custom);
  if ('code' in salt) return salt;
  const expected = digestOf(hash);
  const key = textAt(objectAt(hash, 'key'));
  const digest = digestNames.find(
    (name) => name !== 'md4' && name === firstText(hash, 'digest').toLowerCase(),
  );
  const detail = 'an HMAC of the password';
  if (expected === undefined || key === undefined || digest === undefined) return unsupported(detail);
  const of = saltedBytes(salt.position, salt.bytes, password);
  const hmac: Bytes = { hmac: digest, key: { base64: key.toString('base64') }, of };
  return { ...unsupported(detail), form: digestForm(hmac, expected) };
}

interface Salt {
  readonly position: 'prefix' | 'suffix';
  readonly bytes: Buffer;
}

function saltOf(custom: JsonObject): Salt | typeof unreadableSalt {
  const salt = objectAt(custom, 'salt');
  const bytes = textAt(salt);
  if (bytes === undefined) return unreadableSalt;
  const position = firstText(salt, 'position').toLowerCase();
  if (bytes.length > 0 && position !== 'prefix' && position !== 'suffix') return unplacedSalt;
  return { position: position === 'prefix' ? 'prefix' : 'suffix', bytes };
}

function objectAt(object: JsonObject, key: string): JsonObject {
  return isObject(object[key]) ? object[key] : {};
}

/** The schema names no default for the encoding of a digest: all hexadecimal digits is hexadecimal. */
function digestOf(hash: JsonObject): Buffer | undefined {
  const value = firstText(hash, 'value');
  return textAt({ value, encoding: firstText(hash, 'encoding') || (isHex(value) ? 'hex' : 'base64') });
}

/** Undefined for what cannot be read. Auth0 takes both alphabets of base64. */
function textAt(part: JsonObject): Buffer | undefined {
  const text = firstText(part, 'value');
  if (text === '') return Buffer.alloc(0);
  return encodings.get((firstText(part, 'encoding') || 'utf8').toLowerCase())?.(text);
}

const encodings = new Map<string, (text: string) => Buffer | undefined>([
  ['hex', fromHex],
  ['base64', fromBase64],
  ['utf8', fromText],
  ['utf-8', fromText],
]);
