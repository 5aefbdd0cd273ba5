/** `migrate auth0` with the passwords joined, on each population, beside a script with readline and a Map. */
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { formatBytes, formatCount } from '../src/lib/format.ts';
import { auth0Export, auth0Populations } from './auth0/generate.ts';
import type { Bench, BenchOptions, Row } from './bench.ts';
import { idport, nodeVersion, warm } from './measure.ts';
import { race } from './race.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const output = `${folder}data/auth0-body.json`;
const judged = 'idport, 2 threads';

/** A Map holds no more entries than this. */
const largestMap = 16_777_216;

export const auth0Bench: Bench = {
  name: 'auth0',
  about: `join passwords to Auth0 users: ${auth0Populations.join(', ')} (1000000 users, 10000000 on request)`,
  async *rows(options) {
    for (const users of options.sizes.length > 0 ? options.sizes : [1_000_000])
      yield* compare(users, options);
    rmSync(output, { force: true });
  },
};

async function* compare(count: number, options: BenchOptions): AsyncGenerator<Row> {
  for (const population of auth0Populations) {
    if (options.populations.length > 0 && !options.populations.includes(population)) continue;
    options.say(`making ${formatCount(count)} users: ${population}`);
    const { users, passwords, bytes } = auth0Export(population, count);
    for (const path of [users, passwords]) warm(path);
    const script = [process.execPath, '--max-old-space-size=8192', `${folder}standins/readline-map.js`];
    const standIn = {
      who: `Node ${nodeVersion}, readline and a Map`,
      command: [...script, users, passwords, output],
      goal: 2,
    };
    const convert = (threads: number): string[] => {
      const flags = ['--org=1', '--default-region=DE', `--threads=${threads}`, `--output=${output}`];
      return [...idport, 'migrate', 'auth0', `--users=${users}`, `--passwords=${passwords}`, ...flags];
    };
    yield* await race(
      {
        task: `auth0 ${population}, ${formatCount(count)} users and as many passwords (${formatBytes(bytes)})`,
        count,
        output,
        entrants: [
          ...(count < largestMap ? [standIn] : []),
          { who: judged, command: convert(2) },
          { who: 'idport, 1 thread', command: convert(1) },
        ],
        judged,
        maxBytes: 200e6,
      },
      options,
    );
  }
}
