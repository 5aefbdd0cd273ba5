/** How applications with users of their own store passwords: sites, forums, shops, wikis. */
import { malformed, nameOf } from '../mcf/algorithm.ts';
import {
  altered,
  ambiguous,
  argon2Of,
  type Decoded,
  digestForm,
  md5Of,
  none,
  pbkdf2Of,
  peppered,
  type HashParts,
  prehashed,
  refuseDigest,
  unsupported,
} from './decoded.ts';
import { decodeDirect, hexMd5, wordpressPassword } from './direct.ts';
import { fromBase64, fromHex, fromText, toCount } from './encodings.ts';
import type { Bytes } from './form.ts';
import { decodePrehashed } from './frameworks.ts';

const md5Pattern = /^[0-9a-f]{32}$/i;
const trimmed: Bytes = { step: 'trim', of: 'password' };

export function decodeWordPress({ hash }: HashParts): Decoded {
  const text = hash.trim();
  const decoded = md5Pattern.test(text) ? md5Of('prefix', '', fromHex(text)) : decodeDirect(text);
  return altered(decoded, wordpressPassword);
}

export function decodeDrupal({ hash }: HashParts): Decoded {
  const text = hash.trim();
  return md5Pattern.test(text) ? md5Of('prefix', '', fromHex(text)) : decodeDirect(text);
}

/** `digest:salt` before 3.2; then hash strings of PHP. */
export function decodeJoomla({ hash }: HashParts): Decoded {
  const text = hash.trim();
  const match = /^(\{SHA256\})?([0-9a-f]{32}|[0-9a-f]{64})(?::(.*))?$/is.exec(text);
  if (match === null) return altered(decodeDirect(text), trimmed);
  const [, sha256, hex = '', salt = ''] = match;
  if (sha256 === undefined && hex.length === 32) return md5Of('suffix', salt, fromHex(hex));
  const of: Bytes = salt === '' ? 'password' : { join: ['password', { text: salt }] };
  return refuseDigest('SHA-256 in the form of Joomla', { digest: 'sha256', of }, fromHex(hex));
}

/** phpBB escapes `& < > "` before it hashes. Its hashes of other forums are of no known form. */
export function decodePhpbb({ hash }: HashParts): Decoded {
  const escaped: Bytes = { step: 'html-escape', of: { step: 'nfc', of: trimmed } };
  return altered(decodeDirect(hash), escaped);
}

/** `digest:salt:version`; version 0 is MD5, 1 SHA-256, 2 and 3 Argon2, several are layers. */
export function decodeMagento({ hash }: HashParts): Decoded {
  const text = hash.trim();
  if (text.startsWith('$')) return decodeDirect(text);
  const [hex = '', salt = '', version = '0', ...layers] = text.split(':');
  const digest = fromHex(hex);
  if (layers.length > 0) return prehashed('Magento has hashed an older hash again, not the password');
  if (hex.length === 32 && version === '0') return md5Of('prefix', salt, digest);
  if (hex.length === 64 && (version === '1' || text.split(':').length === 2)) {
    const of: Bytes = salt === '' ? 'password' : { join: [{ text: salt }, 'password'] };
    return refuseDigest('SHA-256 in the form of Magento', { digest: 'sha256', of }, digest);
  }
  const [kind, bytes = '32', time = '2', memory = '67108864'] = version.split('_');
  if (digest === undefined || (kind !== '2' && kind !== '3') || digest.length !== Number(bytes)) {
    return unsupported(`version ${nameOf(version)} of Magento's hashes`);
  }
  const costs = { variant: 'id', memory: toCount(memory) / 1024, time: toCount(time), threads: 1 };
  return argon2Of(costs, fromText(salt).subarray(0, 16), digest);
}

/** PrestaShop before 1.7: MD5 of the key of the shop and the password. */
export function decodePrestashop({ hash, secret }: HashParts): Decoded {
  const text = hash.trim();
  const digest = md5Pattern.test(text) ? fromHex(text) : undefined;
  if (digest === undefined) return decodeDirect(text);
  if (secret !== undefined) return md5Of('prefix', Buffer.from(secret).toString('utf8'), digest);
  const of: Bytes = { digest: 'md5', of: { join: [{ secret: '_COOKIE_KEY_' }, 'password'] } };
  return peppered('MD5 of the key of the shop (_COOKIE_KEY_) and the password', digestForm(of, digest));
}

/** Moodle: MD5 before 2.5, with the salt of the site; then hash strings of PHP. */
export function decodeMoodle({ hash, secret }: HashParts): Decoded {
  const text = hash.trim();
  if (text === 'not cached' || text === 'restored' || text === 'to be generated') {
    return none('Moodle has no password for this account');
  }
  if (!md5Pattern.test(text)) {
    const decoded = decodeDirect(text);
    if (secret === undefined || !('mcf' in decoded)) return decoded;
    const pepper: Bytes = { base64: Buffer.from(secret).toString('base64') };
    const form = { kind: 'mcf', mcf: decoded.mcf, of: { join: ['password', pepper] } } as const;
    return peppered('a secret of the site (passwordpeppers) was added to the password', form);
  }
  const digest = fromHex(text);
  if (secret !== undefined) return md5Of('suffix', Buffer.from(secret).toString('utf8'), digest);
  const of: Bytes = { digest: 'md5', of: { join: ['password', { secret: 'passwordsaltmain' }] } };
  const form = digest === undefined ? undefined : digestForm(of, digest);
  return peppered('MD5 with the salt of the site (passwordsaltmain): give it as a secret', form);
}

