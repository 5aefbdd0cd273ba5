/** Cases in files of `fixtures/`, whose README.md has the keys, and what several kinds of cases expect. */
import { expect } from 'vitest';
import { parse } from 'yaml';
import { readProject } from './folder.ts';
import { textsOf } from './workspace.ts';

/**
 * Reads the cases. An entry with `rows` is a case for each of them, with its title, or else its first value, behind that of
 * the entry. A row that is a text is the value of `key`.
 */
export const casesIn = (name: string, key = ''): any[] =>
  parse(readProject(`fixtures/${name}.yaml`), { merge: true, maxAliasCount: -1 }).flatMap(
    ({ rows = { '': {} }, what, ...shared }: any) =>
      Object.entries<any>(rows).map(([title, row]) => {
        const own = typeof row === 'string' ? { [key]: row } : row;
        const last = Array.isArray(rows) ? Object.values(own)[0] : title;
        const one = { ...shared, ...own };
        return { ...fill(one, one), what: `${what} ${last}`.trim() };
      }),
  );

/** Puts what is known by a name in the place of `$name` or `${name}`. */
export const fill = (given: unknown, known: Readonly<Record<string, unknown>>) =>
  JSON.parse(
    JSON.stringify(given).replaceAll(/\$\{?([a-zA-Z]+)\}?/g, (whole, name) =>
      JSON.stringify(known[name] ?? whole).slice(1, -1),
    ),
  );

/** Checks that the texts are there, and the others are not. */
export function proveTexts(shown: string, says: readonly string[] = [], hides: readonly string[] = []) {
  for (const text of says) expect(shown).toContain(text);
  for (const text of hides) expect(shown).not.toContain(text);
}

/** Checks the notices of some codes by a part of each text. */
export function proveNotices(
  ran: Parameters<typeof textsOf>[0],
  notices: Readonly<Record<string, readonly string[]>> = {},
) {
  for (const [code, texts] of Object.entries(notices))
    expect(textsOf(ran, code)).toEqual(texts.map((text) => expect.stringContaining(text)));
}
