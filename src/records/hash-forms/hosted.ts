/** How hosted vendors give hashes out. */
import { isObject, type JsonObject, tryParseJson } from '../../lib/json-value.ts';
import { malformed, nameOf } from '../mcf/algorithm.ts';
import {
  ambiguous,
  type Decoded,
  pbkdf2Of,
  type HashParts,
  type Refused,
  refuseDigest,
  saltedDigest,
  scryptOf,
  unsupported,
} from './decoded.ts';
import { decodeWordPress } from './applications.ts';
import { decodeCrypt, decodeDirect } from './direct.ts';
import { fromBase64, fromHex, fromText, toCount, toText } from './encodings.ts';
import type { Bytes } from './form.ts';
import { decodeMd5 } from './frameworks.ts';
import { decodeLdap } from './ldap.ts';

/** Supabase: a hash string, or an object where the database encrypts. */
export function decodeSupabase({ hash }: HashParts): Decoded {
  const text = hash.trim();
  return text.startsWith('{') ? encryptedBySource('Supabase encrypts its columns here') : decodeDirect(text);
}

function encryptedBySource(detail: string): Refused {
  return { code: 'password:encrypted-by-source', detail };
}

/** Stytch: the salt is the text of the base64, not its bytes. */
export function decodeStytch({ hash, salt = '', algorithm = 'scrypt', options = {} }: HashParts): Decoded {
  if (algorithm.toLowerCase() !== 'scrypt') return decodeDirect(hash);
  const costs = {
    cost: readPower(options['N'] ?? options['scryptCostParameter']) ?? 32_768,
    blockSize: readNumber(options['r'] ?? options['scryptRParameter']) ?? 8,
    parallelization: readNumber(options['p'] ?? options['scryptPParameter']) ?? 1,
  };
  return scryptOf(costs, fromText(salt), fromBase64(hash));
}

/** `1 << 15`, as the parameter lines have it, or a number. */
function readPower(value: unknown): number | undefined {
  const shift = /^\s*1\s*<<\s*(\d{1,2})\s*$/.exec(toText(value))?.[1];
  return shift === undefined ? readNumber(value) : 2 ** Number(shift);
}

function readNumber(value: unknown): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  return Number(value);
}

/** What FusionAuth takes where a file for its import names no factor. */
const fusionAuthFactors = new Map([
  ['bcrypt', '10'],
  ['salted-pbkdf2-hmac-sha256', '24000'],
  ['salted-pbkdf2-hmac-sha256-512', '24000'],
  ['salted-pbkdf2-hmac-sha512-512', '24000'],
]);

/** FusionAuth, by its `encryptionScheme`; `rounds` is its `factor`. Salt and hash are base64. */
export function decodeFusionAuth(parts: HashParts): Decoded {
  const { hash, salt = '', algorithm = '', rounds = fusionAuthFactors.get(algorithm) ?? '' } = parts;
  if (algorithm === '' && salt === '' && rounds === '') return decodeFusionAuthPlain(hash);
  const factor = toCount(rounds);
  const saltBytes = fromBase64(salt);
  const key = fromBase64(hash);
  switch (algorithm) {
    case 'bcrypt':
      return hash.startsWith('$')
        ? decodeDirect(hash)
        : decodeDirect(`$2a$${rounds.padStart(2, '0')}$${salt}${hash}`);
    case 'salted-pbkdf2-hmac-sha256':
    case 'salted-pbkdf2-hmac-sha256-512':
      return pbkdf2Of('sha256', factor, saltBytes, key);
    case 'salted-pbkdf2-hmac-sha512-512':
      return pbkdf2Of('sha512', factor, saltBytes, key);
    case 'salted-md5':
      return factor === 1 && saltBytes !== undefined
        ? saltedDigest('md5', 'suffix', saltBytes, key)
        : refuseIterated('md5', salt, factor, key);
    case 'salted-sha256':
      return refuseIterated('sha256', salt, factor, key);
    case 'salted-hmac-sha256':
      return refuseHmac(salt, factor, key);
    case 'example-wordpress-phpass':
      // The plug-in of FusionAuth's guide for WordPress keeps the whole text of phpass, in base64.
      return decodeDirect(Buffer.from(hash, 'base64').toString('latin1'));
    default:
      return unsupported(`the scheme ${nameOf(algorithm)}`);
  }
}

