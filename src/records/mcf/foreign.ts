/** What the target cannot verify and why: hash schemes by their looks, and hashes that only their origin gives away. */
import {
  type AlgorithmName,
  type McfProblem,
  malformed,
  nameOf,
  unsupported,
  unverifiable,
} from './algorithm.ts';

/** By what stands between the first two dollar signs. */
const byIdentifier = new Map<string, McfProblem>([
  ['2', unsupported('bcrypt of the first version, `$2$`')],
  ['2x', unsupported('bcrypt of a faulty library, `$2x$`')],
  ['3', unsupported('NT hash, `$3$`')],
  ['apr1', unsupported('MD5 in the form of Apache, `$apr1$`')],
  ['argon2d', unsupported('argon2d')],
  ['fbscrypt', unsupported('scrypt in the form of Firebase')],
  ['gy', unsupported('gost-yescrypt, `$gy$`')],
  ['md5', unsupported('MD5 in the form of Solaris, `$md5$`')],
  ['pbkdf2-sha1', malformed('PBKDF2 over SHA-1 is written `$pbkdf2$`')],
  ['sha1', unsupported('SHA-1 in the form of NetBSD, `$sha1$`')],
  ['wp', unsupported('bcrypt over an altered password, as WordPress 6.8 writes it, `$wp$`')],
  ['y', unsupported('yescrypt, `$y$`')],
]);

/** By how the text begins, for those without a dollar sign in front. */
const byBeginning: readonly (readonly [beginning: string, problem: McfProblem])[] = [
  ['U$', unsupported('an MD5 hash that Drupal hashed again, `U$S$`')],
  ['bcrypt_sha256$', unsupported('bcrypt over a SHA-256 of the password, as Django writes it')],
  ['sha1$', unsupported('salted SHA-1 in the form of Django')],
  ['pbkdf2_', malformed('PBKDF2 in the form of Django; name the source that it comes from')],
  ['bcrypt$', malformed('bcrypt in the form of Django; name the source that it comes from')],
  ['argon2$', malformed('Argon2 in the form of Django; name the source that it comes from')],
  ['scrypt$', malformed('scrypt in the form of Django; name the source that it comes from')],
  ['pbkdf2:', malformed('PBKDF2 in the form of Werkzeug; name the source that it comes from')],
  ['scrypt:', malformed('scrypt in the form of Werkzeug; name the source that it comes from')],
  ['!', malformed('the mark of an account without a password')],
  ['*', unsupported('a hash of MySQL, or the mark of an account without a password')],
  ['_', unsupported('DES in the form of BSDi')],
];

/** Why a text that is of no known algorithm cannot be verified. The detail never shows what follows the scheme's name. */
export function explainForeign(text: string): McfProblem {
  if (text === '') return malformed('it is empty');
  if (text !== text.trim()) return malformed('there are blanks around it');
  if (text.startsWith('$')) {
    const end = text.indexOf('$', 1);
    if (end < 0) return malformed('there is nothing after the first dollar sign that could be a hash');
    const identifier = text.slice(1, end);
    return byIdentifier.get(identifier) ?? unsupported(`the scheme is ${nameOf(identifier)}`);
  }
  const scheme = /^\{([\w.+-]{1,24})\}/.exec(text)?.[1];
  if (scheme !== undefined) return unsupported(`LDAP scheme {${scheme}}`);
  for (const [beginning, problem] of byBeginning) if (text.startsWith(beginning)) return problem;
  return malformed('it has the form of no password hash');
}

/** Where a hash comes from, in the cases in which its looks deceive. */
export type HashOrigin = 'wordpress-6.8' | 'django-bcrypt-sha256' | 'kratos';

interface Deception {
  readonly algorithms: readonly AlgorithmName[];
  readonly problem: McfProblem;
}

const deceptions: Readonly<Record<HashOrigin, Deception>> = {
  'wordpress-6.8': {
    algorithms: ['bcrypt'],
    problem: unverifiable('WordPress 6.8 hashes an HMAC of the password, not the password'),
  },
  'django-bcrypt-sha256': {
    algorithms: ['bcrypt'],
    problem: unverifiable('Django hashes a SHA-256 of the password, not the password'),
  },
  kratos: {
    algorithms: ['pbkdf2-sha224', 'pbkdf2-sha384'],
    problem: unverifiable('what Kratos calls SHA-224 and SHA-384 is SHA-3'),
  },
};

/** Why a hash of this algorithm and origin never verifies although it looks right, or undefined. */
export function explainDeception(algorithm: AlgorithmName, origin: HashOrigin): McfProblem | undefined {
  const { algorithms, problem } = deceptions[origin];
  return algorithms.includes(algorithm) ? problem : undefined;
}
