/** How self-hosted identity servers store passwords. */
import { isObject, tryParseJson } from '../../lib/json-value.ts';
import { malformed, nameOf, unverifiable } from '../mcf/algorithm.ts';
import {
  ambiguous,
  argon2Of,
  type Decoded,
  digestForm,
  leastKeyBytes,
  md5Of,
  none,
  pbkdf2Of,
  type HashParts,
  refuseDigest,
  scryptOf,
  unsupported,
} from './decoded.ts';
import { decodeCrypt, decodeDirect } from './direct.ts';
import { fromBase64, fromBase64Url, fromHex, fromText, toCount, toText } from './encodings.ts';
import { isHex } from '../text.ts';
import type { Bytes, DigestName } from './form.ts';
import { decodeDjango } from './frameworks.ts';
import { decodeLdap } from './ldap.ts';
import { decodePattern } from './pattern.ts';

/** Ory Kratos: strings of PHC, with meanings of its own for some. */
export function decodeKratos({ hash }: HashParts): Decoded {
  const text = hash.trim();
  if (text.startsWith('{')) return decodeLdap({ hash: text });
  const name = text.split('$')[1] ?? '';
  return kratosForms.get(name)?.(text) ?? decodeDirect(text);
}

const kratosForms = new Map<string, (text: string) => Decoded>([
  ['pbkdf2-sha224', (text) => decodeSha3(text, 'sha3-224')],
  ['pbkdf2-sha384', (text) => decodeSha3(text, 'sha3-384')],
  ['scrypt', decodeKratosScrypt],
  ['md5-crypt', (text) => decodeDirect(text.replace('$md5-crypt$', '$1$'))],
  ['sha256-crypt', (text) => decodeDirect(text.replace('$sha256-crypt$', '$5$'))],
  ['sha512-crypt', (text) => decodeDirect(text.replace('$sha512-crypt$', '$6$'))],
  ['md5', (text) => decodeKratosDigest('md5', text)],
  ['sha1', (text) => decodeKratosDigest('sha1', text)],
  ['sha256', (text) => decodeKratosDigest('sha256', text)],
  ['sha512', (text) => decodeKratosDigest('sha512', text)],
  ['firescrypt', decodeFirescrypt],
]);

function decodeSha3(text: string, digest: string): Decoded {
  const detail = 'SHA-3 under the name of SHA-2, as Ory Kratos writes it';
  const match = /^\$pbkdf2-\w+\$i=(\d{1,10}),l=\d+\$([^$]+)\$([^$]+)$/.exec(text);
  const salt = fromBase64(match?.[2] ?? '');
  const key = fromBase64(match?.[3] ?? '');
  if (match === null || salt === undefined || key === undefined || key.length < leastKeyBytes)
    return unsupported(detail);
  return unsupported(detail, {
    kind: 'pbkdf2',
    digest,
    rounds: Number(match[1]),
    salt: { base64: salt.toString('base64') },
    key: key.toString('base64'),
  });
}

/** `ln` is N itself. */
function decodeKratosScrypt(text: string): Decoded {
  const match = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(text);
  if (match === null) return malformed('the parameters of scrypt cannot be read');
  const [, n, r, p, salt = '', key = ''] = match;
  const costs = { cost: toCount(n), blockSize: toCount(r), parallelization: toCount(p) };
  return scryptOf(costs, fromBase64(salt), fromBase64(key));
}

/** `$md5$digest`, or `$md5$pf=pattern$salt$digest` where the pattern says what stands around the password. */
function decodeKratosDigest(digest: DigestName, text: string): Decoded {
  const [, , first = '', salt = '', last = ''] = text.split('$');
  if (!first.startsWith('pf=')) return decodePattern(digest, '{PASSWORD}', '', fromBase64(first));
  const pattern = fromBase64(first.slice('pf='.length))?.toString('utf8');
  const saltText = salt === '' ? '' : fromBase64(salt)?.toString('utf8');
  if (pattern === undefined || saltText === undefined) return malformed('pattern or salt cannot be read');
  return decodePattern(digest, pattern, saltText, fromBase64(last));
}

function decodeFirescrypt(text: string): Decoded {
  const detail = 'scrypt in the form of Firebase';
  const match = /^\$firescrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([^$]+)\$([^$]+)\$([^$]*)\$([^$]+)$/.exec(text);
  if (match === null) return unsupported(detail);
  const [, memoryCost, rounds, parallelization, salt = '', hash = '', separator = '', signerKey = ''] = match;
  return unsupported(detail, {
    kind: 'firebase-scrypt',
    memoryCost: Number(memoryCost),
    rounds: Number(rounds),
    parallelization: Number(parallelization),
    salt,
    separator,
    signerKey: { base64: signerKey },
    hash,
  });
}

