/** What sources are known to do to a password before they hash it, with texts about it. */
import { wordpressHmac, wordpressPassword } from './rows/strings.ts';

/** `made` is a formula: the value of `prehash` in a mapping. `title` follows "the hash was made from". */
export type Alteration = readonly [
  made: string,
  title: string,
  /** Products that are known to do it. */
  known?: string | undefined,
  /** Users who are affected. Set if only some passwords are altered, so that the hashes can still move. */
  only?: string,
];

const digests: readonly (readonly [name: string, title: string, known?: string])[] = [
  ['md5', 'MD5', 'vBulletin 5'],
  ['sha1', 'SHA-1'],
  ['sha256', 'SHA-256', 'Meteor and Django’s bcrypt_sha256'],
  ['sha512', 'SHA-512'],
];

/** In the order in which they are tried: cheap ones, and those that only affect some passwords, come first. */
export const alterations: readonly Alteration[] = [
  [
    'trim(password)',
    'the password without the blanks at its ends',
    'WordPress and Joomla',
    'whose password has a blank at an end',
  ],
  ['nfc(password)', 'the password in the Unicode form NFC', undefined, 'whose password NFC changes'],
  [
    'nfkc(password)',
    'the password in the Unicode form NFKC',
    'Better Auth and Lucia',
    'whose password NFKC changes',
  ],
  [
    'nfkd(password)',
    'the password in the Unicode form NFKD',
    'Flask-Security',
    'whose password NFKD changes',
  ],
  [
    'html-escape(password)',
    'the password with HTML entities for & < > "',
    'phpBB',
    'whose password has one of these characters',
  ],
  [
    wordpressPassword,
    'the password with a backslash before each quote',
    'WordPress',
    'whose password has a quote or a backslash',
  ],
  ['latin1(password)', 'the password in Latin-1', undefined, 'whose password has a letter outside of ASCII'],
  ['lower(password)', 'the password in lower case', undefined, 'whose password has a capital letter'],
  [
    'sha512-if-long(password)',
    'the base64 of its SHA-512, because the password is longer than 72 bytes',
    'Symfony',
    'whose password is that long',
  ],
  ...digests.map(([name, title, known]): Alteration => [
    `hex(${name}(password))`,
    `the hexadecimal ${title} of the password`,
    known,
  ]),
  ...digests.map(([name, title]): Alteration => [
    `base64(${name}(password))`,
    `the base64 of the ${title} of the password`,
  ]),
  [wordpressHmac, 'an HMAC of the password', 'WordPress 6.8'],
  ['sha256(password)', 'the bytes of the SHA-256 of the password'],
  ['sha512(password)', 'the bytes of the SHA-512 of the password'],
  ['hex(md5(hex(md5(password))))', 'the MD5 of the MD5 of the password'],
  ['utf-16le(password)', 'the password in UTF-16', 'ASP.NET Membership'],
];
