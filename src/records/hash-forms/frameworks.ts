/** How web frameworks and their libraries store passwords. */
import { malformed, nameOf } from '../mcf/algorithm.ts';
import {
  altered,
  type Decoded,
  digestForm,
  md5Of,
  none,
  pbkdf2Of,
  peppered,
  type HashParts,
  prehashed,
  refuseDigest,
  scryptOf,
  unsupported,
} from './decoded.ts';
import { base64Sha256, decodeDirect, decodeOnly, hexSha256, overBytes } from './direct.ts';
import { fromBase64, fromHex, fromText, toCount } from './encodings.ts';
import type { Bytes } from './form.ts';

/** `algorithm$…`; the salt is text, also where it looks like something else. */
export function decodeDjango({ hash }: HashParts): Decoded {
  const text = hash.trim();
  if (text.startsWith('!')) return none();
  if (/^[0-9a-f]{32}$/i.test(text)) return { mcf: text.toLowerCase() };
  const [name = '', first = '', second = '', third = '', fourth = '', fifth = ''] = text.split('$');
  switch (name) {
    case 'pbkdf2_sha256':
    case 'pbkdf2_sha1':
      return pbkdf2Of(name.slice('pbkdf2_'.length), toCount(first), fromText(second), fromBase64(third));
    case 'scrypt': {
      const costs = { cost: toCount(first), blockSize: toCount(third), parallelization: toCount(fourth) };
      return scryptOf(costs, fromText(second), fromBase64(fifth));
    }
    case 'argon2':
      return decodeDirect(text.slice('argon2'.length));
    case 'bcrypt':
      return decodeDirect(text.slice('bcrypt$'.length));
    case 'bcrypt_sha256':
      return decodeDirect(text);
    case 'md5':
      return md5Of('prefix', first, fromHex(second));
    case 'sha1':
      return refuseDigest(
        'salted SHA-1 in the form of Django',
        { digest: 'sha1', of: first === '' ? 'password' : { join: [{ text: first }, 'password'] } },
        fromHex(second),
      );
    default:
      return text.startsWith('$')
        ? decodeDirect(text)
        : unsupported(`${nameOf(name)}, which is not one of Django's hashers that the target knows`);
  }
}

/** ASP.NET Identity: base64 that begins with a byte for the version. */
export function decodeAspNet({ hash }: HashParts): Decoded {
  const text = hash.trim();
  if (text.startsWith('$')) return decodeDirect(text);
  const [digest, format, salt] = text.split('|');
  if (salt !== undefined) return decodeMembership({ hash: digest ?? '', algorithm: format ?? '', salt });
  const blob = fromBase64(text);
  if (blob === undefined) return malformed('it is not base64');
  if (blob[0] === 0 && blob.length === 49) {
    return pbkdf2Of('sha1', 1000, blob.subarray(1, 17), blob.subarray(17));
  }
  if (blob[0] !== 1 || blob.length < 13) return unsupported('a format of ASP.NET Identity that is not known');
  const digestName = ['sha1', 'sha256', 'sha512'][blob.readUInt32BE(1)];
  const saltBytes = blob.readUInt32BE(9);
  if (digestName === undefined || saltBytes < 16 || blob.length < 13 + saltBytes + 16) {
    return malformed('the header of the hash does not fit its length');
  }
  const end = 13 + saltBytes;
  return pbkdf2Of(digestName, blob.readUInt32BE(5), blob.subarray(13, end), blob.subarray(end));
}

/** The providers before ASP.NET Identity: a digest of the salt and the password in UTF-16. */
export function decodeMembership({ hash, algorithm = '', salt = '' }: HashParts): Decoded {
  if (algorithm === '0') return { plain: hash };
  if (algorithm === '2') return encrypted('the password is encrypted with the key of the machine');
  const expected = fromBase64(hash);
  const saltBytes = fromBase64(salt);
  if (expected === undefined || saltBytes === undefined) return malformed('hash or salt are not base64');
  const password: Bytes = { step: 'utf-16le', of: 'password' };
  const detail = 'a digest of ASP.NET Membership';
  if (expected.length === 20) {
    const of: Bytes = { join: [{ base64: salt }, password] };
    return unsupported(detail, digestForm({ digest: 'sha1', of }, expected));
  }
  // The key of the HMAC is the salt, repeated to the size that the class expects.
  const key = { base64: Buffer.alloc(64, saltBytes).toString('base64') };
  return unsupported(detail, digestForm({ hmac: 'sha256', key, of: password }, expected));
}

export function encrypted(detail: string): Decoded {
  return { code: 'password:encrypted-by-source', detail };
}

