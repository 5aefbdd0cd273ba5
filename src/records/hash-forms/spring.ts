/** Spring Security's encoders. */
import { malformed, nameOf } from '../mcf/algorithm.ts';
import {
  type Decoded,
  md5Of,
  pbkdf2Of,
  type HashParts,
  refuseDigest,
  scryptOf,
  unsupported,
} from './decoded.ts';
import { decodeDirect } from './direct.ts';
import { fromBase64, fromHex } from './encodings.ts';
import { isHex } from '../text.ts';
import type { Bytes, DigestName } from './form.ts';
import { decodeLdap } from './ldap.ts';

/** Spring Security's delegating encoder: `{id}` and what that encoder has written. */
export function decodeSpring({ hash, secret }: HashParts): Decoded {
  const text = hash.trim();
  const match = /^\{([^}]*)\}(.*)$/s.exec(text);
  if (match === null) return decodeDirect(text);
  const [, id = '', value = ''] = match;
  return springEncoders.get(id)?.(value, secret) ?? unsupported(`an encoder named ${nameOf(id)}`);
}

type SpringEncoder = (value: string, secret: Uint8Array | undefined) => Decoded;

const springEncoders = new Map<string, SpringEncoder>([
  ['bcrypt', (value) => decodeDirect(value)],
  ['argon2', (value) => decodeDirect(value)],
  ['argon2@SpringSecurity_v5_8', (value) => decodeDirect(value)],
  ['pbkdf2', (value, secret) => decodeSpringPbkdf2(value, 8, 'sha1', 185_000, secret)],
  ['pbkdf2@SpringSecurity_v5_8', (value, secret) => decodeSpringPbkdf2(value, 16, 'sha256', 310_000, secret)],
  ['scrypt', decodeSpringScrypt],
  ['scrypt@SpringSecurity_v5_8', decodeSpringScrypt],
  ['MD5', (value) => decodeSpringDigest('md5', value)],
  ['MD4', (value) => decodeSpringDigest('md4', value)],
  ['SHA-1', (value) => decodeSpringDigest('sha1', value)],
  ['SHA-256', (value) => decodeSpringDigest('sha256', value)],
  ['sha256', decodeSpringStandard],
  ['noop', (value) => ({ plain: value })],
  ['ldap', (value) => decodeLdap({ hash: value })],
]);

/** Salt and key in one; a secret follows the salt. */
function decodeSpringPbkdf2(
  value: string,
  saltBytes: number,
  digest: string,
  rounds: number,
  secret: Uint8Array = new Uint8Array(),
): Decoded {
  const blob = isHex(value) ? fromHex(value) : fromBase64(value);
  if (blob === undefined || blob.length <= saltBytes) return malformed('salt and key cannot be read');
  const salt = Buffer.concat([blob.subarray(0, saltBytes), secret]);
  return pbkdf2Of(digest, rounds, salt, blob.subarray(saltBytes));
}

/** `$e0801$salt$key`: the parameters as one hexadecimal number. */
function decodeSpringScrypt(value: string): Decoded {
  const [, parameters = '', salt = '', key = ''] = value.split('$');
  if (!/^[0-9a-f]{1,8}$/i.test(parameters)) return malformed('the parameters cannot be read');
  const bits = Number.parseInt(parameters, 16);
  const costs = { cost: 2 ** (bits >>> 16), blockSize: (bits >>> 8) & 255, parallelization: bits & 255 };
  return scryptOf(costs, fromBase64(salt), fromBase64(key));
}

/** The braces around the salt are hashed with it. */
function decodeSpringDigest(digest: DigestName, value: string): Decoded {
  const match = /^(\{[^}]*\})?([0-9a-f]+)$/i.exec(value);
  if (match === null) return malformed('salt and digest cannot be read');
  const [, salt = '', hex = ''] = match;
  if (digest === 'md5') return md5Of('suffix', salt, fromHex(hex));
  const of: Bytes = salt === '' ? 'password' : { join: ['password', { text: salt }] };
  return refuseDigest(`${digest.toUpperCase()} in the form of Spring`, { digest, of }, fromHex(hex));
}

/** StandardPasswordEncoder: SHA-256 a thousand times. */
function decodeSpringStandard(value: string): Decoded {
  const blob = fromHex(value);
  if (blob?.length !== 40) return malformed('salt and digest cannot be read');
  const of: Bytes = { join: [{ base64: blob.subarray(0, 8).toString('base64') }, 'password'] };
  const digest = { digest: 'sha256', of, rounds: 1024 } as const;
  return refuseDigest('iterated SHA-256 in the form of Spring', digest, blob.subarray(8));
}
