/** Loads a target profile by its name or the path of its file. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import type { TargetProfile } from '../wire/profile.ts';
import { builtInProfiles } from './built-in.ts';

/**
 * Looks for a built-in profile, then for a file. Throws `UsageError` if there is neither, and for an invalid file.
 */
export async function loadProfile(nameOrFile: string, cwd: string): Promise<TargetProfile> {
  const builtIn = builtInProfiles.get(nameOrFile);
  if (builtIn !== undefined) return builtIn;
  const text = await readFile(resolve(cwd, nameOrFile), 'utf8').catch((cause: unknown) => {
    throw new UsageError(
      `no target profile and no readable file is named ${nameOrFile}`,
      `Profiles: ${[...builtInProfiles.keys()].join(', ')}. Or write one: idport profile show self-hosted > my-target.json`,
      cause,
    );
  });
  // Loaded only for files, because schemas take longer to load than a small export takes to convert.
  return (await import('./parse.ts')).parseProfile(text, nameOrFile);
}