/** Logto, by its column of methods. */
export function decodeLogto({ hash, algorithm = '' }: HashParts): Decoded {
  const text = hash.trim();
  switch (algorithm.toLowerCase()) {
    case 'argon2i':
    case 'argon2id':
    case 'argon2d':
    case 'bcrypt':
      return decodeDirect(text);
    case 'md5':
      return md5Of('prefix', '', fromHex(text));
    case 'sha1':
      return refuseDigest('SHA-1', { digest: 'sha1', of: 'password' }, fromHex(text));
    case 'sha256':
      return refuseDigest('SHA-256', { digest: 'sha256', of: 'password' }, fromHex(text));
    case 'legacy':
      return decodeLogtoLegacy(text);
    default:
      return unsupported(`the method ${nameOf(algorithm)}`);
  }
}

/** `["sha256", ["salt", "@"], "hex"]`: `@` is the password. */
function decodeLogtoLegacy(text: string): Decoded {
  const value = tryParseJson(text);
  if (!Array.isArray(value) || value.length !== 3) return malformed('it is not a list of three');
  const [name, list, hex] = value as unknown[];
  if (typeof name !== 'string' || !Array.isArray(list) || typeof hex !== 'string') {
    return malformed('algorithm, arguments or hash cannot be read');
  }
  const args = list.map(String);
  if (name === 'pbkdf2' || name === 'pbkdf2Sync') {
    const [salt = '', rounds, , digest = ''] = args.filter((arg) => arg !== '@');
    const bytes = salt.startsWith('hex:') ? fromHex(salt.slice('hex:'.length)) : fromText(salt);
    return pbkdf2Of(digest, toCount(rounds), bytes, fromHex(hex));
  }
  const digest = (['md5', 'sha1', 'sha256', 'sha512'] as const).find((one) => one === name.toLowerCase());
  if (digest === undefined) return unsupported(`the algorithm ${nameOf(name)}`);
  const pattern = args.map((arg) => (arg === '@' ? '{PASSWORD}' : arg)).join('');
  return decodePattern(digest, pattern, '', fromHex(hex));
}

/** Casdoor, by the type of the user's or the organization's passwords. */
export function decodeCasdoor({ hash, salt = '', algorithm = '' }: HashParts): Decoded {
  const text = hash.trim();
  if (text === '***') return { code: 'password:redacted', detail: 'the API masks passwords' };
  switch (algorithm) {
    case 'bcrypt':
    case 'argon2id':
      return decodeDirect(text);
    case 'pbkdf2-django':
      return decodeDjango({ hash: text });
    case 'pbkdf2-salt':
      return pbkdf2Of('sha256', 27_500, fromBase64(salt), fromBase64(text));
    case 'plain':
      return { plain: hash };
    case 'salt':
      return decodeNested('sha256', salt, text);
    case 'sha512-salt':
      return decodeNested('sha512', salt, text);
    case 'md5-salt':
      return salt === '' ? decodeUnsaltedMd5(text) : decodeNested('md5', salt, text);
    default:
      return unsupported(`the type ${nameOf(algorithm)}`);
  }
}

/** The digest of the digest's digits and the salt. */
function decodeNested(digest: DigestName, salt: string, hex: string): Decoded {
  const inner: Bytes = { digest, of: 'password', as: 'hex' };
  const of: Bytes = salt === '' ? 'password' : { join: [inner, { text: salt }] };
  return refuseDigest(`nested ${digest} in the form of Casdoor`, { digest, of }, fromHex(hex));
}

function decodeUnsaltedMd5(hex: string): Decoded {
  const expected = fromHex(hex);
  if (expected?.length !== 16) return malformed('it is not an MD5 digest');
  const once: Bytes = { digest: 'md5', of: 'password' };
  const twice: Bytes = { digest: 'md5', of: { ...once, as: 'hex' } };
  return ambiguous('MD5 of the password or of its MD5: Casdoor accepts both', {
    kind: 'any',
    of: [digestForm(once, expected), digestForm(twice, expected)],
  });
}

