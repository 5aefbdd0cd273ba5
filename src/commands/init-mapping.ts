/** Asks for what `idport init` needs from a source with a mapping: the mapping file, and the files of joined tables. */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import type { Dialog } from '../lib/dialog.ts';
import { type ExportName, providers } from '../sources/providers.ts';
import { unmapped, builtInMapping } from '../sources/table/built-in-mappings.ts';
import { readMapping } from '../sources/table/mapping/read.ts';
import type { Mapping } from '../sources/table/mapping/schema.ts';
import type { CommandContext } from './context.ts';
import { askAmong, filesGivenAs, formOf, listAround, none, orUndefined } from './find-exports.ts';
import { draftText } from './map.ts';
import { readText } from './read-text.ts';

const drafted = 'mapping.yaml';
const draft = { value: '//draft', label: `a draft from its columns, to be written to ${drafted}` };
const usual = {
  value: '//usual',
  label: 'none: its columns are named id, username, email, password_hash, ...',
};

export interface ChosenMap {
  /** Undefined if no mapping is needed. */
  readonly path: string | undefined;
  /** Text of a draft, to be written to `path`. */
  readonly text?: string;
}

/** Chooses the mapping of a table of the user's own. Without a terminal, a draft is made. */
export async function chooseMap(
  provider: ExportName,
  named: string | undefined,
  users: string,
  dialog: Dialog | undefined,
  context: CommandContext,
): Promise<ChosenMap> {
  if (named !== undefined || !unmapped.has(provider)) return { path: named };
  if (dialog === undefined) return draftMap(users, context);
  const found: string[] = [];
  for (const path of listAround(context)) {
    const isText = /\.(?:ya?ml|json)$/.test(path) && path !== users;
    if (isText && (await orUndefined(readMap(path, context))) !== undefined) found.push(path);
  }
  const offered = found.includes(drafted) ? [usual] : [draft, usual];
  const question = `Which mapping says what the columns of ${users} are?`;
  const answer = await askAmong(question, found, offered, dialog, context);
  if (answer === usual.value) return { path: undefined };
  return answer === draft.value ? draftMap(users, context) : { path: answer };
}

async function draftMap(users: string, context: CommandContext): Promise<ChosenMap> {
  if (existsSync(resolve(context.cwd, drafted))) {
    throw new UsageError(`${drafted} exists already`, `Use it with --map=${drafted}, or remove it.`);
  }
  return { path: drafted, text: await draftText({ file: users }, context) };
}

async function readMap(path: string, { cwd }: CommandContext): Promise<Mapping> {
  return readMapping(readText(path, cwd), path);
}

export interface TableChoice {
  readonly provider: ExportName;
  readonly mapping: Mapping | undefined;
  /** Named files of tables, as `name=path`. */
  readonly given: readonly string[];
  /** Path of the file of users. */
  readonly users: string;
}

/** Returns `name=path` of each joined table: the given ones, and files next to the users. At a terminal, asks which files. */
export async function chooseTables(
  { provider, mapping, given, users }: TableChoice,
  dialog: Dialog | undefined,
  context: CommandContext,
) {
  const names = Object.keys(mapping?.tables ?? {});
  const nameOf = (pair: string) => pair.split('=', 1).join('');
  for (const pair of given) {
    if (names.includes(nameOf(pair))) continue;
    throw new UsageError(
      `--table ${pair}: the mapping joins no such table`,
      names.length === 0 ? 'It joins none.' : `It joins ${names.join(', ')}.`,
    );
  }
  const chosen = [...given];
  const form = await orUndefined(formOf(users, context));
  // A dump of a database and LDIF contain the joined tables.
  if (users === '-' || form === 'sql' || form === 'ldif') return chosen;
  for (const name of names.filter((name) => !given.some((pair) => nameOf(pair) === name))) {
    const found = await filesGivenAs(`table ${name}`, provider, context, dirname(users));
    if (dialog === undefined) {
      // If there are several, one may be older.
      if (found.length === 1) chosen.push(`${name}=${found[0]}`);
      continue;
    }
    const question = `Which file is the table ${name}, which the mapping joins?`;
    const path = await askAmong(question, found, [none], dialog, context);
    if (path !== none.value) chosen.push(`${name}=${path}`);
  }
  return chosen;
}

/** Returns undefined for a source with a reader of its own, and for a table without a mapping. */
export async function mappingOf(
  provider: ExportName,
  { path, text }: ChosenMap,
  context: CommandContext,
): Promise<Mapping | undefined> {
  if (text !== undefined) return readMapping(text, drafted);
  if (path !== undefined) return readMap(path, context);
  const isBuiltIn = providers[provider].tables !== undefined && !unmapped.has(provider);
  return isBuiltIn ? builtInMapping(provider) : undefined;
}
