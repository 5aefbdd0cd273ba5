/** Clerk's hashers. */
import { malformed, nameOf } from '../mcf/algorithm.ts';
import {
  ambiguous,
  type Decoded,
  digestForm,
  doubtful,
  pbkdf2Of,
  type HashParts,
  refuseDigest,
  unsupported,
} from './decoded.ts';
import { decodeDirect, decodeOnly } from './direct.ts';
import { fromBase64, fromHex, fromText, toCount } from './encodings.ts';
import { isHex } from '../text.ts';
import type { Bytes } from './form.ts';
import { decodeDjango, decodeMd5, decodePeppered, decodeWerkzeug } from './frameworks.ts';
import { decodeFirebase } from './hosted.ts';
import { decodeLdap } from './ldap.ts';

/** Clerk, by its `password_hasher`. */
export function decodeClerk({ hash, algorithm = '' }: HashParts): Decoded {
  const text = hash.trim();
  // A hash of Clerk's own making is bcrypt.
  const hasher = algorithm.toLowerCase() || 'bcrypt';
  return clerkHashers.get(hasher)?.(text) ?? unsupported(`the hasher ${nameOf(algorithm)}`);
}

const clerkHashers = new Map<string, (text: string) => Decoded>([
  ['bcrypt', decodeDirect],
  ['argon2i', decodeDirect],
  ['argon2id', decodeDirect],
  ['phpass', decodeDirect],
  ['md5_phpass', decodeClerkMd5Phpass],
  ['md5', (text) => decodeMd5({ hash: text })],
  ['pbkdf2_sha256', (text) => clerkPbkdf2('sha256', text, fromBase64, fromBase64)],
  ['pbkdf2_sha256_django', (text) => decodeDjango({ hash: text })],
  ['pbkdf2_sha512', (text) => clerkPbkdf2('sha512', text, fromText, fromHex)],
  ['pbkdf2_sha512_hex', (text) => clerkPbkdf2('sha512', text, fromHex, fromHex)],
  ['pbkdf2_sha1', (text) => clerkPbkdf2('sha1', text, (salt) => fromHex(salt) ?? fromText(salt), fromHex)],
  ['scrypt_werkzeug', decodeClerkWerkzeug],
  ['scrypt_firebase', decodeClerkFirebase],
  ['bcrypt_sha256_django', (text) => decodeDirect(text.replace(/^\$?(?=\$2)/, 'bcrypt_sha256$'))],
  ['bcrypt_peppered', decodeClerkPeppered],
  ['ldap_ssha', (text) => decodeLdap({ hash: text.startsWith('{') ? text : `{SSHA}${text}` })],
  ['sha256', (text) => refuseDigest('SHA-256', { digest: 'sha256', of: 'password' }, fromHex(text))],
  ['md5_salted', decodeClerkMd5],
  ['sha256_salted', () => unsupported('salted SHA-256')],
  ['sha512_symfony', () => unsupported('iterated SHA-512 in the form of Symfony')],
  ['hmac_sha256_utf16_b64', () => unsupported('an HMAC of the password')],
  [
    'awscognito',
    () => ({
      code: 'password:not-given',
      detail: 'the hash is in a user pool of Cognito, which gives none out',
    }),
  ],
]);

/** By its name phpass over an MD5; Clerk does not document it. */
function decodeClerkMd5Phpass(text: string): Decoded {
  return doubtful(
    decodeOnly(text, ['$P$', '$H$'], 'a phpass hash'),
    'Clerk does not document md5_phpass: if it hashes an MD5 of the password, this hash matches no password',
  );
}

type Read = (text: string) => Buffer | undefined;

function clerkPbkdf2(digest: string, text: string, readSalt: Read, readKey: Read): Decoded {
  const [name = '', rounds, salt = '', key = ''] = text.split('$');
  const named = /sha-?(?:1|256|512)/i.exec(name)?.[0].replace('-', '').toLowerCase();
  if (named !== undefined && named !== digest)
    return malformed(`the hasher says ${digest}, and the hash says ${named}`);
  return pbkdf2Of(digest, toCount(rounds), readSalt(salt), readKey(key));
}

/** Documented as base64, written by Werkzeug as hexadecimal. */
function decodeClerkWerkzeug(text: string): Decoded {
  const [method = '', salt = '', key = ''] = text.split('$');
  const hex = isHex(key) ? key : fromBase64(key)?.toString('hex');
  return decodeWerkzeug({ hash: `${method}$${salt}$${hex ?? key}` });
}

/** `hash$salt$signerKey$separator$rounds$memoryCost`. */
function decodeClerkFirebase(text: string): Decoded {
  const [hash = '', salt = '', signerKey = '', separator = '', rounds = '', memoryCost = ''] =
    text.split('$');
  const options = {
    salt,
    saltSeparator: separator,
    signerKey,
    rounds,
    memCost: memoryCost,
  };
  return decodeFirebase({ hash, salt, options });
}

/** `digest$pepper`. */
function decodeClerkPeppered(text: string): Decoded {
  const digest = text.slice(0, 60);
  const pepper = text.startsWith('$', 60) ? fromText(text.slice(61)) : undefined;
  return decodePeppered(decodeDirect(digest), pepper, 'suffix');
}

/** `salt$hash`, and no word on which comes first: a typed password shows it. */
function decodeClerkMd5(text: string): Decoded {
  const detail = 'the order of salt and password is not documented';
  const [, salt = '', hex = ''] = /^(.*)\$([^$]+)$/s.exec(text) ?? [];
  const digest = fromHex(hex);
  if (salt === '' || digest?.length !== 16) return ambiguous(detail);
  const orders: Bytes[][] = [
    [{ text: salt }, 'password'],
    ['password', { text: salt }],
  ];
  const of = orders.map((join) => digestForm({ digest: 'md5', of: { join } }, digest));
  return ambiguous(detail, { kind: 'any', of });
}
