/** How applications with their own users store passwords: sites, forums, shops, wikis. */
import {
  ambiguous,
  encrypted,
  malformed,
  none,
  peppered,
  prehashed,
  unsupported,
} from '../../mcf/algorithm.ts';
import type { HashDecoder, HashRow } from '../row.ts';
import { inBase64, isMcf, mcf, md5Hex, wordpressPassword } from './strings.ts';

export const wordpressRows: readonly HashRow[] = [
  { ...md5Hex, typed: wordpressPassword },
  { typed: wordpressPassword },
];

/** Hashes have the form `:type:parameters…`. */
export const mediawikiRows: readonly HashRow[] = [
  {
    hash: ':pbkdf2:<digest>:<rounds>:<>:<salt>:<key>',
    kdf: 'pbkdf2',
    ...inBase64,
  },
  { hash: ':argon2:<text>' },
  {
    hash: /^:bcrypt:(?<cost>\d{1,2})\$(?<salt>[./A-Za-z0-9]{22})[$:]?(?<key>[./A-Za-z0-9]{31})$/,
    set: { text: '$2y$<cost>$<salt><key>' },
  },
  { hash: ':bcrypt:<>', refuse: malformed('cost, salt and digest cannot be read') },
  { hash: ':A:<key>', of: 'md5(password)' },
  {
    hash: ':B:<salt>:<key>',
    of: 'md5(salt + "-" + hex(md5(password)))',
    title: 'MD5 of an MD5 in the form of MediaWiki',
  },
  { hash: ':<:peppered|encrypted>:<>', refuse: encrypted('the hash is encrypted with a key of the wiki') },
  {
    hash: ':<>legacy<>',
    refuse: prehashed('MediaWiki has hashed an older hash again, not the password'),
  },
  { hash: ':<type>:<:20><>', refuse: unsupported('the type <type>') },
  { refuse: unsupported('a digest without a type, of MediaWiki before 1.13') },
];

/** Nextcloud marks its hashes with a number. Unmarked hashes are from ownCloud. */
export const nextcloudRows: readonly HashRow[] = [
  { hash: '<:1|2|3>|<text>' },
  {
    hash: '$2<>',
    typed: 'password + secret',
    secret: 'passwordsalt',
    refuse: peppered('ownCloud has added its passwordsalt to the password'),
  },
  { of: 'sha1(password)', title: 'SHA-1, as ownCloud wrote it' },
];

