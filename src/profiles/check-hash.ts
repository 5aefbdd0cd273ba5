/** Checks whether a target accepts a hash and can verify it. If not, says why and which setting to change. */
import {
  type AlgorithmName,
  isProblem,
  type Recognised,
  type VerifierName,
  tooCostly,
  type HashDescription,
} from '../records/mcf/algorithm.ts';
import { recognise } from '../records/mcf/recognise.ts';
import { memoized } from '../lib/strings.ts';
import { type ReasonCode, reasons } from '../records/reasons.ts';
import { capital } from '../wire/member-names.ts';
import type { TargetProfile, HashLimits } from '../wire/profile.ts';

interface Accepted {
  readonly verdict: 'ok';
  readonly algorithm: AlgorithmName;
}

interface Refused {
  readonly verdict: 'refused';
  /** `other` for an algorithm that no target verifies. */
  readonly algorithm: AlgorithmName | 'other';
  readonly code: Extract<ReasonCode, `password:${string}`>;
  /** The problem with its numbers. It never contains a part of the hash. */
  readonly detail: string;
  /** The setting of the target that would accept the hash, ready to copy, or what users have to do. */
  readonly remedy: string;
}

type HashVerdict = Accepted | Refused;

/** Profile for which the verdicts of `verdictOf` hold. */
let latest: TargetProfile | undefined;
let verdictOf: (kind: string, hash: Recognised) => HashVerdict;

/**
 * Checks a hash in one pass over the text. The verdict is stricter than `serverVerdict`, never laxer. It distinguishes: the
 * verifier is off (`password:verifier-disabled`), a cost is outside the limits (`password:parameters-out-of-limits`), the text
 * cannot be read (`password:malformed`), no verifier knows the scheme (`password:algorithm-unsupported`), or the target would
 * accept the hash and never verify it (`password:unverifiable`).
 */
export function checkHash(mcf: string, profile: TargetProfile): HashVerdict {
  const hash = recognise(mcf);
  if (isProblem(hash)) {
    const { code, detail } = hash;
    return { verdict: 'refused', algorithm: 'other', code, detail, remedy: reasons[code].remedy };
  }
  if (profile.features.pbkdf2Encoding === 'ab64' && hash.verifier === 'pbkdf2' && /[+=]/.test(mcf)) {
    return {
      verdict: 'refused',
      algorithm: hash.algorithm,
      code: 'password:malformed',
      detail: 'this target reads pbkdf2 in the encoding ab64 only',
      remedy: 'Convert again with --pbkdf2-encoding ab64.',
    };
  }
  if (latest !== profile) verdictOf = memoized((_, hash) => checkCost(hash, profile));
  latest = profile;
  let kind: string = hash.algorithm;
  for (const name in hash.parameters) kind += ` ${hash.parameters[name]}`;
  return verdictOf(kind, hash);
}

/** Reports whether the target would check such hashes at a login. */
export function isEnabled(verifier: VerifierName, { algorithm, verifiers }: TargetProfile['passwordHasher']) {
  return (
    algorithm === verifier ||
    verifiers.includes(verifier) ||
    (verifier === 'argon2' && /^argon2id?$/.test(algorithm))
  );
}

function checkCost(hash: Recognised, profile: TargetProfile): HashVerdict {
  const { passwordHasher, settings } = profile;
  const { algorithm, verifier } = hash;
  const off = !isEnabled(verifier, passwordHasher);
  const violations = findViolations(hash, passwordHasher.limits);
  if (!off && violations.length === 0) return { verdict: 'ok', algorithm };
  const problems = violations.map(({ detail }) => detail);
  const changes = violations.map(({ setting }) => setting);
  if (off) {
    problems.unshift(`the verifier \`${verifier}\` is off`);
    changes.unshift(`${settingsPrefix}_VERIFIERS=${[...passwordHasher.verifiers, verifier].join(',')}`);
  }
  return {
    verdict: 'refused',
    algorithm,
    code: off ? 'password:verifier-disabled' : 'password:parameters-out-of-limits',
    detail: problems.join('; '),
    remedy: remedyFor(hash, changes, settings),
  };
}

/** Returns what to do. Never recommends a setting with which one login could stop the service. */
function remedyFor(hash: Recognised, changes: readonly string[], settings: TargetProfile['settings']) {
  const cost = tooCostly(hash);
  if (cost !== undefined)
    return `These users set a new password: ${cost}, and one login could stop the service.`;
  if (settings === 'environment') return changes.join(' ');
  return `These users set a new password, or idport jit checks the old one at the first login, unless the vendor's support sets ${changes.join(' ')}.`;
}

/** A cost outside the limits. */
interface Violation {
  /** For example `memory 7168 KiB is below the minimum of 8192 KiB`. */
  readonly detail: string;
  /** Environment line that would accept the cost: `ZITADEL_…_ARGON2_MINMEMORY=7168`. */
  readonly setting: string;
}

const settingsPrefix = 'ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER';

/** Returns the costs outside the limits of the hash's verifier. */
export function findViolations({ algorithm, verifier, parameters }: HashDescription, limits: HashLimits) {
  const bounds: Readonly<Record<string, number>> = limits[verifier as keyof HashLimits];
  // The limits of `$5$` and `$6$` are named after their digests.
  const digest = verifier === 'sha2' ? capital(algorithm.replace('-crypt', '')) : '';
  const violations: Violation[] = [];
  for (const [parameter, value] of Object.entries(parameters)) {
    const name = digest + capital(parameter);
    const unit = parameter === 'memory' ? ' KiB' : '';
    const { [`min${name}`]: min = 0, [`max${name}`]: max = Infinity } = bounds;
    const violate = (bound: 'min' | 'max', words: string) => {
      const setting = `${settingsPrefix}_LIMITS_${verifier}_${bound}${name}`.toUpperCase();
      violations.push({
        detail: `${parameter} ${value}${unit} is ${words}${unit}`,
        setting: `${setting}=${value}`,
      });
    };
    if (value < min) violate('min', `below the minimum of ${min}`);
    else if (!(value <= max)) violate('max', `above the maximum of ${max}`);
  }
  return violations;
}
