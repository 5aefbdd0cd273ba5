/** The flags that say where the users come from, out of the table of providers. */
import { choice, converting, each, group, on, required, type Table, text, type Values } from '../lib/flag.ts';
import type { PathFlag } from '../sources/entry.ts';
import { type ExportName, providerNames, providers } from '../sources/providers.ts';

const pathsOf = ({ name, description }: PathFlag): Table => ({ [name]: each('<path...>', description) });

const tableFlag: Table = { table: each('<name=path...>', 'table that the mapping joins, by its name there') };

/** The export first. */
function ofProvider(name: ExportName): Table[] {
  const { input, companions, tables, flags } = providers[name];
  return [...[input, ...companions].map(pathsOf), ...(tables === undefined ? [] : [tableFlag]), flags];
}

export const forceFlags = group('Input', {
  forceProvider: on('read a file even if it looks like the export of another provider'),
});

/** For `migrate <provider>`: the export must be named. */
export function providerFlags(name: ExportName): object {
  const [input = {}, ...others] = ofProvider(name);
  const must = Object.fromEntries(Object.entries(input).map(([path, flag]) => [path, required(flag)]));
  return group('Input', { ...must, ...Object.assign({}, ...others) } as Table);
}

/** Providers may share a flag, such as `--users`. */
function mergeAll(): Table {
  const merged: Record<string, Table[string]> = {};
  for (const [name, flag] of providerNames.flatMap(ofProvider).flatMap((table) => Object.entries(table))) {
    const first = merged[name];
    const isSaid = first?.help.split('; or ').includes(flag.help) ?? false;
    if (first === undefined) merged[name] = flag;
    else if (!isSaid) merged[name] = { ...first, help: `${first.help}; or ${flag.help}` };
  }
  return merged;
}

/** Flags that only other providers have. */
export function flagsOfOthers(name: ExportName): ReadonlySet<string> {
  const own = new Set(ofProvider(name).flatMap((table) => Object.keys(table)));
  return new Set(Object.keys(ofProviders).filter((flag) => !own.has(flag)));
}

/** What is in it depends on the provider, which reads it: commands see only the others. */
const ofProviders: object = converting(group('Input', mergeAll()));

/** For verbs that take a body, or an export to convert on the fly. */
export const sourceFlags = {
  ...group('Input', {
    from: choice('<provider>', 'convert on the fly (`idport sources` lists them)', providerNames),
  }),
  ...ofProviders,
  ...forceFlags,
};

export const bodyArgument = { body: text('[body]', 'import body or export') };

export type SourceFlags = Values<typeof sourceFlags & typeof bodyArgument>;
