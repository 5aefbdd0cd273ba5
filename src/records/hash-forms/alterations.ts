/** What sources are known to do to a password before they hash it, with the words for it. */
import { base64Sha256, hexMd5, hexSha256, wordpressHmac, wordpressPassword } from './direct.ts';
import type { Bytes, DigestName } from './form.ts';

export interface Alteration {
  readonly of: Bytes;
  /** What was hashed, after "the hash was made from". */
  readonly title: string;
  /** Who is known to do it. */
  readonly known?: string | undefined;
  /** The value of `prehash` in a mapping; absent where only some passwords are altered, and hashes can be carried. */
  readonly prehash?: string;
  /** For which users it matters, where hashes can be carried. */
  readonly only?: string;
}

const digests: readonly (readonly [digest: DigestName, title: string])[] = [
  ['md5', 'MD5'],
  ['sha1', 'SHA-1'],
  ['sha256', 'SHA-256'],
  ['sha512', 'SHA-512'],
];

const knownHex: Readonly<Record<string, string>> = {
  md5: 'vBulletin 5',
  sha256: 'Meteor and Django’s bcrypt_sha256',
};

/** Cheap ones and those of single passwords first; the order in which they are tried. */
export const alterations: readonly Alteration[] = [
  {
    of: { step: 'trim', of: 'password' },
    title: 'the password without the blanks at its ends',
    known: 'WordPress and Joomla',
    only: 'whose password has a blank at an end',
  },
  {
    of: { step: 'nfc', of: 'password' },
    title: 'the password in the Unicode form NFC',
    only: 'whose password NFC changes',
  },
  {
    of: { step: 'nfkc', of: 'password' },
    title: 'the password in the Unicode form NFKC',
    known: 'Better Auth and Lucia',
    only: 'whose password NFKC changes',
  },
  {
    of: { step: 'html-escape', of: 'password' },
    title: 'the password with HTML entities for & < > "',
    known: 'phpBB',
    only: 'whose password has one of these characters',
  },
  {
    of: wordpressPassword,
    title: 'the password with a backslash before each quote',
    known: 'WordPress',
    only: 'whose password has a quote or a backslash',
  },
  {
    of: { step: 'lower', of: 'password' },
    title: 'the password in lower case',
    only: 'whose password has a capital letter',
  },
  {
    of: { step: 'sha512-if-long', of: 'password' },
    title: 'the base64 of its SHA-512, because the password is longer than 72 bytes',
    known: 'Symfony',
    only: 'whose password is that long',
  },
  ...digests.map(([digest, title]): Alteration => ({
    of: digestOf(digest, 'hex'),
    title: `the hexadecimal ${title} of the password`,
    known: knownHex[digest],
    prehash: digest,
  })),
  ...digests.map(([digest, title]): Alteration => ({
    of: digestOf(digest, 'base64'),
    title: `the base64 of the ${title} of the password`,
    prehash: digest === 'sha256' || digest === 'sha512' ? `${digest}-base64` : 'other',
  })),
  {
    of: wordpressHmac,
    title: 'an HMAC of the password',
    known: 'WordPress 6.8',
    prehash: 'hmac',
  },
  {
    of: { digest: 'sha256', of: 'password' },
    title: 'the bytes of the SHA-256 of the password',
    prehash: 'other',
  },
  {
    of: { digest: 'sha512', of: 'password' },
    title: 'the bytes of the SHA-512 of the password',
    prehash: 'other',
  },
  {
    of: { digest: 'md5', of: hexMd5, as: 'hex' },
    title: 'the MD5 of the MD5 of the password',
    prehash: 'other',
  },
  {
    of: { step: 'utf-16le', of: 'password' },
    title: 'the password in UTF-16',
    known: 'ASP.NET Membership',
    prehash: 'other',
  },
];

function digestOf(digest: DigestName, as: 'hex' | 'base64'): Bytes {
  if (digest === 'sha256') return as === 'hex' ? hexSha256 : base64Sha256;
  return { digest, of: 'password', as };
}