/** A file for the import may have passwords in plain text; a hash without its scheme would pass for one. */
function decodeFusionAuthPlain(text: string): Decoded {
  return /^(?:[\w+/-]{22,}={0,2}|[./\w]{31}|\$.{20,})$/.test(text.trim())
    ? ambiguous('there is no encryptionScheme, and it may be a hash')
    : { plain: text };
}

function refuseIterated(
  digest: 'md5' | 'sha256',
  salt: string,
  rounds: number,
  key: Buffer | undefined,
): Decoded {
  const of: Bytes = { join: ['password', { base64: salt }] };
  const title = `salted ${digest}`;
  return refuseDigest(rounds === 1 ? title : `${title}, ${rounds} times`, { digest, of, rounds }, key);
}

function refuseHmac(salt: string, rounds: number, key: Buffer | undefined): Decoded {
  if (key === undefined || rounds !== 1) return unsupported('an HMAC of the password, repeated');
  return unsupported('an HMAC of the password', {
    kind: 'digest',
    expected: key.toString('base64'),
    of: { hmac: 'sha256', key: { base64: salt }, of: 'password' },
  });
}

/** Appwrite: the hash says its own parameters; scrypt has them beside it. */
export function decodeAppwrite({ hash, algorithm = '', options = {} }: HashParts): Decoded {
  const text = hash.trim();
  switch (algorithm.toLowerCase()) {
    case 'argon2':
    case 'bcrypt':
    case 'phpass':
      return decodeDirect(text);
    case 'md5':
      return decodeMd5({ hash: text });
    case 'scrypt': {
      const costs = {
        cost: Number(options['costCpu']),
        blockSize: Number(options['costMemory']),
        parallelization: Number(options['costParallel']),
      };
      return scryptOf(costs, fromText(toText(options['salt'])), fromHex(text));
    }
    case 'scryptmod':
    case 'scryptmodified':
      return decodeFirebase({ hash: text, options: { rounds: 8, memCost: 14, ...options } });
    case 'plaintext':
      return { plain: hash };
    case 'sha':
      return decodeAppwriteSha(text, toText(options['version']));
    default:
      return unsupported(`the algorithm ${nameOf(algorithm)}`);
  }
}

/** Any digest of PHP; the version names it, else its length does. */
function decodeAppwriteSha(text: string, version: string): Decoded {
  const expected = fromHex(text);
  const byLength = (['sha1', 'sha224', 'sha256', 'sha384', 'sha512'] as const)[
    [20, 28, 32, 48, 64].indexOf(expected?.length ?? 0)
  ];
  if (byLength === undefined || (version !== '' && version !== byLength)) {
    return unsupported(`a digest of ${nameOf(version)}`);
  }
  return refuseDigest(`a digest of ${byLength}`, { digest: byLength, of: 'password' }, expected);
}

/** `UkVEQUNURUQ=` is "REDACTED" in base64. */
const redacted = 'UkVEQUNURUQ=';

/** Firebase: the parameters are of the project, and the signer key is a secret of it. */
export function decodeFirebase({ hash, salt, options = {}, secret }: HashParts): Decoded {
  const text = hash.trim();
  if (text === redacted) {
    return {
      code: 'password:redacted',
      detail: 'who exported was not allowed to see hashes (firebaseauth.configs.getHashConfig)',
    };
  }
  if (text.startsWith('fakeHash:')) return unsupported('a password of the emulator');
  const named = options['signerKey'] ?? options['base64_signer_key'];
  const form = {
    kind: 'firebase-scrypt',
    memoryCost: Number(options['memCost'] ?? options['mem_cost'] ?? 14),
    rounds: Number(options['rounds'] ?? 8),
    parallelization: 1,
    salt: salt ?? toText(options['salt']),
    separator: toText(options['saltSeparator'] ?? options['base64_salt_separator'] ?? 'Bw=='),
    signerKey: firebaseKey(named, secret),
    hash: text,
  } as const;
  return unsupported('scrypt in the form of Firebase, whose result is encrypted', form);
}

function firebaseKey(named: unknown, secret: Uint8Array | undefined): Bytes {
  if (typeof named === 'string') return { base64: named };
  return secret === undefined
    ? { secret: 'base64_signer_key' }
    : { base64: Buffer.from(secret).toString('base64') };
}

