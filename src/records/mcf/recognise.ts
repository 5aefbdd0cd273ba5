/** The table of password hash algorithms. It recognizes complete hash strings and checks passwords against them. */
import { isHex } from '../text.ts';
import {
  type HashAlgorithm,
  isProblem,
  ldapScheme,
  malformed,
  type McfProblem,
  nameOf,
  type Recognised,
  unsupported,
  recall,
  remember,
} from './algorithm.ts';
import { bcrypt, drupal7, md5, md5Crypt, md5Salted, phpass, shaCrypt } from './crypt.ts';
import { argon2, pbkdf2, scrypt } from './keyed.ts';

interface Entry {
  readonly read: (text: string) => Recognised | McfProblem;
  readonly verify: (mcf: string, password: Buffer) => Promise<boolean>;
}

/** Returns the entries of an algorithm, without the type of its parts. */
function entriesOf<Parts extends object>(
  algorithm: HashAlgorithm<Parts>,
): readonly (readonly [identifier: string, entry: Entry])[] {
  const { identifiers, decode, check } = algorithm;
  const entry: Entry = {
    read(text) {
      const parts = decode(text);
      return isProblem(parts) ? parts : remember(algorithm, parts);
    },
    async verify(mcf, password) {
      const parts = decode(mcf);
      return !isProblem(parts) && check(parts, password);
    },
  };
  return identifiers.map((identifier) => [identifier, entry]);
}

/** Entries by what is between the first two dollar signs. Only MD5 has none. */
const table = new Map([
  ...entriesOf(argon2),
  ...entriesOf(bcrypt),
  ...entriesOf(drupal7),
  ...entriesOf(md5),
  ...entriesOf(md5Crypt),
  ...entriesOf(md5Salted),
  ...entriesOf(pbkdf2),
  ...entriesOf(phpass),
  ...entriesOf(scrypt),
  ...entriesOf(shaCrypt),
]);

function findEntry(text: string) {
  const identifier = /^\$([^$]+)\$/.exec(text)?.[1] ?? (isHex(text) ? '' : undefined);
  return identifier === undefined ? undefined : table.get(identifier);
}

/**
 * Reads a complete hash string without surrounding blanks. Pure, single-pass, and never throws. What no verifier of the
 * target could check is a problem, even if the target itself would accept it.
 */
export function recognise(text: string): Recognised | McfProblem {
  return /^\$(?:argon2d|pbkdf2-sha3-\d+)\$/.test(text) ? explainForeign(text) : readHash(text);
}

/** Does the same, and also reads what can only be checked here. */
export function readHash(text: string): Recognised | McfProblem {
  return recall(text) ?? findEntry(text)?.read(text) ?? explainForeign(text);
}

/**
 * Resolves to whether the hash was made from the password, or to a problem if the text is not a hash that can be
 * checked.
 */
export async function verifyPassword(mcf: string, password: string | Uint8Array) {
  const found = readHash(mcf);
  return isProblem(found) ? found : findEntry(found.mcf)!.verify(found.mcf, Buffer.from(password));
}

/** Details of known but unreadable texts, by how they begin. */
const foreign = [
  [
    unsupported,
    {
      $2$: 'bcrypt of the first version, `$2$`',
      $2x$: 'bcrypt of a faulty library, `$2x$`',
      $3$: 'NT hash, `$3$`',
      $apr1$: 'MD5 in the form of Apache, `$apr1$`',
      $argon2d$: 'argon2d',
      $fbscrypt$: 'scrypt in the form of Firebase',
      $gy$: 'gost-yescrypt, `$gy$`',
      '$pbkdf2-sha3-': 'PBKDF2 with SHA-3',
      $md5$: 'MD5 in the form of Solaris, `$md5$`',
      $sha1$: 'SHA-1 in the form of NetBSD, `$sha1$`',
      $wp$: 'bcrypt over an altered password, as WordPress 6.8 writes it, `$wp$`',
      $y$: 'yescrypt, `$y$`',
      U$: 'an MD5 hash that Drupal hashed again, `U$S$`',
      bcrypt_sha256$: 'bcrypt over a SHA-256 of the password, as Django writes it',
      sha1$: 'salted SHA-1 in the form of Django',
      '*': 'a hash of MySQL, or the mark of an account without a password',
      _: 'DES in the form of BSDi',
    },
  ],
  [
    malformed,
    {
      '$pbkdf2-sha1$': 'PBKDF2 over SHA-1 is written `$pbkdf2$`',
      pbkdf2_: 'PBKDF2 in the form of Django; name the source that it comes from',
      bcrypt$: 'bcrypt in the form of Django; name the source that it comes from',
      argon2$: 'Argon2 in the form of Django; name the source that it comes from',
      scrypt$: 'scrypt in the form of Django; name the source that it comes from',
      'pbkdf2:': 'PBKDF2 in the form of Werkzeug; name the source that it comes from',
      'scrypt:': 'scrypt in the form of Werkzeug; name the source that it comes from',
      '!': 'the mark of an account without a password',
    },
  ],
] as const;

/** Returns why a text of no known algorithm cannot be verified. The detail never shows what follows the scheme's name. */
function explainForeign(text: string) {
  if (text === '') return malformed('it is empty');
  if (text !== text.trim()) return malformed('there are blanks around it');
  for (const [problem, details] of foreign)
    for (const [beginning, detail] of Object.entries(details))
      if (text.startsWith(beginning)) return problem(detail);
  const [, identifier, scheme] = /^\$([^$]*)\$.{20}|^\{([\w.+-]{1,24})\}/.exec(text) ?? [];
  if (identifier !== undefined) return unsupported(`the scheme is ${nameOf(identifier)}`);
  if (scheme !== undefined) return ldapScheme(scheme);
  return malformed(
    text.startsWith('$')
      ? 'there is nothing after the first dollar sign that could be a hash'
      : 'not a known form of password hash',
  );
}
