/** Cases in files of `fixtures/`, whose README.md has the keys, and what several kinds of cases expect. */
import { expect } from 'vitest';
import { parse } from 'yaml';
import type { IdportEvent } from '../../src/events.ts';
import { readProject } from './folder.ts';
import { textsOf } from './workspace.ts';

/**
 * Reads the cases, each with its title. An entry with `rows` is a case for each: rows by title have keys of their own, of which
 * a text is that of `key`; rows in a list have values for `$name`, and the first of them is the end of the title.
 */
export const casesIn = (name: string, key = ''): (readonly [title: string, given: any])[] =>
  parse(readProject(`fixtures/${name}.yaml`), { merge: true, maxAliasCount: -1 }).flatMap(
    ({ rows = { '': {} }, what, ...shared }: any) =>
      Array.isArray(rows)
        ? rows.map((known: Record<string, string>) => [
            `${what} ${Object.values(known)[0]}`.trim(),
            fill(shared, known),
          ])
        : Object.entries<any>(rows).map(([title, row]) => [
            `${what} ${title}`.trim(),
            { ...shared, ...(typeof row === 'string' ? { [key]: row } : row) },
          ]),
  );

/** Puts what is known by a name in the place of `$name` or `${name}`. */
export const fill = (given: unknown, known: Readonly<Record<string, unknown>>) =>
  JSON.parse(
    JSON.stringify(given).replaceAll(/\$(?:\{([a-zA-Z]+)\}|([a-zA-Z]+))/g, (whole, braced, plain) =>
      JSON.stringify(known[braced ?? plain] ?? whole).slice(1, -1),
    ),
  );

/** Checks that the texts are there, and the others are not. */
export function proveTexts(shown: string, says: readonly string[] = [], hides: readonly string[] = []) {
  for (const text of says) expect(shown).toContain(text);
  for (const text of hides) expect(shown).not.toContain(text);
}

interface Found {
  readonly events: readonly IdportEvent[];
  readonly exitCode: number;
  readonly reasons: object;
}

/** Checks how a command ended, and what it said. */
export function proveRun(
  found: Found,
  shown: string,
  { says, hides, notices, reasons = found.reasons, ...expected }: any,
) {
  expect(found).toMatchObject({ exitCode: 0, code: undefined, ...expected });
  expect(found.reasons).toEqual(reasons);
  proveNotices(found, notices);
  proveTexts(shown, says, hides);
}

/** Checks the notices of some codes by a part of each text. */
export function proveNotices(
  found: Pick<Found, 'events'>,
  notices: Readonly<Record<string, readonly string[]>> = {},
) {
  for (const [code, texts] of Object.entries(notices))
    expect(textsOf(found, code)).toEqual(texts.map((text) => expect.stringContaining(text)));
}
