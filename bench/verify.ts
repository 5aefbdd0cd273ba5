/** `idport verify` of all users at the target: time, memory and requests, with an export and user by user. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { formatCount } from '../src/lib/format.ts';
import type { Bench, BenchOptions, Row } from './bench.ts';
import { measure } from './measure.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Users in one request of the bulk import, which takes 4 MiB. */
const atOnce = 5000;
/** One user in so many has metadata. */
const withMetadata = 100;

interface Started {
  readonly port: number;
  readonly token: string;
  readonly orgId: string;
}

export const verifyBench: Bench = {
  name: 'verify',
  about: 'a target compared with the body that was imported into it',
  async *rows({ sizes, say }: BenchOptions): AsyncIterable<Row> {
    for (const count of sizes.length > 0 ? sizes : [100_000]) yield* compare(count, say);
  },
};

async function* compare(count: number, say: (text: string) => void): AsyncGenerator<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'idport-bench-'));
  const child = fork(fileURLToPath(new URL('./send/child.js', import.meta.url)));
  try {
    const started = await next<Started>(child);
    const body = join(folder, 'body.json');
    await writeBody(body, count, started.orgId);
    say(`importing ${formatCount(count)} users`);
    await importAll(count, started);
    const ways = [
      { who: 'idport, --details=none', flags: ['--details=none'] },
      { who: 'idport, with an export', flags: [] },
      { who: 'idport, user by user', flags: ['--no-export'] },
    ];
    for (const { who, flags } of ways) {
      await ask(child);
      const tokenFile = join(folder, 'token');
      writeFileSync(tokenFile, started.token, { mode: 0o600 });
      const connection = [`--url=http://127.0.0.1:${started.port}`, `--token-file=${tokenFile}`];
      const command = [process.execPath, `${root}bin/idport.js`, 'verify', body, ...connection, ...flags];
      const { seconds, cpuSeconds, peakBytes, exitCode, stderr } = await measure(command);
      if (exitCode !== 0) throw new Error(`verify ended with ${exitCode}: ${stderr.slice(-500)}`);
      const requests = (await ask(child)).count;
      yield {
        task: `verify of ${formatCount(count)} users`,
        who,
        seconds,
        cpuSeconds,
        peakBytes,
        rate: `${formatCount(count / seconds)} users/s`,
        remark: `${formatCount(requests)} requests`,
      };
    }
  } finally {
    child.disconnect();
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeUser(at: number) {
  return {
    userId: `old-${at}`,
    user: {
      userName: `user-${at}`,
      profile: { firstName: 'First', lastName: `Last ${at}` },
      email: { email: `user-${at}@example.com`, isEmailVerified: true },
      hashedPassword: { value: '$2b$10$EblZqNptyYvcLm/VwDCVAuBjzZOI7khzdyGPBr08PpIi0na624b8.' },
    },
  };
}

function* metadata(from: number, to: number): Generator<object> {
  for (let at = from; at < to; at++) {
    if (at % withMetadata === 0) yield { id: `old-${at}`, key: 'k', value: 'dg==' };
  }
}

async function writeBody(path: string, count: number, orgId: string): Promise<void> {
  const file = createWriteStream(path);
  file.write(`{"dataOrgs":{"orgs":[{"orgId":"${orgId}","humanUsers":[`);
  for (let at = 0; at < count; at++) {
    const room = file.write(`${at === 0 ? '' : ',\n'}${JSON.stringify(makeUser(at))}`);
    if (!room) await once(file, 'drain');
  }
  file.end(`],"userMetadata":${JSON.stringify([...metadata(0, count)])}}]}}`);
  await finished(file);
}

async function importAll(count: number, { port, token, orgId }: Started): Promise<void> {
  for (let from = 0; from < count; from += atOnce) {
    const to = Math.min(count, from + atOnce);
    const humanUsers = Array.from({ length: to - from }, (_, at) => makeUser(from + at));
    const orgs = [{ orgId, humanUsers, userMetadata: [...metadata(from, to)] }];
    const answer = await fetch(`http://127.0.0.1:${port}/admin/v1/import`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ timeout: '10m', dataOrgs: { orgs } }),
    });
    if (answer.status !== 200) throw new Error(`the import ended with ${answer.status}`);
    await answer.arrayBuffer();
  }
}

async function ask(child: ChildProcess): Promise<{ readonly count: number }> {
  child.send('arrivals');
  return next(child);
}

function next<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as Message));
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
}
