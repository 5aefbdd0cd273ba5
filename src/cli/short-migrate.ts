/** The short form of a conversion: `migrate realm.json --org=1` is `migrate keycloak --realm=realm.json --org=1`. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { chooseFiles, recogniseSource } from '../commands/find-exports.ts';
import { migrateFlags } from '../flags/conversion.ts';
import { sourceFlags } from '../flags/source.ts';
import { longName, type Table } from '../lib/flag.ts';
import { providerNames, providers } from '../sources/providers.ts';

const table: Table = { ...sourceFlags, ...migrateFlags };
const exports = new Set(Object.values(providers).map(({ input }) => input.name));

/**
 * Expands the short form of the words after `migrate`, and returns all others unchanged. Words that are neither the source
 * nor values of flags are files. Without files, the values of flags show the source. Throws `UsageError` and `InputError`.
 */
export async function expandMigrate(words: readonly string[], context: { readonly cwd: string }) {
  const named = providerNames.find((name) => name === words[0]);
  const { files, flags, ofFlags } = parseWords(words.slice(named === undefined ? 0 : 1));
  const isPath = (word: string) =>
    word === '-' || /[./\\]/.test(word) || existsSync(resolve(context.cwd, word));
  const [first] = files;
  const isShort = first === undefined ? named === undefined && ofFlags.length > 0 : isPath(first);
  if (!isShort) return words;
  const hint = 'Name the source first: idport migrate keycloak realm.json.';
  const provider = named ?? (await recogniseSource(files.length > 0 ? files : ofFlags, context, hint));
  const found = files.length === 0 ? {} : await chooseFiles(provider, files, undefined, context);
  const inputs = Object.entries(found).flatMap(([flag, paths]) => paths.map((path) => `--${flag}=${path}`));
  return [provider, ...inputs, ...flags];
}

/** `ofFlags` are the values of flags for exports. */
function parseWords(words: readonly string[]) {
  const flags: string[] = [];
  const ofFlags: string[] = [];
  const command = new Command();
  for (const [name, flag] of Object.entries(table)) {
    const long = longName(name, flag);
    // Optional here, because a missing value is reported when the whole line is parsed.
    command.option(`${long} ${(flag.value ?? '').replace(/<(.*)>/, '[$1]')}`.trim());
    command.on(`option:${long.slice(2)}`, (value?: string | null) => {
      flags.push(typeof value === 'string' ? `${long}=${value}` : long);
      if (exports.has(name) && typeof value === 'string') ofFlags.push(value);
    });
  }
  const { operands, unknown } = command.parseOptions([...words]);
  return { files: operands, flags: [...flags, ...unknown], ofFlags };
}