/** Werkzeug, which Flask uses: `method:parameters$salt$hex`; the salt is text. */
export function decodeWerkzeug({ hash }: HashParts): Decoded {
  const match = /^([^$]*)\$([^$]*)\$([^$]*)$/.exec(hash.trim());
  if (match === null) return malformed('it is not of the form method$salt$hash');
  const [, method = '', salt = '', hex = ''] = match;
  const [name = '', first, second, third] = method.split(':');
  const key = fromHex(hex);
  if (name === 'pbkdf2')
    return pbkdf2Of(first ?? 'sha256', toCount(second ?? '1000000'), fromText(salt), key);
  if (name === 'scrypt') {
    const costs = {
      cost: toCount(first ?? '32768'),
      blockSize: toCount(second ?? '8'),
      parallelization: toCount(third ?? '1'),
    };
    return scryptOf(costs, fromText(salt), key);
  }
  if (name === 'plain') return { plain: hex };
  const digest = (['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'] as const).find(
    (one) => one === name,
  );
  if (digest === undefined || key === undefined) return unsupported(`the method ${nameOf(name)}`);
  const of: Bytes =
    salt === '' ? { digest, of: 'password' } : { hmac: digest, key: { text: salt }, of: 'password' };
  return unsupported(`an HMAC with ${name}, as Werkzeug before 3.0 wrote it`, digestForm(of, key));
}

/**
 * Flask-Security hashes an HMAC of the password, with every scheme but those in the form of Django and plain text, unless
 * its settings say otherwise (PASSWORD_SINGLE_HASH and use_double_hash of Flask-Security-Too 5.9.2).
 */
