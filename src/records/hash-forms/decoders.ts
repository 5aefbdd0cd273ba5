/** The table of forms of stored passwords, by the names that mappings use. */
import { malformed } from '../mcf/algorithm.ts';
import type { HashDecoder } from './row.ts';
import { applications } from './rows/applications.ts';
import { auth0 } from './rows/auth0.ts';
import { auto } from './rows/auto.ts';
import { directories } from './rows/directories.ts';
import { frameworks } from './rows/frameworks.ts';
import { hosted } from './rows/hosted.ts';
import { servers } from './rows/servers.ts';
import { mcf, md5 } from './rows/strings.ts';

const only = (title: string, name: string, hash: RegExp, converts: string): HashDecoder => ({
  title,
  rows: [{ ...mcf, hash }, { refuse: malformed(`it is not ${name}`) }],
  converts,
  asksForAlterations: true,
});

/** Forms that belong to no particular source. */
const general: Readonly<Record<string, HashDecoder>> = {
  ...auto,
  mcf: {
    title: 'modular crypt format',
    rows: [mcf],
    converts: 'bcrypt, Argon2, PBKDF2, scrypt, crypt(3), phpass, Drupal 7',
    asksForAlterations: true,
  },
  bcrypt: only('bcrypt', 'a bcrypt hash', /^(?:\$2|\$bcrypt\$)/, '`$2a$`, `$2b$`, `$2y$`'),
  argon2: only(
    'Argon2',
    'an Argon2 hash',
    /^(?:\$argon2)/,
    '`$argon2id$`, `$argon2i$` with parameters in any order',
  ),
  phpass: only('phpass', 'a phpass hash', /^(?:\$P\$|\$H\$)/, '`$P$`, `$H$`'),
  'sha-crypt': only('crypt(3)', 'a hash of crypt(3)', /^(?:\$1\$|\$5\$|\$6\$)/, '`$1$`, `$5$`, `$6$`'),
  md5: {
    title: 'MD5 of the password',
    rows: [md5],
    converts: '32 hexadecimal digits, or base64 of 16 bytes',
  },
  /** MD4 of the password in UTF-16. Its 32 hexadecimal digits look like MD5. */
  'nt-hash': {
    title: 'NT hash of Samba, FreeIPA, Active Directory',
    rows: [{ of: 'md4(utf-16le(password))', title: 'an NT hash (MD4)' }],
    converts: '',
    refuses: 'MD4',
  },
  plain: { title: 'passwords in plain text', rows: [{ kdf: 'plain' }], converts: 'hashed here with bcrypt' },
};

const bySource: Readonly<Record<string, HashDecoder>> = {
  ...applications,
  ...auth0,
  ...directories,
  ...frameworks,
  ...hosted,
  ...servers,
  adonis: { title: 'AdonisJS', rows: [mcf], converts: 'scrypt, Argon2, bcrypt in the form of PHC' },
  authelia: {
    title: 'Authelia',
    rows: [mcf],
    converts: 'Argon2, scrypt, PBKDF2, bcrypt, crypt(3)',
    refuses: '`$bcrypt-sha256$`, argon2d, yescrypt',
  },
  gitlab: { title: 'GitLab', rows: [mcf], converts: 'bcrypt, PBKDF2' },
  odoo: {
    title: 'Odoo',
    // Odoo accepts a password that was written into the table as plain text.
    rows: [{ when: { hash: /^[^$]/ }, kdf: 'plain' }, mcf],
    converts: 'PBKDF2, plain text',
  },
};

export const hashDecoders: ReadonlyMap<string, HashDecoder> = new Map([
  ...Object.entries(general),
  ...Object.entries(bySource).sort(([one], [other]) => (one < other ? -1 : 1)),
]);
