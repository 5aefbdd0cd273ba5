/** The JSON of a target profile: what a target accepts, and its limits. docs/profiles.md has the source of each value. */
import { z } from 'zod';

/** Verifiers, as `ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_VERIFIERS` names them. */
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
    /** Memory in KiB. */
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
  /** Binary logarithms of the rounds. */
  phpass: z.strictObject({ minRounds: positive, maxRounds: positive }),
  drupal7: z.strictObject({ minIterations: positive, maxIterations: positive }),
});

export const targetProfileSchema = z.strictObject({
  name: z.string().min(1),
  /** Who can change the settings that remedies name: you, in the server's environment, or only the vendor. */
  settings: z.enum(['environment', 'vendor']),
  passwordHasher: z.strictObject({
    /** The target's own hasher. Its hashes always verify. */
    algorithm: z.enum(['argon2i', 'argon2id', 'bcrypt', 'pbkdf2', 'scrypt', 'sha2']),
    /** Other algorithms that verify. */
    verifiers: z.array(verifier),
    limits: hashLimits,
  }),
  requests: z.strictObject({
    /** Largest request in bytes of protobuf, as the target measures it. */
    maxBytes: positive,
    /** Largest request in bytes of JSON, for a proxy in front of the target; null for no limit. */
    maxJsonBytes: positive.nullable(),
    /** Largest response in bytes of protobuf. */
    maxResponseBytes: positive,
    /** Largest number of users in one import; null for no limit. */
    maxUsers: positive.nullable(),
    maxSeconds: positive.nullable(),
  }),
  /** Null if requests are not limited. */
  rate: z
    .strictObject({
      /** Average over the window. */
      perSecond: positive,
      windowSeconds: positive,
      /** An address that exceeds this rate is banned for a while. */
      ban: z.strictObject({ perSecond: positive, windowSeconds: positive, seconds: positive }).nullable(),
      /** Rate that a careful client keeps. */
      clientPerSecond: z.number().positive(),
    })
    .nullable(),
  features: z.strictObject({
    /** Whether `humanUsers[].state` is read (version 4). Older targets ignore it, so that disabled users would be active. */
    state: z.boolean(),
    /** Number of recovery codes that a user may have; 0 if the target does not support them. */
    recoveryCodes: count,
    /** `ab64` for targets that read no other encoding (2.34 to 2.37). */
    pbkdf2Encoding: z.enum(['any', 'ab64']),
  }),
});

export type TargetProfile = z.infer<typeof targetProfileSchema>;
export type HashLimits = TargetProfile['passwordHasher']['limits'];

/** A profile file, which has only what differs from its base. The base is `self-hosted` by default. */
export const profileFileSchema = z.looseObject({ base: z.string().optional() });
