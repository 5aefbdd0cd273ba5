/** The built-in profiles. Each number names its source; docs/profiles.md explains them. */
import { verifierNames } from '../records/mcf/algorithm.ts';
import type { HashLimits, TargetProfile } from '../wire/profile.ts';

/**
 * `SystemDefaults.PasswordHasher.Limits` in the server's cmd/defaults.yaml, since June 2026. Older servers have none;
 * what passes here passes there.
 */
const defaultLimits: HashLimits = {
  bcrypt: { minCost: 10, maxCost: 16 },
  argon2: { minTime: 1, maxTime: 10, minMemory: 8192, maxMemory: 524_288, minThreads: 1, maxThreads: 16 },
  scrypt: { minLn: 14, maxLn: 20, minR: 8, maxR: 32, minP: 1, maxP: 16 },
  pbkdf2: { minRounds: 1000, maxRounds: 10_000_000 },
  sha2: {
    minSha256Rounds: 1000,
    maxSha256Rounds: 999_999_999,
    minSha512Rounds: 1000,
    maxSha512Rounds: 999_999_999,
  },
  phpass: { minRounds: 7, maxRounds: 31 },
  drupal7: { minIterations: 1000, maxIterations: 500_000 },
};

const selfHosted: TargetProfile = {
  name: 'self-hosted',
  settings: 'environment',
  passwordHasher: {
    // cmd/defaults.yaml: bcrypt hashes, and the list of further verifiers is empty.
    algorithm: 'bcrypt',
    verifiers: [],
    limits: defaultLimits,
  },
  requests: {
    // gRPC's default for receiving (4 MiB), which the server leaves alone; counted as protobuf.
    maxBytes: 4_194_304,
    // The server itself has no limit for JSON; a proxy in front may.
    maxJsonBytes: null,
    // The server's own limit for sending (10 MiB).
    maxResponseBytes: 10_485_760,
    maxUsers: null,
    maxSeconds: null,
  },
  rate: null,
  features: {
    // Since version 4.0.
    state: true,
    // Since November 2025; the most that the server keeps per user is 10 by default.
    recoveryCodes: 10,
    // Every server since 2.38 reads all forms.
    pbkdf2Encoding: 'any',
  },
};

const hosted: TargetProfile = {
  name: 'hosted',
  settings: 'vendor',
  passwordHasher: {
    algorithm: 'bcrypt',
    // An assumption: the vendor's page on secrets lists all verifiers and says only that argon2 is off.
    verifiers: ['drupal7', 'md5', 'md5plain', 'md5salted', 'pbkdf2', 'phpass', 'scrypt', 'sha2'],
    limits: defaultLimits,
  },
  requests: {
    ...selfHosted.requests,
    // The vendor's migration guides: calls are cut after five minutes, "around 5,000 users per batch".
    maxUsers: 5000,
    maxSeconds: 300,
  },
  rate: {
    // The vendor's rate limit policy, all paths but /ui: 50 requests a second over a minute, per address,
    perSecond: 50,
    windowSeconds: 60,
    // and a ban of a minute for 50 a second over three minutes.
    ban: { perSecond: 50, windowSeconds: 180, seconds: 60 },
    // Ours: a tenth below, because token requests and other users behind the same address count as well.
    clientPerSecond: 45,
  },
  features: selfHosted.features,
};

const allVerifiers: TargetProfile = {
  ...selfHosted,
  name: 'all-verifiers',
  passwordHasher: {
    ...selfHosted.passwordHasher,
    verifiers: [...verifierNames],
  },
};

/** By name, in the order of `idport profile list`. */
export const builtInProfiles: ReadonlyMap<string, TargetProfile> = new Map(
  [hosted, selfHosted, allVerifiers].map((profile) => [profile.name, profile]),
);
