/** Opens the given paths, including the files of folders, as inputs of a provider. Refuses exports of another provider. */
import { formatNames } from '../../lib/format.ts';
import { basename, dirname, join, resolve } from 'node:path';
import { type Emit, warning } from '../../events.ts';
import { type Input, headOf, withHead } from '../../lib/input.ts';
import { loadProvider, type ProviderName } from '../../sources/index.ts';
import { isFolder, listFolder } from '../../storage/folder.ts';
import { type InputContext, openInputs } from '../../storage/open-input.ts';
import { UsageError } from '../../errors.ts';
import { describeSource, type Recognised, recogniseOther } from '../../sources/recognise.ts';

export async function openExport(
  name: ProviderName,
  options: object,
  paths: readonly string[],
  context: InputContext,
  emit: Emit,
) {
  const provider = await loadProvider(name);
  const found: string[] = [];
  const named = new Set(paths.map((path) => inFolder(path, context)));
  const besideOf = (path: string, which: 'companionFiles' | 'otherPages') => {
    const files = path === '-' ? [] : (provider[which]?.(basename(path), siblings(path, context)) ?? []);
    return files
      .map((file) => join(dirname(path), file))
      .filter((file) => !named.has(inFolder(file, context)));
  };
  const unread = new Set<string>();
  const belongsTo = new Map<string, () => boolean>();
  const add = (choose: () => readonly string[]) => {
    const files = choose();
    found.push(...files);
    // Files are read in this order, so after the last one it is checked whether files came or went meanwhile.
    const last = files.at(-1);
    if (last !== undefined) belongsTo.set(last, () => hasChanged(choose, files));
    return files;
  };
  for (const path of paths) {
    if (!['', '-'].includes(path) && isFolder(inFolder(path, context))) {
      add(() => [...provider.choose(path, namesIn(path, context), options)].map((file) => join(path, file)));
      const strays = provider.strayFiles?.(namesIn(path, context)) ?? [];
      if (strays.length > 0) {
        const text = `${path}: files that have no name of an export are not read: ${formatNames(strays)}. If one of them has users, name the files instead of the folder.`;
        emit(warning('input:siblings-unread', text));
      }
      continue;
    }
    found.push(path);
    for (const file of besideOf(path, 'otherPages')) unread.add(file);
    const missing = add(() => besideOf(path, 'companionFiles'));
    if (missing.length === 0) continue;
    const text = `${path} is the realm half of a folder export; also reading the users next to it: ${missing.join(', ')}`;
    emit(warning('input:realm-half', text));
  }
  for (const file of found) unread.delete(file);
  if (unread.size > 0) {
    const text = `more users of the same export are not read: ${formatNames([...unread])}. Name the folder to read them all.`;
    emit(warning('input:siblings-unread', text));
  }
  return openInputs(found, { ...context, belongsTo });
}

function hasChanged(choose: () => readonly string[], files: readonly string[]) {
  try {
    return JSON.stringify(choose()) !== JSON.stringify(files);
  } catch {
    return true;
  }
}

function inFolder(path: string, { cwd = '.' }: InputContext) {
  return resolve(cwd, path);
}

/** Returns the files of a folder, including links that cannot be followed: opening them reports it. */
function namesIn(path: string, context: InputContext) {
  return listFolder(inFolder(path, context))
    .filter(({ kind }) => kind === 'file' || kind === 'lost')
    .map(({ name }) => name);
}

/** Returns no files if the folder cannot be read: opening the file itself reports it. */
function siblings(path: string, context: InputContext) {
  try {
    return namesIn(dirname(path), context);
  } catch {
    return [];
  }
}

export interface GivenAs {
  readonly name: ProviderName;
  /** Returns the command to use instead for such a file. */
  readonly commandFor: (found: Recognised, path: string) => string;
}

/** Checks a file now, but a pipe when it is read, because its bytes come only once. Throws `UsageError`. */
export async function refuseOther(input: Input, given: GivenAs) {
  if (!input.repeatable) return { ...input, blocks: () => guarded(input, given) };
  check(input.name, await headOf(input), given);
  return input;
}

async function* guarded(input: Input, given: GivenAs) {
  const { head, blocks } = await withHead(input.blocks());
  try {
    check(input.name, head, given);
    yield* blocks;
  } finally {
    await blocks.return(undefined);
  }
}

function check(path: string, head: Uint8Array, { name, commandFor }: GivenAs) {
  const found = recogniseOther(head, name);
  if (found === undefined) return;
  const asked = describeSource(name);
  const anyway = `To read it as ${asked} all the same, pass --force-provider.`;
  const seen = describeSource(found.source);
  const what = found.table === undefined ? seen : `the table ${found.table} beside the users in ${seen}`;
  throw new UsageError(
    `${path} looks like ${what}, not like ${asked}`,
    `${commandFor(found, path)} ${anyway}`,
  );
}
