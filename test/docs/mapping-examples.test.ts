/** The mappings of docs/mapping-examples.md on the files beside them: what the page shows, and what becomes of each user. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createTestFolder, readProject } from '../support/folder.ts';
import { notShown, screenOf, stepsOf } from '../support/page.ts';
import { runProgram } from '../support/workspace.ts';

const page = readProject('docs/mapping-examples.md');
const sections = page.split(/^## /m).slice(1);

const hash = (value: string): object => ({ hashedPassword: { value } });

it.each([
  [
    'A MySQL table of your own',
    [
      {
        userId: '17',
        user: {
          userName: 'ada@example.org',
          profile: { firstName: 'Ada', lastName: 'Lovelace' },
          email: { email: 'ada@example.org', isEmailVerified: true },
          phone: { phone: '+41791234567' },
          ...hash('$2y$10$l3EyF4AfviTj39c1yaTQG.DbvegzijwiRDh0mj.bAgBNyILSim9a2'),
        },
      },
    ],
  ],
  [
    'A pg_dump with a salted hash and roles',
    [
      {
        user: {
          userName: 'ada',
          profile: { firstName: 'Ada', lastName: 'Lovelace' },
          ...hash(
            '$pbkdf2-sha256$30000$ZDFhYmRkZjE1NTA3YzEzNQ==$oRwS7qSMCla8NMDqfc0zqLBJqdQV8Qgpk2XREubi284=',
          ),
        },
      },
    ],
  ],
  [
    'A CSV of a German Excel',
    [
      {
        userId: '0041',
        user: { profile: { firstName: 'Jürg', lastName: 'Müller' }, phone: { phone: '+41791234567' } },
      },
      {
        userId: '0042',
        user: { profile: { firstName: 'Zoë', lastName: 'Weiß' } },
        state: 'USER_STATE_INACTIVE',
      },
    ],
  ],
])('docs/mapping-examples.md converts as shown: %s', async (title, users) => {
  const section = sections.find((text) => text.startsWith(title)) ?? '';
  const cwd = createTestFolder();
  for (const [, name = '', text = ''] of section.matchAll(/^`([\w.]+)`\n\n```\w+\n([^]*?)^```$/gm))
    writeFileSync(join(cwd, name), text, name.endsWith('.csv') ? 'latin1' : 'utf8');
  const [step] = stepsOf(section);
  const argv = step!.commands[0]!;
  const ran = await runProgram(argv, { cwd });
  expect(notShown(step!, screenOf(ran))).toEqual([]);
  const output = argv.find((word) => word.startsWith('--output='))!.slice('--output='.length);
  expect(JSON.parse(readFileSync(join(cwd, output), 'utf8'))).toMatchObject({
    dataOrgs: { orgs: [{ humanUsers: users }] },
  });
});
