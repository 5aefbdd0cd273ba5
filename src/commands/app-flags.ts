/** `--apps`: makes clients of the source applications of a project. */
import { resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import type { AppsOfProject } from '../flows/apps/name-apps.ts';
import { loadProvider } from '../sources/index.ts';
import { parseProject } from './role-flags.ts';
import { refuseInUse, type NamedFile } from '../storage/open-output.ts';
import { type Input, requireRepeatable } from '../lib/input.ts';
import type { OpenedSource } from '../flows/source/read-users.ts';
import type { AppFlags } from '../flags/conversion.ts';
import type { CommandContext } from './context.ts';

/** Undefined where clients are not migrated. Throws `UsageError` and `InputError`. */
export async function readApps(
  { apps: flag, org }: AppFlags & { readonly org: string },
  { provider: name, inputs, options }: OpenedSource,
): Promise<AppsOfProject | undefined> {
  if (flag === undefined) return undefined;
  const owner = org.trim();
  const project = parseProject('--apps', flag, owner);
  const provider = await loadProvider(name);
  if (provider.apps === undefined) {
    throw new UsageError(`exports of ${provider.title} hold no clients that --apps could migrate`);
  }
  requireRepeatable(inputs, '--apps reads the clients before the users');
  return { ...project, owner, ...(await provider.apps(inputs, options)) };
}

/** The path of `--app-secrets`. Throws `UsageError` where the run uses that file for something else. */
export function nameAppSecrets(
  { appSecrets }: { readonly appSecrets?: string },
  { cwd }: Pick<CommandContext, 'cwd'>,
  inputs: readonly Input[],
  inUse: readonly NamedFile[],
): string | undefined {
  if (appSecrets === undefined) return undefined;
  refuseInUse(appSecrets, { cwd, inputs, inUse });
  return resolve(cwd, appSecrets);
}
