/** Compares the cost of a hash with the limits of a target, and names the setting to change. */
import type { HashDescription } from '../records/mcf/algorithm.ts';
import type { HashLimits } from '../wire/profile.ts';

/** One cost outside of the limits. */
export interface Violation {
  /** `memory 7168 KiB is below the minimum of 8192 KiB`. */
  readonly detail: string;
  /** The environment line that would let it in: `ZITADEL_…_ARGON2_MINMEMORY=7168`. */
  readonly setting: string;
}

export const settingsPrefix = 'ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER';

interface Rule {
  readonly parameter: string;
  /** `Memory` for `minMemory` and `maxMemory`. */
  readonly name: string;
  readonly unit?: string;
}

type LimitGroup = keyof HashLimits;

const rounds: readonly Rule[] = [{ parameter: 'rounds', name: 'Rounds' }];

/** In the order in which the server looks at them. Verifiers without limits are absent. */
const rules: Readonly<Record<LimitGroup, readonly Rule[]>> = {
  argon2: [
    { parameter: 'time', name: 'Time' },
    { parameter: 'memory', name: 'Memory', unit: ' KiB' },
    { parameter: 'threads', name: 'Threads' },
  ],
  bcrypt: [{ parameter: 'cost', name: 'Cost' }],
  drupal7: [{ parameter: 'iterations', name: 'Iterations' }],
  pbkdf2: rounds,
  phpass: rounds,
  scrypt: [
    { parameter: 'ln', name: 'Ln' },
    { parameter: 'r', name: 'R' },
    { parameter: 'p', name: 'P' },
  ],
  sha2: [],
};
const sha2Rules: Readonly<Record<string, readonly Rule[]>> = {
  'sha256-crypt': [{ parameter: 'rounds', name: 'Sha256Rounds' }],
  'sha512-crypt': [{ parameter: 'rounds', name: 'Sha512Rounds' }],
};

/** Empty for a hash within the limits of its verifier. */
export function findViolations(hash: HashDescription, limits: HashLimits): Violation[] {
  const group = hash.verifier;
  if (!isLimited(group)) return [];
  const bounds: Readonly<Record<string, number>> = limits[group];
  const violations: Violation[] = [];
  for (const { parameter, name, unit = '' } of sha2Rules[hash.algorithm] ?? rules[group]) {
    const value = hash.parameters[parameter] ?? Number.NaN;
    const setting = `${settingsPrefix}_LIMITS_${group}_`.toUpperCase();
    const min = bounds[`min${name}`] ?? 0;
    const max = bounds[`max${name}`] ?? Infinity;
    if (value < min) {
      violations.push({
        detail: `${parameter} ${value}${unit} is below the minimum of ${min}${unit}`,
        setting: `${setting}MIN${name.toUpperCase()}=${value}`,
      });
    } else if (!(value <= max)) {
      violations.push({
        detail: `${parameter} ${value}${unit} is above the maximum of ${max}${unit}`,
        setting: `${setting}MAX${name.toUpperCase()}=${value}`,
      });
    }
  }
  return violations;
}

function isLimited(name: string): name is LimitGroup {
  return Object.hasOwn(rules, name);
}
