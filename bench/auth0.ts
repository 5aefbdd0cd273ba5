/** Sizes in, rows out: `migrate auth0` with all rules on, passwords joined, beside a script with readline and a Map. */
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { formatBytes, formatCount } from '../src/lib/quantity.ts';
import { type Auth0Dataset, auth0Export } from './auth0/generate.ts';
import type { Bench, BenchOptions, Row } from './bench.ts';
import { type Measured, measureMedian, warm } from './measure.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const output = `${root}bench/data/auth0-body.json`;

/** A Map holds no more entries than this. */
const largestMap = 16_777_216;

export const auth0Bench: Bench = {
  name: 'auth0',
  about: 'join passwords to Auth0 users (sizes: users, 1000000 by default, 10000000 on request)',
  async *rows(options) {
    const sizes = options.sizes.length > 0 ? options.sizes : [1_000_000];
    for (const users of sizes) yield* compare(users, options);
    rmSync(output, { force: true });
  },
};

async function* compare(users: number, { runs, say }: BenchOptions): AsyncGenerator<Row> {
  say(`making ${formatCount(users)} users`);
  const data = auth0Export('plain', users);
  for (const path of [data.users, data.passwords]) warm(path);
  const often = users > 2_000_000 ? 1 : runs;

  let standIn: Row | undefined;
  if (users < largestMap) {
    say('readline + Map');
    const script = `${root}bench/standins/readline-map.js`;
    const command = [
      process.execPath,
      '--max-old-space-size=8192',
      script,
      data.users,
      data.passwords,
      output,
    ];
    standIn = row(data, 'readline + Map', await measureMedian(command, often, output));
    yield standIn;
  }
  say('idport');
  const ours = row(data, 'idport', await convert(data, often));
  yield standIn === undefined
    ? ours
    : { ...ours, faster: [{ than: standIn.who, times: standIn.seconds / ours.seconds }] };
}

function row(data: Auth0Dataset, who: string, { seconds, peakBytes }: Measured): Row {
  return {
    task: `auth0 ${formatCount(data.count)} users and as many passwords (${formatBytes(data.bytes)})`,
    who,
    seconds,
    peakBytes,
    rate: `${formatCount(data.count / seconds)} users/s`,
  };
}

/** The command as people run it; standard error is read, so there is no moving line. */
function convert({ users, passwords }: Auth0Dataset, runs: number): Promise<Measured> {
  const command = [process.execPath, `${root}bin/idport.js`, 'migrate', 'auth0', '--org=1'];
  const inputs = [`--users=${users}`, `--passwords=${passwords}`];
  return measureMedian([...command, ...inputs, `--output=${output}`], runs, output);
}