/** Okta's import form of a hash, kept by those who once imported; Okta gives none out. */
export function decodeOkta({ hash, options }: HashParts): Decoded {
  const value = options ?? tryParseJson(hash);
  if (!isObject(value)) return { code: 'password:not-given', detail: 'Okta gives no hashes out' };
  const text = (name: string): string => (typeof value[name] === 'string' ? value[name] : '');
  switch (text('algorithm').toUpperCase()) {
    case 'BCRYPT': {
      const cost = toText(value['workFactor']).padStart(2, '0');
      return decodeDirect(`$2a$${cost}$${text('salt')}${text('value')}`);
    }
    case 'PBKDF2': {
      const digest = text('digestAlgorithm').replace('_HMAC', '').toLowerCase();
      return pbkdf2Of(
        digest,
        Number(value['iterationCount']),
        fromBase64(text('salt')),
        fromBase64(text('value')),
      );
    }
    case 'MD5':
      return decodeOktaDigest('md5', value);
    case 'SHA-1':
      return decodeOktaDigest('sha1', value);
    case 'SHA-256':
      return decodeOktaDigest('sha256', value);
    case 'SHA-512':
      return decodeOktaDigest('sha512', value);
    default:
      return unsupported(`the algorithm ${nameOf(text('algorithm'))}`);
  }
}

function decodeOktaDigest(digest: 'md5' | 'sha1' | 'sha256' | 'sha512', value: JsonObject): Decoded {
  const salt = toText(value['salt']);
  const expected = fromBase64(toText(value['value']));
  const saltBytes = salt === '' ? Buffer.alloc(0) : fromBase64(salt);
  if (saltBytes === undefined) return malformed('the salt is not base64');
  const order = toText(value['saltOrder']).toUpperCase();
  if (salt !== '' && order !== 'PREFIX' && order !== 'POSTFIX')
    return malformed('saltOrder is neither PREFIX nor POSTFIX');
  return saltedDigest(digest, order === 'PREFIX' ? 'prefix' : 'suffix', saltBytes, expected);
}

/** Kinde's export: bcrypt, crypt(3), phpass or a salted digest. */
export function decodeKinde({ hash, salt = '', algorithm = '', options = {} }: HashParts): Decoded {
  const text = hash.trim();
  switch (algorithm.toLowerCase()) {
    case 'bcrypt':
    case 'argon2':
    case 'argon2i':
    case 'argon2id':
      return decodeDirect(text);
    case 'crypt':
      return decodeCrypt(text);
    case 'wordpress':
      return decodeWordPress({ hash: text });
    case 'md5':
    case 'sha256': {
      const position = toText(options['salt_position']).toLowerCase();
      if (salt !== '' && position !== 'prefix' && position !== 'suffix')
        return malformed('salt_position is neither prefix nor suffix');
      const isHexadecimal = toText(options['salt_format']).toLowerCase() === 'hex';
      const bytes = isHexadecimal && salt !== '' ? fromHex(salt) : fromText(salt);
      if (bytes === undefined) return malformed('the salt is not hexadecimal');
      const digest = algorithm.toLowerCase() as 'md5' | 'sha256';
      return saltedDigest(digest, position === 'prefix' ? 'prefix' : 'suffix', bytes, fromHex(text));
    }
    default:
      return unsupported(`the algorithm ${nameOf(algorithm)}`);
  }
}

/** ForgeRock and Oracle Identity Cloud: a scheme in braces, or an object that is encrypted. */
export function decodeForgeRock({ hash }: HashParts): Decoded {
  const text = hash.trim();
  if (isObject(tryParseJson(text))) return encryptedBySource('ForgeRock encrypts this password ($crypto)');
  return text.startsWith('{') ? decodeLdap({ hash: text }) : decodeDirect(text);
}

/** SuperTokens: hash strings, and Firebase's scrypt under a name of its own. */
export function decodeSupertokens({ hash }: HashParts): Decoded {
  const text = hash.trim();
  if (!text.startsWith('$f_scrypt$')) return decodeDirect(text);
  // `$f_scrypt$hash$salt$m=14$r=8$s=separator`; the signer key is a setting of the core.
  const [, , hash1 = '', salt = '', ...parameters] = text.split('$');
  const named = new Map(parameters.map((one) => [one.slice(0, 1), one.slice(2)]));
  const options = { memCost: named.get('m'), rounds: named.get('r'), saltSeparator: named.get('s') };
  return decodeFirebase({ hash: hash1, salt, options });
}