/** WSO2 Identity Server. What it hashes with is a setting of the user store; a row does not show it. */
export function decodeWso2({ hash, salt = '', algorithm, rounds, options }: HashParts): Decoded {
  const name = (algorithm ?? '').toUpperCase();
  const key = fromBase64(hash.trim());
  if (name === 'PBKDF2') {
    const named = options?.['digest'];
    // The salt is the text, although it looks like base64.
    const digest = typeof named === 'string' ? named : 'sha256';
    return pbkdf2Of(digest, toCount(rounds ?? '10000'), fromText(salt), key);
  }
  if (name === 'PLAIN_TEXT') return { plain: hash };
  const digest = wso2Digests.get(name);
  if (digest === undefined) {
    return ambiguous('the user store hashes with SHA-256 or PBKDF2: declare which one');
  }
  const of: Bytes = salt === '' ? 'password' : { join: ['password', { text: salt }] };
  return refuseDigest(`${name} of password and salt, the default of WSO2`, { digest, of }, key);
}

const wso2Digests = new Map<string, DigestName>([
  ['SHA', 'sha1'],
  ['SHA-1', 'sha1'],
  ['SHA-256', 'sha256'],
  ['SHA-512', 'sha512'],
  ['MD5', 'md5'],
]);

const kanidmDigests = new Map([
  ['PBKDF2', 'sha256'],
  ['PBKDF2_SHA1', 'sha1'],
  ['PBKDF2_SHA512', 'sha512'],
]);

/** Kanidm: an object with one key, as JSON or as the object itself. */
export function decodeKanidm({ hash, options }: HashParts): Decoded {
  const value = options ?? tryParseJson(hash);
  const [name = '', content] = isObject(value) ? (Object.entries(value)[0] ?? []) : [];
  if (name === '') return malformed('it is not an object with a kind of hash');
  if (name === 'TPM_ARGON2ID') {
    return {
      code: 'password:encrypted-by-source',
      detail: 'the hash is bound to the key of the security chip (TPM or HSM)',
    };
  }
  const digest = kanidmDigests.get(name);
  if (digest !== undefined && Array.isArray(content)) {
    const [rounds, salt, key] = content as unknown[];
    return pbkdf2Of(digest, Number(rounds), readBytes(salt), readBytes(key));
  }
  if (!isObject(content)) return unsupported(`the kind ${nameOf(name)}`);
  if (name.startsWith('CRYPT_')) return decodeDirect(toText(content['h']));
  if (name !== 'ARGON2ID') return unsupported(`the kind ${nameOf(name)}`);
  if (content['v'] !== 19) return unsupported('another version of argon2 than 1.3 (`v=19`)');
  const costs = {
    variant: 'id',
    memory: Number(content['m']),
    time: Number(content['t']),
    threads: Number(content['p']),
  };
  return argon2Of(costs, readBytes(content['s']), readBytes(content['k']));
}

/** Kanidm writes bytes as a list of numbers or in base64url. */
function readBytes(value: unknown): Buffer | undefined {
  if (typeof value === 'string') return fromBase64Url(value);
  return Array.isArray(value) ? Buffer.from(value as number[]) : undefined;
}

/** Gitea and Forgejo, by their column of algorithms; an empty one is the oldest. */
export function decodeGitea({ hash, salt = '', algorithm = '' }: HashParts): Decoded {
  const [name = '', ...parameters] = (algorithm || 'pbkdf2').split('$');
  const saltBytes = salt.length === 10 ? fromText(salt) : fromHex(salt);
  const key = fromHex(hash.trim());
  const [first, second, third] = parameters;
  switch (name) {
    case 'pbkdf2':
      return pbkdf2Of('sha256', toCount(first ?? '10000'), saltBytes, key);
    case 'bcrypt':
      return decodeDirect(hash);
    case 'argon2': {
      const costs = {
        variant: 'id',
        time: toCount(first ?? '2'),
        memory: toCount(second ?? '65536'),
        threads: toCount(third ?? '8'),
      };
      return argon2Of(costs, saltBytes, key);
    }
    case 'scrypt': {
      const costs = {
        cost: toCount(first ?? '65536'),
        blockSize: toCount(second ?? '16'),
        parallelization: toCount(third ?? '2'),
      };
      return scryptOf(costs, saltBytes, key);
    }
    default:
      return unsupported(`the algorithm ${nameOf(name)}`);
  }
}

/** `/etc/shadow`: a mark in front locks the account. */
export function decodeShadow({ hash }: HashParts): Decoded {
  const text = hash.trim();
  return /^[!*]/.test(text) || text === 'x' ? none() : decodeCrypt(text);
}

/** Atlassian Crowd and Jira. */
export function decodeCrowd({ hash }: HashParts): Decoded {
  const text = hash.trim();
  if (text.startsWith('{')) return decodeLdap({ hash: text });
  if (isHex(text)) return ambiguous('digits without a scheme in braces');
  return unverifiable('it has no scheme in braces');
}
