/** `migrate csv`, `json` and a joined table with a mapping of five lines, beside the Keycloak conversion of as many users. */
import { rmSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { formatBytes, formatCount } from '../src/lib/format.ts';
import type { Bench, BenchOptions, Row } from './bench.ts';
import { writeOnce } from './dataset.ts';
import { createDice } from './dice.ts';
import { keycloakExport } from './keycloak/generate.ts';
import { idport, warm } from './measure.ts';
import { race } from './race.ts';
import { firstName, lastName } from './texts.ts';

const output = `${fileURLToPath(new URL('.', import.meta.url))}data/mapped-body.json`;
const judged = 'idport, 2 threads';
const keycloak = 'migrate keycloak, uniform';

const populations = ['csv', 'json', 'joined'] as const;

export const mappedBench: Bench = {
  name: 'mapped',
  about: `convert tables with a mapping: ${populations.join(', ')} (1000000 users)`,
  async *rows(options) {
    for (const users of options.sizes.length > 0 ? options.sizes : [1_000_000])
      yield* compare(users, options);
    rmSync(output, { force: true });
  },
};

async function* compare(count: number, options: BenchOptions): AsyncGenerator<Row> {
  for (const population of populations) {
    if (options.populations.length > 0 && !options.populations.includes(population)) continue;
    options.say(`making ${formatCount(count)} users: ${population}`);
    const { path: realm } = keycloakExport('uniform', count);
    const files = exportOf(population, count);
    for (const path of [realm, ...files.paths]) warm(path);
    const bytes = files.paths.reduce((sum, path) => sum + statSync(path).size, 0);
    const shared = ['--org=1', '--threads=2', `--output=${output}`];
    yield* await race(
      {
        task: `mapped ${population}, ${formatCount(count)} users (${formatBytes(bytes)})`,
        count,
        output,
        entrants: [
          // At most twice its time a user.
          {
            who: keycloak,
            command: [...idport, 'migrate', 'keycloak', `--realm=${realm}`, ...shared],
            ...(population === 'joined' ? {} : { goal: 0.5 }),
          },
          { who: judged, command: [...idport, 'migrate', ...files.flags, ...shared] },
        ],
        judged,
        maxBytes: population === 'joined' ? 300e6 : 200e6,
      },
      options,
    );
  }
}

interface MappedFiles {
  readonly paths: readonly string[];
  readonly flags: readonly string[];
}

function exportOf(population: (typeof populations)[number], count: number): MappedFiles {
  const isJson = population === 'json';
  const users = writeOnce(`mapped-users-${count}.${isJson ? 'ndjson' : 'csv'}`, () =>
    isJson ? userLines(count) : userRows(count),
  );
  const joined = population === 'joined';
  const map = writeOnce(`mapped-${joined ? 'joined' : 'plain'}.yaml`, () => [
    'idport: 1\n',
    joined ? 'tables: { logins: { key: user_id, many: true } }\n' : '',
    'user: { id: id, userName: login, email: email, emailVerified: { column: confirmed }, givenName: first, familyName: last',
    joined ? ', links: { each: logins, alias: provider, externalUserId: uid } }\n' : ' }\n',
    'password: { from: hash, format: bcrypt, pepper: none, prehash: none }\nunused: [created]\n',
  ]);
  const flags = [isJson ? 'json' : 'csv', `--users=${users}`, `--map=${map}`];
  if (!joined) return { paths: [users], flags };
  const logins = writeOnce(`mapped-logins-${count}.csv`, () => loginRows(count));
  return { paths: [users, logins], flags: [...flags, `--table=logins=${logins}`, '--idp=google=1'] };
}

const titles = ['id', 'login', 'email', 'confirmed', 'first', 'last', 'hash', 'created'] as const;

function* users(count: number): Generator<readonly string[]> {
  const dice = createDice(20_260_102);
  for (let index = 0; index < count; index++) {
    const hash = dice.base64(40).replaceAll('+', '.').slice(0, 53);
    yield [
      dice.uuid(),
      `user${index}`,
      `user${index}@example.org`,
      dice.below(100) < 90 ? 't' : 'f',
      firstName(dice),
      lastName(dice),
      // The last character of each part holds no more than its bits.
      `$2b$10$${hash.slice(0, 21)}O${hash.slice(22, 52)}e`,
      '2024-01-02 03:04:05.678+00',
    ];
  }
}

function* userRows(count: number): Generator<string> {
  yield `${titles.join(',')}\n`;
  for (const cells of users(count)) yield `${cells.map(toCell).join(',')}\n`;
}

function* userLines(count: number): Generator<string> {
  for (const cells of users(count))
    yield `${JSON.stringify(Object.fromEntries(titles.map((title, at) => [title, cells[at]])))}\n`;
}

/** One login for each user, in another order than the users. */
function* loginRows(count: number): Generator<string> {
  yield 'user_id,provider,uid\n';
  const ids = Array.from(users(count), ([id]) => id);
  for (const [index, id] of ids.toReversed().entries()) yield `${id},google,${10n ** 20n + BigInt(index)}\n`;
}

function toCell(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
