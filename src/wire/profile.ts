/** The JSON of a target profile: what a target accepts and its limits. docs/profiles.md has the source of each. */
import { z } from 'zod';

/** Names of `ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_VERIFIERS`. */
const verifier = z.enum([
  'argon2',
  'bcrypt',
  'drupal7',
  'md5',
  'md5plain',
  'md5salted',
  'pbkdf2',
  'phpass',
  'scrypt',
  'sha2',
]);

const count = z.int().min(0);
const positive = z.int().min(1);

const hashLimits = z.strictObject({
  bcrypt: z.strictObject({ minCost: positive, maxCost: positive }),
  argon2: z.strictObject({
    minTime: positive,
    maxTime: positive,
    /** KiB. */
    minMemory: positive,
    maxMemory: positive,
    minThreads: positive,
    maxThreads: positive,
  }),
  scrypt: z.strictObject({
    minLn: positive,
    maxLn: positive,
    minR: positive,
    maxR: positive,
    minP: positive,
    maxP: positive,
  }),
  pbkdf2: z.strictObject({ minRounds: positive, maxRounds: positive }),
  sha2: z.strictObject({
    minSha256Rounds: positive,
    maxSha256Rounds: positive,
    minSha512Rounds: positive,
    maxSha512Rounds: positive,
  }),
  /** Logarithms to the base 2. */
  phpass: z.strictObject({ minRounds: positive, maxRounds: positive }),
  drupal7: z.strictObject({ minIterations: positive, maxIterations: positive }),
});

export const targetProfileSchema = z.strictObject({
  name: z.string().min(1),
  /** Who can change the settings that remedies name: you in the server's environment, or the vendor alone. */
  settings: z.enum(['environment', 'vendor']),
  passwordHasher: z.strictObject({
    /** The target's own hasher, whose hashes always verify. */
    algorithm: z.enum(['argon2i', 'argon2id', 'bcrypt', 'pbkdf2', 'scrypt', 'sha2']),
    /** Further algorithms that verify. */
    verifiers: z.array(verifier),
    limits: hashLimits,
  }),
  requests: z.strictObject({
    /** Of a request as protobuf, which is how the target measures it. */
    maxBytes: positive,
    /** Of a request as JSON, for a proxy in front; null for none. */
    maxJsonBytes: positive.nullable(),
    /** Of a response as protobuf. */
    maxResponseBytes: positive,
    /** Of one import; null for no limit. */
    maxUsers: positive.nullable(),
    maxSeconds: positive.nullable(),
  }),
  /** Null where requests are not limited. */
  rate: z
    .strictObject({
      /** On average over the window. */
      perSecond: positive,
      windowSeconds: positive,
      /** An address that exceeds this rate is banned for a while. */
      ban: z.strictObject({ perSecond: positive, windowSeconds: positive, seconds: positive }).nullable(),
      /** The rate that a careful client keeps. */
      clientPerSecond: z.number().positive(),
    })
    .nullable(),
  features: z.strictObject({
    /** `humanUsers[].state` is read (version 4); older targets ignore it, and disabled users would be active. */
    state: z.boolean(),
    /** How many recovery codes a user may have; 0 where the target does not have them. */
    recoveryCodes: count,
    /** `ab64` for targets that read nothing else (2.34 to 2.37). */
    pbkdf2Encoding: z.enum(['any', 'ab64']),
  }),
});

export type TargetProfile = z.infer<typeof targetProfileSchema>;
export type HashLimits = TargetProfile['passwordHasher']['limits'];

/**
 * A profile file: only what differs from its base, `self-hosted` by default.
 */
export const profileFileSchema = z.looseObject({ base: z.string().optional() });