/** vBulletin 3 and 4: MD5 twice with a salt; 5: bcrypt or Argon2 over MD5. */
export function decodeVbulletin({ hash, salt = '' }: HashParts): Decoded {
  const text = hash.trim();
  if (text.startsWith('$')) {
    return decodePrehashed(text, hexMd5, 'vBulletin 5 hashes an MD5 of the password, not the password');
  }
  const title = 'MD5 of an MD5 in the form of vBulletin';
  if (salt === '') return unsupported(title);
  const of: Bytes = { join: [hexMd5, { text: salt }] };
  return refuseDigest(title, { digest: 'md5', of }, fromHex(text));
}

/** MyBB and Invision Power Board before 4: MD5 of the MD5s of salt and password. */
export function decodeMybb({ hash, salt = '' }: HashParts): Decoded {
  const text = hash.trim();
  if (text.startsWith('$')) return decodeDirect(text);
  const of: Bytes = { join: [{ digest: 'md5', of: { text: salt }, as: 'hex' }, hexMd5] };
  return refuseDigest('MD5 of two MD5s in the form of MyBB', { digest: 'md5', of }, fromHex(text));
}

/** WoltLab: bcrypt of a bcrypt hash with the same salt. */
export function decodeWoltlab({ hash }: HashParts): Decoded {
  const text = hash.trim().replace(/^(?:Bcrypt|wcf2|DoubleBcrypt):/i, '');
  const decoded = decodeDirect(text);
  if (!('mcf' in decoded)) return decoded;
  const of: Bytes = { bcryptLike: decoded.mcf, of: 'password' };
  return prehashed('WoltLab hashes a bcrypt hash of the password, not the password', {
    kind: 'mcf',
    mcf: decoded.mcf,
    of,
  });
}

/** XenForo: a hash string inside of a list that PHP has serialized. */
export function decodeXenforo({ hash }: HashParts): Decoded {
  const inner = /s:4:"hash";s:\d{1,4}:"([^"]{0,300})"/.exec(hash)?.[1];
  return decodeDirect(inner ?? hash);
}

/** MediaWiki: `:type:parameters…`. */
export function decodeMediawiki({ hash }: HashParts): Decoded {
  const text = hash.trim();
  const [before, type = '', ...rest] = text.split(':');
  if (before !== '') return unsupported('a digest without a type, of MediaWiki before 1.13');
  switch (type) {
    case 'pbkdf2': {
      const [digest = '', rounds, , salt = '', key = ''] = rest;
      return pbkdf2Of(digest, toCount(rounds), fromBase64(salt), fromBase64(key));
    }
    case 'argon2':
      return decodeDirect(rest.join(':'));
    case 'bcrypt': {
      const match = /^(\d{1,2})\$([./A-Za-z0-9]{22})[$:]?([./A-Za-z0-9]{31})$/.exec(rest.join(':'));
      if (match === null) return malformed('cost, salt and digest cannot be read');
      const [, cost = '', salt = '', digest = ''] = match;
      return decodeDirect(`$2y$${cost.padStart(2, '0')}$${salt}${digest}`);
    }
    case 'A':
      return md5Of('prefix', '', fromHex(rest[0] ?? ''));
    case 'B': {
      const [salt = '', hex = ''] = rest;
      const of: Bytes = { join: [{ text: `${salt}-` }, hexMd5] };
      return refuseDigest('MD5 of an MD5 in the form of MediaWiki', { digest: 'md5', of }, fromHex(hex));
    }
    case 'peppered':
    case 'encrypted':
      return { code: 'password:encrypted-by-source', detail: 'the hash is encrypted with a key of the wiki' };
    default:
      return type.includes('legacy')
        ? prehashed('MediaWiki has hashed an older hash again, not the password')
        : unsupported(`the type ${nameOf(type)}`);
  }
}

/** Discourse: three columns; the salt is the text of hexadecimal digits. */
export function decodeDiscourse({ hash, salt = '', algorithm }: HashParts): Decoded {
  const name = algorithm === undefined || algorithm === '' ? '$pbkdf2-sha256$i=64000,l=32$' : algorithm;
  const match = /^\$pbkdf2-(sha\d+)\$i=(\d+),l=\d+\$?$/.exec(name);
  if (match === null) return unsupported('an algorithm of Discourse that is not PBKDF2');
  return pbkdf2Of(match[1] ?? '', toCount(match[2]), fromText(salt), fromHex(hash.trim()));
}

/** Nextcloud marks its hashes with a number; what has none is of ownCloud. */
export function decodeNextcloud({ hash }: HashParts): Decoded {
  const text = hash.trim();
  const marked = /^[123]\|(.*)$/s.exec(text);
  if (marked !== null) return decodeDirect(marked[1] ?? '');
  if (text.startsWith('$2')) {
    const decoded = decodeDirect(text);
    const of: Bytes = { join: ['password', { secret: 'passwordsalt' }] };
    return 'mcf' in decoded
      ? peppered('ownCloud has added its passwordsalt to the password', { kind: 'mcf', mcf: decoded.mcf, of })
      : decoded;
  }
  return refuseDigest('SHA-1, as ownCloud wrote it', { digest: 'sha1', of: 'password' }, fromHex(text));
}

/** SMF: SHA-1 of the name in lower case and the password; newer ones hash the same text with bcrypt. */
export function decodeSmf({ hash, salt = '' }: HashParts): Decoded {
  const text = hash.trim();
  if (salt === '') return ambiguous('SMF hashes the username with the password: give it as the salt');
  const of: Bytes = { join: [{ step: 'lower', of: { text: salt } }, 'password'] };
  return text.startsWith('$')
    ? decodePrehashed(text, of, 'SMF hashes the username with the password')
    : refuseDigest('SHA-1 with the username, as SMF writes it', { digest: 'sha1', of }, fromHex(text));
}
