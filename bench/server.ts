/** How many `_import` calls the reference server answers, beside a bare handler of the same framework, over a real socket. */
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import type { Bench, BenchOptions, Row } from './bench.ts';

/** What the child reports at its start and whenever it is asked. */
interface ChildReport {
  readonly port: number;
  readonly token: string;
  /** Processor time since the start. */
  readonly cpuSeconds: number;
  readonly heapBytes: number;
}

const path = '/management/v1/users/human/_import';
const connections = 50;

export const serverBench: Bench = {
  name: 'server',
  about: 'users imported one by one into the reference server, beside a bare handler',
  async *rows({ sizes, say }: BenchOptions): AsyncIterable<Row> {
    for (const count of sizes.length > 0 ? sizes : [50_000]) {
      const task = `_import of ${count.toLocaleString('en')} users, pbkdf2`;
      say(`${task}: bare handler and reference server in turns`);
      const [bare, reference] = await race(count);
      yield toRow(task, 'bare handler', bare, count);
      yield {
        ...toRow(task, 'idport', reference, count),
        faster: [{ than: 'bare handler', times: bare.seconds / reference.seconds }],
        remark: `${perCpu(reference, count)}; ${Math.round(reference.heapGrowth / count)} bytes of heap a user`,
      };
    }
  },
};

interface Load {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly heapGrowth: number;
}

const perCpu = ({ cpuSeconds }: Load, count: number): string =>
  `${Math.round(count / cpuSeconds).toLocaleString('en')} a second of its own processor time`;

function toRow(task: string, who: string, load: Load, count: number): Row {
  const rate = `${Math.round(count / load.seconds).toLocaleString('en')} req/s`;
  return { task, who, seconds: load.seconds, rate, remark: perCpu(load, count) };
}

/** In turns, so that whatever else the machine does meets both. */
const turns = 10;

/** The first tenth warms the servers up and is not measured. */
async function race(count: number): Promise<[bare: Load, reference: Load]> {
  const runners = [await start('bare'), await start('reference')] as const;
  try {
    for (const runner of runners) await runner.run(Math.ceil(count / turns));
    for (const runner of runners) await runner.mark();
    for (let turn = 0; turn < turns; turn++) {
      for (const runner of runners) await runner.run(Math.ceil(count / turns));
    }
    return [await runners[0].finish(), await runners[1].finish()];
  } finally {
    for (const runner of runners) await runner.stop();
  }
}

interface Runner {
  run(count: number): Promise<void>;
  /** The measurement starts here. */
  mark(): Promise<void>;
  finish(): Promise<Load>;
  stop(): Promise<void>;
}

async function start(kind: 'bare' | 'reference'): Promise<Runner> {
  const child = fork(fileURLToPath(new URL('./server/child.js', import.meta.url)), [kind], {
    execArgv: ['--expose-gc'],
  });
  const { port, token } = await nextReport(child);
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections, pipelining: 1 });
  let sent = 0;
  let seconds = 0;
  let before: ChildReport | undefined;
  return {
    async run(count) {
      const begin = performance.now();
      await send(pool, token, sent, count);
      seconds += (performance.now() - begin) / 1000;
      sent += count;
    },
    async mark() {
      before = await ask(child);
      seconds = 0;
    },
    async finish() {
      const after = await ask(child);
      return {
        seconds,
        cpuSeconds: after.cpuSeconds - (before?.cpuSeconds ?? 0),
        heapGrowth: after.heapBytes - (before?.heapBytes ?? 0),
      };
    },
    async stop() {
      await pool.close();
      child.disconnect();
    },
  };
}

function nextReport(child: ChildProcess): Promise<ChildReport> {
  return new Promise((resolve, reject) => {
    child.once('message', (report) => resolve(report as ChildReport));
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
}

function ask(child: ChildProcess): Promise<ChildReport> {
  const answer = nextReport(child);
  child.send('usage');
  return answer;
}

async function send(pool: Pool, token: string, first: number, count: number): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  let next = first;
  const work = async (): Promise<void> => {
    while (next < first + count) {
      const body = userBody(`user.${next++}`);
      const answer = await pool.request({ method: 'POST', path, headers, body });
      const text = await answer.body.text();
      if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
}

function userBody(name: string): string {
  const salt = Buffer.from(`salt of ${name}`.padEnd(16, '.')).toString('base64');
  const key = Buffer.alloc(64, name).toString('base64');
  return JSON.stringify({
    userName: `${name}@example.com`,
    profile: { firstName: 'Firstname', lastName: name, preferredLanguage: 'en' },
    email: { email: `${name}@example.com`, isEmailVerified: true },
    hashedPassword: { value: `$pbkdf2-sha256$27500$${salt}$${key}` },
  });
}
