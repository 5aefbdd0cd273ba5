/** Finds exports among the named files and in the folder, and the files that belong to them. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { InputError, inputName, UsageError } from '../errors.ts';
import type { Dialog } from '../lib/dialog.ts';
import { headOf } from '../lib/input.ts';
import { shellWord } from '../lib/format.ts';
import { type ExportName, providers } from '../sources/providers.ts';
import { describeSource, flagOf, formOfHead, recognise, type Recognised } from '../sources/recognise.ts';
import { recogniseForm } from '../sources/table/forms/recognise.ts';
import { isFolder, listFolder } from '../storage/folder.ts';
import { openInput } from '../storage/open-input.ts';
import type { CommandContext } from './context.ts';
import { nameVerb } from './source.ts';

/** Folder that relative paths start from. */
type Place = Pick<CommandContext, 'cwd'>;

/**
 * Recognises a file, or the first file of a folder that can be recognised. An import body in a folder counts only if
 * there is nothing else, because a previous run may have written it. Throws `InputError` if nothing is recognised and a
 * file cannot be read.
 */
export async function lookAtFile(path: string, context: Place) {
  const folder = resolve(context.cwd, path);
  const paths = isFolder(folder)
    ? listFolder(folder).flatMap(({ kind, path: file }) => (kind === 'file' ? [file] : []))
    : [path];
  let body: Recognised | undefined;
  let problem: InputError | undefined;
  for (const file of paths.slice(0, 20)) {
    try {
      const found = recognise(await readHead(file, context));
      if (found?.source === 'body') body = found;
      else if (found !== undefined) return found;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      problem ??= error;
    }
  }
  if (body === undefined && problem !== undefined) throw problem;
  return body;
}

const readHead = (path: string, { cwd }: Place) => headOf(openInput(path, { cwd }));

/** Sorts the named files by flag, and asks for companion files at a terminal. Throws `UsageError` if no file has users. */
export async function chooseFiles(
  provider: ExportName,
  paths: readonly string[],
  dialog: Dialog | undefined,
  context: Place,
) {
  const { input, companions, title } = providers[provider];
  /** Paths by the flag of `migrate` that takes them. `table` has `name=path`. */
  const files: Record<string, string[]> = {};
  for (const path of (await Promise.all(paths.map((one) => openFolder(one, provider, context)))).flat()) {
    const [flag = '', table] = (await flagOfPath(path, provider, context)).split(' ');
    (files[flag] ??= []).push(table === undefined ? path : `${table}=${path}`);
  }
  if (files[input.name] === undefined) {
    throw new UsageError(
      `${paths.join(', ')} only adds to an export of users of ${title}`,
      'Name the export of the users as well.',
    );
  }
  for (const flag of companions) {
    if (dialog === undefined || files[flag.name] !== undefined) continue;
    const path = await askPath(`Path of the ${flag.description} (Enter for none)`, dialog, context, true);
    if (path !== '') files[flag.name] = [path];
  }
  return files;
}

/** Replaces a folder that has files of joined tables by the recognised files in it, because each has its own flag. */
async function openFolder(path: string, provider: ExportName, context: Place) {
  if (providers[provider].tables === undefined || !isFolder(resolve(context.cwd, path))) return [path];
  const files: string[] = [];
  let hasTable = false;
  for (const file of listAround(context, path)) {
    const isTable = (await orUndefined(flagOfPath(file, provider, context)))?.startsWith('table ') === true;
    hasTable ||= isTable;
    if (isTable || (await orUndefined(lookAtFile(file, context)))?.source === provider) files.push(file);
  }
  return hasTable ? files : [path];
}

/** Asks for the path of an existing file. An optional one may be left out. */
export function askPath(asked: string, dialog: Dialog, { cwd }: Place, isOptional = false) {
  return dialog.text(asked, {
    check: (path) =>
      (path === '' ? isOptional : existsSync(resolve(cwd, path))) ? undefined : 'There is no such file.',
  });
}

/** Lists the files of a folder that `flag` takes. `flag` is a result of `flagOfPath`. */
export async function filesGivenAs(flag: string, provider: ExportName, context: Place, folder: string) {
  const found: string[] = [];
  for (const path of listAround(context, folder))
    if ((await orUndefined(flagOfPath(path, provider, context))) === flag) found.push(path);
  return found;
}

/** Returns the flag that takes a file, or `table <name>` if the file is a joined table. */
async function flagOfPath(path: string, provider: ExportName, context: Place) {
  const entry = providers[provider];
  const isFile = path !== '-' && !isFolder(resolve(context.cwd, path));
  return isFile ? flagOf(await readHead(path, context), entry) : entry.input.name;
}

/** Returns the form of a file. Undefined for a folder and for standard input. */
export async function formOf(path: string, context: Place) {
  if (path === '-' || isFolder(resolve(context.cwd, path))) return undefined;
  return formOfHead(await readHead(path, context));
}

/** Resolves to undefined instead of throwing `InputError` or `UsageError`. */
export async function orUndefined<Value>(look: Promise<Value>) {
  try {
    return await look;
  } catch (error) {
    if (error instanceof InputError || error instanceof UsageError) return undefined;
    throw error;
  }
}

/** Lists up to 100 files and folders of a folder, without hidden ones, node_modules and secrets. */
function listAround({ cwd }: Place, folder: string) {
  const names = listFolder(resolve(cwd, folder)).flatMap(({ kind, name }) =>
    (kind === 'file' || kind === 'folder') && !/^(?:\.|node_modules$|secrets$)/.test(name)
      ? [join(folder, name)]
      : [],
  );
  return names.slice(0, 100);
}

/** Throws `UsageError` if the file is an import body. */
export function providerOf(found: Recognised, path: string) {
  const { source } = found;
  if (source !== 'body') return source;
  throw new UsageError(`${path} looks like ${describeSource(source)}`, nameVerb(found, path));
}

/** Returns the provider of the first file that is recognised. Throws `UsageError`. `hint` says how to name the provider. */
export async function recogniseSource(files: readonly string[], context: Place, hint: string) {
  const [first] = files;
  if (first === undefined) {
    throw new UsageError(
      'neither a file nor a source is named',
      `Name the files of an export, or its source. ${hint}`,
    );
  }
  for (const path of files) {
    const found = path === '-' ? undefined : await lookAtFile(path, context);
    if (found !== undefined) return providerOf(found, path);
  }
  // Files that no source reads, such as a database file or a dump in the custom format, have an error of their own.
  if (first !== '-' && !isFolder(resolve(context.cwd, first)))
    recogniseForm({ name: first }, await readHead(first, context));
  throw unknownSystem(first, hint);
}

/** `hint` says how to name the provider. */
export const unknownSystem = (path: string, hint: string) =>
  new UsageError(
    `${inputName(path)} does not show which system it is from`,
    `${hint} \`idport sources\` lists the names. If it is a table of your own, draft a mapping first: \`idport map ${shellWord(path)}\`.`,
  );
