/** Parses the text of a profile file into a complete profile. */
import { UsageError } from '../errors.ts';
import { isObject } from '../lib/json-value.ts';
import { checkJson } from '../json/scan.ts';
import { profileFileSchema, type TargetProfile, targetProfileSchema } from '../wire/profile.ts';
import { builtInProfiles } from './built-in.ts';

/**
 * Returns a complete profile. The file may be partial: the rest comes from its `base`, or from `self-hosted`. Throws
 * `UsageError`.
 */
export function parseProfile(text: string, file: string): TargetProfile {
  const { base = 'self-hosted', ...changes } = parseFile(text, file);
  const start = builtInProfiles.get(base);
  if (start === undefined) {
    throw new UsageError(
      `${file}: base: there is no profile ${JSON.stringify(base)}`,
      `Profiles: ${[...builtInProfiles.keys()].join(', ')}.`,
    );
  }
  const merged = merge({ ...start, name: file }, changes);
  const checked = targetProfileSchema.safeParse(merged);
  if (!checked.success) throw wrongFile(file, checked.error.issues);
  const swapped = findSwapped(checked.data);
  if (swapped !== undefined) throw new UsageError(`${file}: ${swapped}`);
  return checked.data;
}

function parseFile(text: string, file: string) {
  const plain = text.replace(/^\ufeff/, '');
  const flaw = checkJson(Buffer.from(plain));
  if (flaw !== undefined) {
    throw new UsageError(
      `${file}: a target profile is JSON, and this is not: byte ${flaw.offset}: ${flaw.problem}`,
    );
  }
  const checked = profileFileSchema.safeParse(JSON.parse(plain));
  if (!checked.success) throw wrongFile(file, checked.error.issues);
  return checked.data;
}

function wrongFile(file: string, issues: readonly { path: readonly PropertyKey[]; message: string }[]) {
  const problems = issues.map(({ path, message }) => [path.map(String).join('.'), message].filter(Boolean));
  return new UsageError(
    `${file}: ${problems.map((problem) => problem.join(': ')).join('; ')}`,
    'idport profile show self-hosted prints a complete profile to compare with.',
  );
}

/** Merges objects and replaces everything else. */
function merge(base: unknown, change: unknown) {
  if (!isObject(base) || !isObject(change)) return change;
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(change)) merged.set(key, merge(merged.get(key), value));
  return Object.fromEntries(merged);
}

/** Returns an error for a minimum above its maximum, which would refuse every hash. */
function findSwapped({ passwordHasher: { limits } }: TargetProfile) {
  for (const [group, bounds] of Object.entries(limits)) {
    const values: Readonly<Record<string, number>> = bounds;
    for (const [key, min] of Object.entries(values)) {
      const max = key.startsWith('min') ? values[`max${key.slice(3)}`] : undefined;
      if (max !== undefined && min > max) {
        return `passwordHasher.limits.${group}.${key}: ${min} is above the maximum of ${max}`;
      }
    }
  }
  return undefined;
}
