/** What sources are known to do to a password before they hash it, with the words for it. */
import { wordpressHmac, wordpressPassword } from './rows/strings.ts';

export interface Alteration {
  /** A formula: the value of `prehash` in a mapping. */
  readonly made: string;
  /** What was hashed, after "the hash was made from". */
  readonly title: string;
  /** Who is known to do it. */
  readonly known?: string | undefined;
  /** For which users it matters, where only some passwords are altered and hashes can be carried. */
  readonly only?: string;
}

const digests: readonly (readonly [name: string, title: string, known?: string])[] = [
  ['md5', 'MD5', 'vBulletin 5'],
  ['sha1', 'SHA-1'],
  ['sha256', 'SHA-256', 'Meteor and Django’s bcrypt_sha256'],
  ['sha512', 'SHA-512'],
];

/** Cheap ones and those of single passwords first; the order in which they are tried. */
export const alterations: readonly Alteration[] = [
  {
    made: 'trim(password)',
    title: 'the password without the blanks at its ends',
    known: 'WordPress and Joomla',
    only: 'whose password has a blank at an end',
  },
  {
    made: 'nfc(password)',
    title: 'the password in the Unicode form NFC',
    only: 'whose password NFC changes',
  },
  {
    made: 'nfkc(password)',
    title: 'the password in the Unicode form NFKC',
    known: 'Better Auth and Lucia',
    only: 'whose password NFKC changes',
  },
  {
    made: 'nfkd(password)',
    title: 'the password in the Unicode form NFKD',
    known: 'Flask-Security',
    only: 'whose password NFKD changes',
  },
  {
    made: 'html-escape(password)',
    title: 'the password with HTML entities for & < > "',
    known: 'phpBB',
    only: 'whose password has one of these characters',
  },
  {
    made: wordpressPassword,
    title: 'the password with a backslash before each quote',
    known: 'WordPress',
    only: 'whose password has a quote or a backslash',
  },
  {
    made: 'lower(password)',
    title: 'the password in lower case',
    only: 'whose password has a capital letter',
  },
  {
    made: 'sha512-if-long(password)',
    title: 'the base64 of its SHA-512, because the password is longer than 72 bytes',
    known: 'Symfony',
    only: 'whose password is that long',
  },
  ...digests.map(([name, title, known]): Alteration => ({
    made: `hex(${name}(password))`,
    title: `the hexadecimal ${title} of the password`,
    known,
  })),
  ...digests.map(([name, title]): Alteration => ({
    made: `base64(${name}(password))`,
    title: `the base64 of the ${title} of the password`,
  })),
  { made: wordpressHmac, title: 'an HMAC of the password', known: 'WordPress 6.8' },
  { made: 'sha256(password)', title: 'the bytes of the SHA-256 of the password' },
  { made: 'sha512(password)', title: 'the bytes of the SHA-512 of the password' },
  { made: 'hex(md5(hex(md5(password))))', title: 'the MD5 of the MD5 of the password' },
  { made: 'utf-16le(password)', title: 'the password in UTF-16', known: 'ASP.NET Membership' },
];
