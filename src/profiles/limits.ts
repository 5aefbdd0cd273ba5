/** Compares the cost of a hash with the limits of a target, and names the setting to change. */
import type { HashDescription } from '../records/mcf/algorithm.ts';
import type { HashLimits } from '../wire/profile.ts';

/** A cost outside the limits. */
export interface Violation {
  /** `memory 7168 KiB is below the minimum of 8192 KiB`. */
  readonly detail: string;
  /** The environment line that would accept it: `ZITADEL_…_ARGON2_MINMEMORY=7168`. */
  readonly setting: string;
}

export const settingsPrefix = 'ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER';

/** A cost: its name, the name of its limits (`Memory` for `minMemory` and `maxMemory`), and its unit. */
type Rule = readonly [parameter: string, min: string, max: string, unit: string];
type LimitGroup = keyof HashLimits;

const rule = (parameter: string, name: string, unit = ''): Rule => [
  parameter,
  `min${name}`,
  `max${name}`,
  unit,
];

/** In the order in which the server checks them. Verifiers without limits are absent. */
const rules: Readonly<Record<LimitGroup, readonly Rule[]>> = {
  argon2: [rule('time', 'Time'), rule('memory', 'Memory', ' KiB'), rule('threads', 'Threads')],
  bcrypt: [rule('cost', 'Cost')],
  drupal7: [rule('iterations', 'Iterations')],
  pbkdf2: [rule('rounds', 'Rounds')],
  phpass: [rule('rounds', 'Rounds')],
  scrypt: [rule('ln', 'Ln'), rule('r', 'R'), rule('p', 'P')],
  sha2: [],
};
const sha2Rules: Readonly<Record<string, readonly Rule[]>> = {
  'sha256-crypt': [rule('rounds', 'Sha256Rounds')],
  'sha512-crypt': [rule('rounds', 'Sha512Rounds')],
};

/** Empty for a hash within the limits of its verifier. */
export function findViolations(hash: HashDescription, limits: HashLimits): Violation[] {
  const group = hash.verifier;
  if (!isLimited(group)) return [];
  const bounds: Readonly<Record<string, number>> = limits[group];
  const violations: Violation[] = [];
  for (const [parameter, minName, maxName, unit] of sha2Rules[hash.algorithm] ?? rules[group]) {
    const value = hash.parameters[parameter] ?? Number.NaN;
    const { [minName]: min = 0, [maxName]: max = Infinity } = bounds;
    const violate = (bound: string, words: string) => {
      const setting = `${settingsPrefix}_LIMITS_${group}_${bound}`.toUpperCase();
      violations.push({
        detail: `${parameter} ${value}${unit} is ${words}${unit}`,
        setting: `${setting}=${value}`,
      });
    };
    if (value < min) violate(minName, `below the minimum of ${min}`);
    else if (!(value <= max)) violate(maxName, `above the maximum of ${max}`);
  }
  return violations;
}

function isLimited(name: string): name is LimitGroup {
  return Object.hasOwn(rules, name);
}
