/** Opens the paths that were given as the inputs of a provider: the files of folders, and companion files. */
import { basename, dirname, join, resolve } from 'node:path';
import type { Emit } from '../../events.ts';
import type { Input } from '../../lib/input.ts';
import { loadProvider, type ProviderName, type ProviderOptions } from '../../sources/index.ts';
import { isFolder, listFolder } from '../../storage/folder.ts';
import { type InputContext, openInputs } from '../../storage/open-input.ts';

export interface OpenExportOptions<Name extends ProviderName> {
  readonly provider: Name;
  readonly options: ProviderOptions[Name];
  readonly paths: readonly string[];
  readonly context: InputContext;
  readonly emit: Emit;
}

export async function openExport<Name extends ProviderName>({
  provider: name,
  options,
  paths,
  context,
  emit,
}: OpenExportOptions<Name>): Promise<Input[]> {
  const provider = await loadProvider(name);
  const found: string[] = [];
  for (const path of paths) {
    if (!['', '-'].includes(path) && isFolder(inFolder(path, context))) {
      const files = provider.choose(path, namesIn(path, context), options);
      found.push(...files.map((file) => join(path, file)));
      continue;
    }
    found.push(path);
    const beside = path === '-' ? [] : (provider.beside?.(basename(path), siblings(path, context)) ?? []);
    const missing = beside.map((file) => join(dirname(path), file)).filter((file) => !paths.includes(file));
    if (missing.length === 0) continue;
    emit({
      type: 'notice',
      level: 'warning',
      code: 'input:realm-half',
      text: `${path} is the realm half of a folder export; also reading the users next to it: ${missing.join(', ')}`,
    });
    found.push(...missing);
  }
  return openInputs(found, context);
}

function inFolder(path: string, { cwd = '.' }: InputContext): string {
  return resolve(cwd, path);
}

function namesIn(path: string, context: InputContext): string[] {
  return listFolder(inFolder(path, context))
    .filter(({ kind }) => kind === 'file')
    .map(({ name }) => name);
}

/** None where the folder cannot be read: opening the file itself says so. */
function siblings(path: string, context: InputContext): string[] {
  const folder = dirname(path);
  return isFolder(inFolder(folder, context)) ? namesIn(folder, context) : [];
}
