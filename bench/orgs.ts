/** `migrate csv` of users who are mixed over 5,000 organizations, with roles and without, beside one organization. */
import { rmSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { formatBytes, formatCount } from '../src/lib/format.ts';
import type { Bench, BenchOptions, Row } from './bench.ts';
import { writeOnce } from './dataset.ts';
import { createDice } from './dice.ts';
import { idport, warm } from './measure.ts';
import { race } from './race.ts';
import { firstName, lastName } from './texts.ts';

const output = `${fileURLToPath(new URL('.', import.meta.url))}data/orgs-body.json`;
const organizations = 5000;
const judged = `idport, ${formatCount(organizations)} organizations`;

const populations = { plain: [], roles: ['--roles=new:Bench'] } as const;

export const orgsBench: Bench = {
  name: 'orgs',
  about: `users mixed over ${formatCount(organizations)} organizations: ${Object.keys(populations).join(', ')} (1000000 users)`,
  async *rows(options) {
    for (const users of options.sizes.length > 0 ? options.sizes : [1_000_000])
      yield* compare(users, options);
    rmSync(output, { force: true });
  },
};

async function* compare(count: number, options: BenchOptions): AsyncGenerator<Row> {
  options.say(`making ${formatCount(count)} users`);
  const users = writeOnce(`orgs-users-${count}.csv`, () => rows(count));
  const map = writeOnce('orgs.yaml', () => [
    'idport: 1\n',
    'user: { id: id, userName: login, email: email, emailVerified: { column: confirmed }, givenName: first, familyName: last, roles: { from: role } }\n',
    'password: { from: hash, format: bcrypt, pepper: none, prehash: none }\nunused: [tenant]\n',
  ]);
  warm(users);
  const shared = [...idport, 'migrate', 'csv', `--users=${users}`, `--map=${map}`, '--org=1', '--threads=2'];
  for (const [population, flags] of Object.entries(populations)) {
    if (options.populations.length > 0 && !options.populations.includes(population)) continue;
    const one = [...shared, `--output=${output}`, ...flags];
    yield* await race(
      {
        task: `orgs ${population}, ${formatCount(count)} users (${formatBytes(statSync(users).size)})`,
        count,
        output,
        entrants: [
          // At most one and a half times as long.
          { who: 'one organization', command: one, goal: 1 / 1.5 },
          { who: judged, command: [...one, '--org-by=column:tenant', '--create-orgs'] },
        ],
        judged,
        maxBytes: 250e6,
      },
      options,
    );
  }
}

function* rows(count: number): Generator<string> {
  const dice = createDice(20_260_103);
  yield 'id,login,email,confirmed,first,last,hash,role,tenant\n';
  for (let index = 0; index < count; index++) {
    const hash = dice.base64(40).replaceAll('+', '.').slice(0, 53);
    // The last character of each part holds no more than its bits.
    const bcrypt = `$2b$10$${hash.slice(0, 21)}O${hash.slice(22, 52)}e`;
    const names = [firstName(dice), lastName(dice)].map((name) => `"${name.replaceAll('"', '""')}"`);
    const cells = [dice.uuid(), `user${index}`, `user${index}@example.org`, 't', ...names, bcrypt];
    yield `${[...cells, `role-${dice.below(20)}`, `tenant-${dice.below(organizations)}`].join(',')}\n`;
  }
}
