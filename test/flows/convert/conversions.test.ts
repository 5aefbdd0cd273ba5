/** Conversions of short inputs as a whole, and other command lines: what each says, writes and ends with stands in data. */
import { readdirSync } from 'node:fs';
import { it } from 'vitest';
import { summarize } from '../../../src/records/summary.ts';
import { emptyTally } from '../../../src/records/tally.ts';
import { casesIn, proveRun, proveTexts } from '../../support/cases.ts';
import { convertFiles } from '../../support/conversion.ts';
import { readProject } from '../../support/folder.ts';
import { showEverything } from '../../support/page.ts';

const cases = [...casesIn('conversions').slice(1), ...casesIn('command-lines', 'line')];

it.each(cases)('%s', async (_, { line, stdin, files, copied = {}, writes, omits, ...expected }) => {
  const copies = Object.entries<string>(copied).map(([name, path]) => [
    name,
    readProject(`fixtures/${path}`),
  ]);
  const given = { ...files, ...Object.fromEntries(copies) };
  const ran = await convertFiles(line.trim().split(' '), given, { stdin });
  const codes = ran.events.flatMap((event) => ('code' in event ? [event.code] : []));
  const left = readdirSync(ran.cwd).toSorted();
  const hashed = ran.users.flatMap(({ userId, user }) => (user['hashedPassword'] ? [userId] : []));
  const { aliases, notMigrated } = summarize(ran.tally ?? emptyTally());
  const found = {
    ...ran,
    code: ran.problem?.code,
    codes,
    told: ran.notices,
    left,
    hashed,
    aliases,
    notMigrated,
  };
  const outputs = left.filter((name) => /^(?:report|rejects)\./.test(name));
  proveRun(found, [showEverything(ran), ran.stdout, ...outputs.map(ran.read)].join('\n'), expected);
  proveTexts(JSON.stringify(ran.orgs), writes, omits);
});
