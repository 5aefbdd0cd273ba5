/** Writes src/sources/table/built-in*.ts: what the help shows of the built-in sources, and the texts of their mappings. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Mapping } from '../src/sources/table/mapping/schema.ts';
import { formatSourcePage, formatSourcesPage } from './sources-page.ts';
import { hasNoUsableHashes } from '../src/sources/table/describe.ts';
import { readMapping } from '../src/sources/table/mapping/read.ts';

const folder = new URL('../src/sources/table/', import.meta.url);

export interface CompiledMaps {
  readonly list: string;
  readonly texts: string;
  readonly page: string;
  /** A page for each source, by its name. */
  readonly pages: Readonly<Record<string, string>>;
}

export async function compileMaps(): Promise<CompiledMaps> {
  const names = readdirSync(new URL('maps/', folder)).map((file) => file.replace(/\.yaml$/, ''));
  const entries: string[] = [];
  const texts: string[] = [];
  const mappings: Mapping[] = [];
  for (const name of names.toSorted()) {
    const text = readFileSync(new URL(`maps/${name}.yaml`, folder), 'utf8');
    const mapping = await readMapping(text, `${name}.yaml`);
    const { title = name } = mapping;
    mappings.push(mapping);
    const { recognise: marks = [] } = mapping;
    const parts = { title, marks, ...marksOfTables(mapping) };
    const jit = hasNoUsableHashes(mapping.password) ? mapping.about?.jit : undefined;
    entries.push(`  ${JSON.stringify(name)}: ${JSON.stringify({ ...parts, jit })},`);
    texts.push(`  ${JSON.stringify(name)}: ${JSON.stringify(text)},`);
  }
  const made = '/* oxlint-disable */\n// Written by `npm run docs` from maps/*.yaml.\n';
  return {
    page: formatSourcesPage(mappings),
    pages: Object.fromEntries(mappings.map((mapping) => [mapping.name ?? '', formatSourcePage(mapping)])),
    list: `/** The built-in sources, for the help. */\n${made}interface BuiltIn {\n  readonly title: string;\n  /** By any of these its exports are recognised: keys, or a regular expression. */\n  readonly marks: readonly (readonly string[] | string)[];\n  /** The same of tables that are joined. */\n  readonly tables?: Readonly<Record<string, readonly (readonly string[] | string)[]>>;\n  /** Where no password hash can move: the verifier of idport jit that can ask the source. */\n  readonly jit?: string;\n}\n\nexport const builtIn = {\n${entries.join('\n')}\n} as const satisfies Readonly<Record<string, BuiltIn>>;\n`,
    texts: `/** The mappings of the built-in sources. */\n${made}export const builtInTexts: Readonly<Record<string, string>> = {\n${texts.join('\n')}\n};\n`,
  };
}

function marksOfTables({ tables = {} }: Mapping): { tables?: object } {
  const marked = Object.entries(tables).flatMap(([name, { recognise }]) =>
    recognise === undefined ? [] : [[name, recognise]],
  );
  return marked.length === 0 ? {} : { tables: Object.fromEntries(marked) };
}

export async function writeMaps(): Promise<void> {
  const { list, texts, page, pages } = await compileMaps();
  writeFileSync(new URL('../docs/sources.md', import.meta.url), page);
  mkdirSync(new URL('../docs/sources/', import.meta.url), { recursive: true });
  for (const [name, text] of Object.entries(pages))
    writeFileSync(new URL(`../docs/sources/${name}.md`, import.meta.url), text);
  writeFileSync(new URL('built-in.ts', folder), list);
  writeFileSync(new URL('built-in-maps.ts', folder), texts);
}