export const applications = {
  /** Three columns. The salt is hashed as the text of its hexadecimal digits. */
  discourse: {
    title: 'Discourse',
    rows: [
      {
        algorithm: '[$pbkdf2-<digest>$i=<rounds:#>,l=<:#><end>]',
        kdf: 'pbkdf2',
        set: { digest: 'sha256', rounds: '64000' },
      },
      { refuse: unsupported('an algorithm of Discourse that is not PBKDF2') },
    ],
    converts: 'PBKDF2',
  },
  drupal: {
    title: 'Drupal',
    rows: [md5Hex, mcf],
    converts: '`$S$`, bcrypt, Argon2, MD5',
    refuses: '`U$S$`, `U$H$`',
  },
  /** `digest:salt` before version 3.2, PHP's hash strings since. */
  joomla: {
    title: 'Joomla',
    rows: [
      {
        hash: '<key:hex32>[:<salt>]',
        of: 'md5(password + salt)',
      },
      {
        hash: /^(?:\{SHA256\})?(?<key>[0-9a-f]{64}|(?<=\})[0-9a-f]{32})(?::(?<salt>.*))?$/is,
        of: 'sha256(password + salt)',
        title: 'SHA-256 in the form of Joomla',
      },
      { typed: 'trim(password)' },
    ],
    converts: 'bcrypt, phpass, `digest:salt`',
    refuses: '`{SHA256}`',
  },
  /** `digest:salt:version`. Version 0 is MD5, 1 is SHA-256, 2 and 3 are Argon2. Several versions are layers. */
  magento: {
    title: 'Magento',
    rows: [
      isMcf,
      {
        hash: '<>:<>:<>:<>',
        refuse: prehashed('Magento has hashed an older hash again, not the password'),
      },
      {
        hash: '<key:hex32>[:<salt>[:0]]',
        of: 'md5(salt + password)',
      },
      {
        hash: '<key:hex64>:<salt>[:1]',
        of: 'sha256(salt + password)',
        title: 'SHA-256 in the form of Magento',
      },
      {
        hash: '<key:hex>:<salt>:<:2|3>[_<length:#>][_<t:#>][_<memory:#>]',
        kdf: 'argon2',
        set: { length: '32', t: '2', variant: 'id', p: '1' },
        read: (text) => ({
          salt: text('salt').slice(0, 16),
          m: String(Number(text('memory') || 67_108_864) / 1024),
        }),
      },
      { hash: '<:hex>:<>:<version>', refuse: unsupported("version <version> of Magento's hashes") },
      { refuse: unsupported("version 0 of Magento's hashes") },
    ],
    converts: 'MD5, Argon2',
    refuses: 'SHA-256, hashes of hashes',
  },
  mediawiki: {
    title: 'MediaWiki',
    rows: mediawikiRows,
    converts: '`:pbkdf2:`, `:argon2:`, `:bcrypt:`, `:A:`',
    refuses: '`:B:`, legacy layers, `:encrypted:`',
  },
  /** MD5 with the salt of the site before version 2.5, PHP's hash strings since. */
  moodle: {
    title: 'Moodle',
    rows: [
      {
        hash: '<:not cached|restored|to be generated>',
        refuse: none('Moodle has no password for this account'),
      },
      {
        ...md5Hex,
        of: 'md5(password + secret)',
        secret: 'passwordsaltmain',
        refuse: peppered('MD5 with the salt of the site (passwordsaltmain): give it as a secret'),
      },
      {
        when: { secret: '<:+>' },
        typed: 'password + secret',
        refuse: peppered('a secret of the site (passwordpeppers) was added to the password'),
      },
      mcf,
    ],
    converts: '`$6$`, bcrypt; MD5 with the salt of the site',
    refuses: 'hashes with `passwordpeppers`',
  },
  /** Also Invision Power Board before 4: MD5 of the MD5s of salt and password. */
  mybb: {
    title: 'MyBB, Invision Power Board',
    rows: [
      isMcf,
      {
        of: 'md5(hex(md5(salt)) + hex(md5(password)))',
        title: 'MD5 of two MD5s in the form of MyBB',
      },
    ],
    converts: 'bcrypt',
    refuses: 'MD5 of two MD5s',
  },
  nextcloud: {
    title: 'Nextcloud',
    rows: nextcloudRows,
    converts: '`1|`, `2|`, `3|`',
    refuses: 'bcrypt and SHA-1 of ownCloud',
  },
  /** phpBB escapes `& < > "` before it hashes. Hashes that it took over from other forums have no known form. */
  phpbb: {
    title: 'phpBB',
    rows: [{ typed: 'html-escape(nfc(trim(password)))' }],
    converts: 'bcrypt, Argon2, phpass',
    refuses: 'hashes of other forums',
  },
  /** MD5 of the shop's key and the password before version 1.7. */
  prestashop: {
    title: 'PrestaShop',
    rows: [
      {
        ...md5Hex,
        of: 'md5(secret + password)',
        secret: '_COOKIE_KEY_',
        refuse: peppered('MD5 of the key of the shop (_COOKIE_KEY_) and the password'),
      },
      mcf,
    ],
    converts: 'bcrypt; MD5 with the key of the shop',
    refuses: 'MD5 without that key',
  },
  /** SHA-1 of the lower-case user name and the password. Newer versions hash the same text with bcrypt. */
  smf: {
    title: 'SMF',
    rows: [
      {
        when: { salt: '' },
        refuse: ambiguous('SMF hashes the username with the password: give it as the salt'),
      },
      {
        ...isMcf,
        typed: 'lower(salt) + password',
        refuse: prehashed('SMF hashes the username with the password'),
      },
      {
        of: 'sha1(lower(salt) + password)',
        title: 'SHA-1 with the username, as SMF writes it',
      },
    ],
    converts: '',
    refuses: 'SHA-1 and bcrypt with the username',
  },
  /** vBulletin 3 and 4: MD5 twice with a salt. vBulletin 5: bcrypt or Argon2 over MD5. */
  vbulletin: {
    title: 'vBulletin',
    rows: [
      {
        ...isMcf,
        typed: 'hex(md5(password))',
        refuse: prehashed('vBulletin 5 hashes an MD5 of the password, not the password'),
      },
      {
        when: { salt: '<:+>' },
        of: 'md5(hex(md5(password)) + salt)',
        title: 'MD5 of an MD5 in the form of vBulletin',
      },
      { refuse: unsupported('MD5 of an MD5 in the form of vBulletin') },
    ],
    converts: '',
    refuses: 'MD5 of an MD5, bcrypt and Argon2 over MD5',
  },
  /** bcrypt of a bcrypt hash with the same salt. */
  woltlab: {
    title: 'WoltLab',
    rows: [
      {
        hash: '[<:Bcrypt|wcf2|DoubleBcrypt>:]<text>',
        typed: 'bcrypt(password)',
        refuse: prehashed('WoltLab hashes a bcrypt hash of the password, not the password'),
      },
    ],
    converts: '',
    refuses: 'bcrypt of bcrypt',
  },
  wordpress: {
    title: 'WordPress',
    rows: wordpressRows,
    converts: 'phpass, bcrypt, Argon2, MD5',
    refuses: '`$wp$2y$` of WordPress 6.8 and later',
  },
  /** A hash string inside a list that PHP serialized. */
  xenforo: {
    title: 'XenForo',
    rows: [{ hash: /s:4:"hash";s:\d{1,4}:"(?<text>[^"]{0,300})"/ }, mcf],
    converts: 'bcrypt, phpass',
  },
} satisfies Record<string, HashDecoder>;
