/** Sound hashes of every algorithm as texts, with costs inside and outside of the limits of a target. */
import type * as fc from 'fast-check';
import { argon2, pbkdf2, scrypt } from '../../src/records/mcf/keyed.ts';
import { bcrypt, drupal7, md5, md5Crypt, md5Salted, phpass, shaCrypt } from '../../src/records/mcf/crypt.ts';
import * as parts from './mcf.ts';

export const hashTexts: readonly fc.Arbitrary<string>[] = [
  parts.argon2Parts.map((some) =>
    argon2.encode({
      ...some,
      memory: 1 + (some.memory % 600_000),
      time: 1 + (some.time % 12),
      threads: 1 + (some.threads % 20),
    }),
  ),
  parts.bcryptParts.map(bcrypt.encode),
  parts.drupal7Parts.map(drupal7.encode),
  parts.md5Parts.map(md5.encode),
  parts.md5CryptParts.map(md5Crypt.encode),
  parts.md5SaltedParts.map(md5Salted.encode),
  parts.pbkdf2Parts.map((some) => pbkdf2.encode({ ...some, rounds: 1 + (some.rounds % 11_000_000) })),
  parts.phpassParts.map(phpass.encode),
  parts.scryptParts.map((some) =>
    scrypt.encode({ ...some, ln: 10 + (some.ln % 14), r: 4 + (some.r % 32), p: 1 + (some.p % 20) }),
  ),
  parts.shaCryptParts.map(shaCrypt.encode),
];
