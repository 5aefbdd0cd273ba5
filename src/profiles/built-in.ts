/** The built-in profiles. Each number names its source; docs/profiles.md explains them. */
import { verifierNames } from '../records/mcf/algorithm.ts';
import type { HashLimits, TargetProfile } from '../wire/profile.ts';

/**
 * `SystemDefaults.PasswordHasher.Limits` in the server's cmd/defaults.yaml, since June 2026. Older servers have no limits, so
 * what these limits allow passes there as well.
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
    // In cmd/defaults.yaml, the algorithm is bcrypt and the list of other verifiers is empty.
    algorithm: 'bcrypt',
    verifiers: [],
    limits: defaultLimits,
  },
  requests: {
    // gRPC's default limit for receiving (4 MiB of protobuf), which the server does not change.
    maxBytes: 4_194_304,
    // The server itself has no limit for JSON, but a proxy in front of it may.
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
    // Since November 2025. By default, the server keeps at most 10 per user.
    recoveryCodes: 10,
    // Every server since 2.38 reads all encodings.
    pbkdf2Encoding: 'any',
  },
};

const hosted: TargetProfile = {
  name: 'hosted',
  settings: 'vendor',
  passwordHasher: {
    algorithm: 'bcrypt',
    // This is an assumption: the vendor's page on secrets lists all verifiers and says only that argon2 is off.
    verifiers: ['drupal7', 'md5', 'md5plain', 'md5salted', 'pbkdf2', 'phpass', 'scrypt', 'sha2'],
    limits: defaultLimits,
  },
  requests: {
    ...selfHosted.requests,
    // From the vendor's migration guides: calls are cut after five minutes, "around 5,000 users per batch".
    maxUsers: 5000,
    maxSeconds: 300,
  },
  rate: {
    // The vendor's rate limit policy for all paths except /ui: 50 requests per second per address, over a minute.
    perSecond: 50,
    windowSeconds: 60,
    // An address is banned for a minute after 50 requests per second over three minutes.
    ban: { perSecond: 50, windowSeconds: 180, seconds: 60 },
    // Our own value, a tenth lower, because token requests and other users of the same address count as well.
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

/** Profiles by name. */
export const builtInProfiles: ReadonlyMap<string, TargetProfile> = new Map(
  [hosted, selfHosted, allVerifiers].map((profile) => [profile.name, profile]),
);