export function decodeFlaskSecurity({ hash, secret }: HashParts): Decoded {
  if (/^(?:pbkdf2_sha(?:1|256)|argon2|bcrypt|bcrypt_sha256|sha1|md5|crypt)\$/.test(hash))
    return decodeDjango({ hash });
  if (/^[./0-9A-Za-z]{13}$/.test(hash)) return unsupported('a DES crypt hash');
  if (/^(?:[\w:.-]+\$[^$]*\$)?(?:[0-9a-f]{2}){16,}$/i.test(hash))
    return unsupported('a digest of another application');
  if (!/^[${]/.test(hash)) return { plain: hash };
  const key: Bytes =
    secret === undefined
      ? { secret: 'SECURITY_PASSWORD_SALT' }
      : { base64: Buffer.from(secret).toString('base64') };
  const of: Bytes = { hmac: 'sha512', key, of: 'password', as: 'base64' };
  const decoded = decodeDirect(hash);
  if (!('mcf' in decoded)) return decoded;
  return peppered('Flask-Security hashes an HMAC of the password with SECURITY_PASSWORD_SALT', {
    kind: 'mcf',
    mcf: decoded.mcf,
    of,
  });
}

/** A hash string over something else than the password, which its text does not show. */
export function decodePrehashed(source: string, of: Bytes, detail: string): Decoded {
  const decoded = decodeDirect(source);
  if (!('mcf' in decoded)) return decoded;
  return prehashed(detail, { kind: 'mcf', mcf: decoded.mcf, of });
}

export function decodeMeteor({ hash }: HashParts): Decoded {
  return decodePrehashed(hash, hexSha256, 'Meteor hashes a SHA-256 of the password, not the password');
}

export function decodeFastapiBoilerplate({ hash }: HashParts): Decoded {
  return decodePrehashed(hash, base64Sha256, 'bcrypt over a SHA-256 of the password, not the password');
}

const nfkc: Bytes = { step: 'nfkc', of: 'password' };

/** Better Auth and Lucia: `salt:key`; the salt is the text of the hexadecimal digits. */
export function decodeBetterAuth({ hash }: HashParts): Decoded {
  const text = hash.trim();
  if (text.startsWith('$')) return decodeDirect(text);
  const parts = text.split(':');
  if (parts[0] === 's2') parts.shift();
  const [salt = '', hex = '', ...more] = parts;
  const key = fromHex(hex);
  if (key === undefined || salt === '' || more.length > 0) return malformed('it is not of the form salt:key');
  const isHexSalt = /^[0-9a-f]{32}$/.test(salt);
  // The salt is hashed as the text that it is: in upper case it is not what was hashed.
  if (!isHexSalt && /^[0-9a-f]{32}$/i.test(salt)) return malformed('the salt is in upper case');
  const isOld = !text.startsWith('s2:') && !isHexSalt;
  const costs = { cost: 16_384, blockSize: isOld ? 8 : 16, parallelization: 1 };
  return altered(scryptOf(costs, fromText(salt), key), nfkc);
}

/** Payload; its older form is passport-local-mongoose's: the salt is the text of hexadecimal digits. */
export function decodePayload({ hash, salt = '' }: HashParts): Decoded {
  const text = hash.trim();
  const current = 'pbkdf2-sha256-v1:';
  return text.startsWith(current)
    ? pbkdf2Of('sha256', 600_000, fromText(salt), fromHex(text.slice(current.length)))
    : pbkdf2Of('sha256', 25_000, fromText(salt), fromHex(text));
}

/** passport-local-mongoose: settings may name another digest and other rounds. */
export function decodePassportLocal({ hash, salt = '', algorithm, rounds }: HashParts): Decoded {
  return pbkdf2Of(algorithm ?? 'sha256', toCount(rounds ?? '25000'), fromText(salt), fromHex(hash.trim()));
}

/** bcrypt of what is typed, unless that is longer than 72 bytes. */
export function decodeSymfony({ hash }: HashParts): Decoded {
  const decoded = decodeDirect(hash);
  if (!('mcf' in decoded) || !decoded.mcf.startsWith('$2')) return decoded;
  return altered(decoded, { step: 'sha512-if-long', of: 'password' });
}

/** Hashers of Symfony with a salt of their own: PBKDF2, or a digest many times. */
export function decodeSymfonyLegacy({ hash, salt = '', algorithm, rounds, options }: HashParts): Decoded {
  const text = hash.trim();
  if (text.startsWith('$')) return decodeSymfony({ hash });
  const bytes = fromBase64(text);
  // Without a word of the mapping, the lengths of the defaults tell them apart: 40 bytes of PBKDF2, 64 of SHA-512.
  const name = algorithm ?? (bytes?.length === 64 ? 'sha512' : 'pbkdf2');
  if (name === 'pbkdf2') {
    const digest = typeof options?.['digest'] === 'string' ? options['digest'] : 'sha512';
    return pbkdf2Of(digest, toCount(rounds ?? '1000'), fromText(salt), bytes);
  }
  if (name !== 'sha512' && name !== 'sha256' && name !== 'sha1' && name !== 'md5') {
    return unsupported(`the algorithm ${nameOf(name)}`);
  }
  const salted: Bytes = salt === '' ? 'password' : { join: ['password', { text: `{${salt}}` }] };
  const digest = { digest: name, of: salted, again: salted, rounds: toCount(rounds ?? '5000') } as const;
  return refuseDigest(`iterated ${name} in the form of Symfony`, digest, bytes);
}

/** Jakarta Security: `PBKDF2WithHmacSHA256:rounds:salt:key`. */
export function decodeJakarta({ hash }: HashParts): Decoded {
  const match = /^PBKDF2WithHmacSHA(1|224|256|384|512):(\d+):([^:]+):([^:]+)$/.exec(hash.trim());
  if (match === null) return unsupported('a form of Jakarta Security that is not PBKDF2');
  const [, bits = '', rounds, salt = '', key = ''] = match;
  return pbkdf2Of(`sha${bits}`, toCount(rounds), fromBase64(salt), fromBase64(key));
}

/** Devise hashes with bcrypt; a pepper is in its settings, not in the hash. */
export function decodeDevise({ hash, secret }: HashParts): Decoded {
  const decoded = decodeOnly(hash, ['$2', '$argon2', '$pbkdf2', '$scrypt'], 'a hash of Devise');
  return secret === undefined ? decoded : decodePeppered(decoded, secret, 'suffix');
}

/** A hash over the password with a secret before or after it. */
export function decodePeppered(
  decoded: Decoded,
  secret: Uint8Array | undefined,
  place: 'prefix' | 'suffix',
): Decoded {
  if (!('mcf' in decoded)) return decoded;
  const pepper: Bytes =
    secret === undefined ? { secret: 'pepper' } : { base64: Buffer.from(secret).toString('base64') };
  const of: Bytes = { join: place === 'prefix' ? [pepper, 'password'] : ['password', pepper] };
  const form = overBytes(decoded.mcf, of);
  return peppered('a secret (pepper) was added to the password before it was hashed', form);
}

/** MD4 of the password in UTF-16: 32 hexadecimal digits that look like MD5. */
export function decodeNtHash({ hash }: HashParts): Decoded {
  const of = { digest: 'md4', of: { step: 'utf-16le', of: 'password' } } as const;
  return refuseDigest('an NT hash (MD4)', of, fromHex(hash.trim()));
}

/** A text that is the password itself. */
export function decodePlain({ hash }: HashParts): Decoded {
  return { plain: hash };
}

/** Bare hexadecimal digits, because the mapping says that they are MD5 of the password. */
export function decodeMd5({ hash }: HashParts): Decoded {
  const text = hash.trim();
  const bytes = fromHex(text) ?? fromBase64(text);
  return bytes?.length === 16 ? md5Of('prefix', '', bytes) : malformed('it is not an MD5 digest of 16 bytes');
}

/** What says itself what it is, and is a hash string of the target. */
export function decodeMcf({ hash }: HashParts): Decoded {
  return decodeDirect(hash);
}
