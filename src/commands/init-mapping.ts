/** Finds what `idport init` needs for a source with a mapping: the mapping file, and the files of joined tables. */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import { type ExportName, providers } from '../sources/providers.ts';
import { unmapped, builtInMapping } from '../sources/table/built-in-mappings.ts';
import { readMapping } from '../sources/table/mapping/read.ts';
import type { Mapping } from '../sources/table/mapping/schema.ts';
import type { CommandContext } from './context.ts';
import { filesGivenAs, formOf, orUndefined } from './find-exports.ts';
import { draftText } from './map.ts';
import { readText } from './read-text.ts';

const drafted = 'mapping.yaml';

interface ChosenMap {
  /** Undefined if no mapping is needed. */
  readonly path: string | undefined;
  /** Text of a draft, to be written to `path`. */
  readonly text?: string;
}

/** Returns the named mapping. Without one, drafts the mapping of a table of the user's own. */
export async function chooseMap(
  provider: ExportName,
  named: string | undefined,
  users: string,
  context: CommandContext,
): Promise<ChosenMap> {
  if (named !== undefined || !unmapped.has(provider)) return { path: named };
  if (existsSync(resolve(context.cwd, drafted))) {
    throw new UsageError(`${drafted} exists already`, `Use it with --map=${drafted}, or remove it.`);
  }
  return { path: drafted, text: await draftText({ file: users }, context) };
}

interface TableChoice {
  readonly provider: ExportName;
  readonly mapping: Mapping | undefined;
  /** Named files of tables, as `name=path`. */
  readonly given: readonly string[];
  /** Path of the file of users. */
  readonly users: string;
}

/** Returns `name=path` of each joined table: the given ones, and files next to the users. */
export async function chooseTables(
  { provider, mapping, given, users }: TableChoice,
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
    // If there are several, one may be older.
    if (found.length === 1) chosen.push(`${name}=${found[0]}`);
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
  if (path !== undefined) return readMapping(readText(path, context.cwd), path);
  const isBuiltIn = providers[provider].tables !== undefined && !unmapped.has(provider);
  return isBuiltIn ? builtInMapping(provider) : undefined;
}
