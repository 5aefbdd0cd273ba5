/** Writes what the program knows about the built-in sources before it reads their mappings, and their pages. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Live } from '../src/sources/entry.ts';
import type { Mapping } from '../src/sources/table/mapping/schema.ts';
import { formatSourcePage, formatSourcesPage } from './sources-page.ts';
import { hashDecoders } from '../src/records/hash-forms/decoders.ts';
import { readMapping } from '../src/sources/table/mapping/read.ts';

const folder = new URL('../src/sources/table/', import.meta.url);

export interface CompiledMaps {
  /** Entries by source. */
  readonly list: Readonly<Record<string, object>>;
  readonly page: string;
  /** Pages by source. */
  readonly pages: Readonly<Record<string, string>>;
}

export async function compileMaps(): Promise<CompiledMaps> {
  const names = readdirSync(new URL('maps/', folder)).map((file) => file.replace(/\.yaml$/, ''));
  // The reader of Auth0 adds to its mapping, and its page is written by hand.
  names.splice(names.indexOf('auth0'), 1);
  const list: Record<string, object> = {};
  const mappings: Mapping[] = [];
  for (const name of names.toSorted()) {
    const text = readFileSync(new URL(`maps/${name}.yaml`, folder), 'utf8');
    const mapping = await readMapping(text, `${name}.yaml`);
    mappings.push(mapping);
    const { title = name, recognise: marks = [] } = mapping;
    const jit = hasNoUsableHashes(mapping.password) ? mapping.about?.jit : undefined;
    list[name] = {
      title,
      marks,
      ...marksOfTables(mapping),
      ...(jit === undefined ? {} : { jit }),
      ...liveOf(mapping),
    };
  }
  return {
    list,
    page: formatSourcesPage(mappings),
    pages: Object.fromEntries(mappings.map((mapping) => [mapping.name ?? '', formatSourcePage(mapping)])),
  };
}

/** Reports whether the source itself exports no hash that the target can check, whatever its settings are. */
function hasNoUsableHashes(password: Mapping['password']) {
  if (password?.none !== undefined || password === undefined) return true;
  return typeof password.format === 'string' && hashDecoders.get(password.format)?.converts === '';
}

/** A mapping that names its table can also read the database, and one of entries the directory. */
function liveOf({ source, recognise = [] }: Mapping): { live?: Live } {
  if (source?.table !== undefined) return { live: 'database' };
  const isDirectory = recognise.some((mark) => Array.isArray(mark) && mark[0] === 'dn');
  return isDirectory ? { live: 'directory' } : {};
}

function marksOfTables({ tables = {} }: Mapping): { tables?: object } {
  const marked = Object.entries(tables).flatMap(([name, { recognise }]) =>
    recognise === undefined ? [] : [[name, recognise]],
  );
  return marked.length === 0 ? {} : { tables: Object.fromEntries(marked) };
}

export async function writeMaps(): Promise<void> {
  const { list, page, pages } = await compileMaps();
  writeFileSync(new URL('../docs/sources.md', import.meta.url), page);
  mkdirSync(new URL('../docs/sources/', import.meta.url), { recursive: true });
  for (const [name, text] of Object.entries(pages))
    writeFileSync(new URL(`../docs/sources/${name}.md`, import.meta.url), text);
  writeFileSync(new URL('built-in.json', folder), formatList(list));
  writeFileSync(
    new URL('built-in-names.ts', folder),
    `/** The names of the built-in sources. Written by \`npm run docs\`. */
export const builtInNames = [
${Object.keys(list)
  .map(
    (name) => `  '${name}',
`,
  )
  .join('')}] as const;
`,
  );
}

/** Writes a line for each source. */
export function formatList(list: CompiledMaps['list']): string {
  const lines = Object.entries(list).map(
    ([name, source]) => `${JSON.stringify(name)}: ${JSON.stringify(source)}`,
  );
  return `{\n${lines.join(',\n')}\n}\n`;
}
