/** Conversions of short inputs as a whole, and other command lines: what each says, writes and ends with stands in data. */
import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { summarize } from '../../../src/records/summary.ts';
import { emptyTally } from '../../../src/records/tally.ts';
import { convertFiles } from '../../support/conversion.ts';
import { readProject } from '../../support/folder.ts';
import { showEverything } from '../../support/page.ts';

const [conversions, lines] = ['conversions', 'command-lines'].map((name): any[] =>
  parse(readProject(`fixtures/${name}.yaml`), { merge: true }),
);
const cases = [...conversions!.slice(1), ...lines!];

/** A case for each of the texts that stand in the place of `EACH`. */
const titled = cases.flatMap(({ what, each = [''], ...one }) =>
  each.map((text: string) => {
    const inJson = JSON.stringify(text).slice(1, -1);
    return [`${what} ${text}`.trim(), JSON.parse(JSON.stringify(one).replaceAll('EACH', () => inJson))];
  }),
);

it.each(titled)('%s', async (_, { line, stdin, files, copied = {}, ...told }) => {
  const copies = Object.entries<string>(copied).map(([name, path]) => [
    name,
    readProject(`fixtures/${path}`),
  ]);
  const given = { ...files, ...Object.fromEntries(copies) };
  const ran = await convertFiles(line.trim().split(' '), given, { stdin });
  const { said = [], unsaid = [], carried = [], uncarried = [], ...expected } = told;
  const codes = ran.events.flatMap((event) => ('code' in event ? [event.code] : []));
  const left = readdirSync(ran.cwd).toSorted();
  const hashed = ran.users.flatMap(({ userId, user }) => (user['hashedPassword'] ? [userId] : []));
  const { aliases, notMigrated } = summarize(ran.tally ?? emptyTally());
  const found = { ...ran, code: ran.problem?.code, codes, left, hashed, aliases, notMigrated };
  expect(found).toMatchObject({ code: undefined, exitCode: 0, ...expected });
  const { reasons = ran.reasons } = expected;
  expect(ran.reasons).toEqual(reasons);
  const outputs = left.filter((name) => /^(?:report|rejects)\./.test(name));
  const shown = [showEverything(ran), ran.stdout, ...outputs.map(ran.read)].join('\n');
  for (const text of said) expect(shown).toContain(text);
  for (const text of unsaid) expect(shown).not.toContain(text);
  for (const text of carried) expect(ran.read('importBody.json')).toContain(text);
  for (const text of uncarried) expect(ran.read('importBody.json')).not.toContain(text);
});
