/** Compares the cost of a hash with the limits of a target, and names the setting to change. */
import type { HashDescription } from '../records/mcf/algorithm.ts';
import type { HashLimits } from '../wire/profile.ts';

/** A cost outside the limits. */
interface Violation {
  /** For example `memory 7168 KiB is below the minimum of 8192 KiB`. */
  readonly detail: string;
  /** Environment line that would accept the cost: `ZITADEL_…_ARGON2_MINMEMORY=7168`. */
  readonly setting: string;
}

export const settingsPrefix = 'ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER';

/** Name of a cost, name of its limits (`Memory` for `minMemory` and `maxMemory`), and unit. */
type Rule = readonly [parameter: string, limits: string, unit?: string];

/** Costs by algorithm or verifier, in the order in which the server checks them. Those without limits are absent. */
const rules: Readonly<Record<string, readonly Rule[]>> = {
  argon2: [
    ['time', 'Time'],
    ['memory', 'Memory', ' KiB'],
    ['threads', 'Threads'],
  ],
  bcrypt: [['cost', 'Cost']],
  drupal7: [['iterations', 'Iterations']],
  pbkdf2: [['rounds', 'Rounds']],
  phpass: [['rounds', 'Rounds']],
  scrypt: [
    ['ln', 'Ln'],
    ['r', 'R'],
    ['p', 'P'],
  ],
  'sha256-crypt': [['rounds', 'Sha256Rounds']],
  'sha512-crypt': [['rounds', 'Sha512Rounds']],
};

/** Returns the costs outside the limits of the hash's verifier. */
export function findViolations(hash: HashDescription, limits: HashLimits) {
  const group = hash.verifier;
  const bounds: Readonly<Record<string, number>> = limits[group as keyof HashLimits];
  const violations: Violation[] = [];
  for (const [parameter, name, unit = ''] of rules[hash.algorithm] ?? rules[group] ?? []) {
    const value = hash.parameters[parameter] ?? Number.NaN;
    const [minName, maxName] = [`min${name}`, `max${name}`];
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
