/** Inputs that another program writes while they are read: no verb may take a mixture for an export. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestFolder } from '../support/folder.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { runProgram } from '../support/program.ts';
import { type Interruption, whileReading } from '../support/while-reading.ts';

const count = 60;
/** Three blocks of a file. */
const padding = ' '.repeat(12_000);

const sampleUser = (number: number, name: string) => ({
  userId: `id-${number}`,
  user: {
    userName: `${name}-${number}`,
    profile: { firstName: 'A', lastName: 'B' },
    email: { email: `${name}-${number}@acme.example`, isEmailVerified: true },
  },
});
const bodyWith = (name: string): string => {
  const sampleUsers = Array.from({ length: count }, (_, number) => JSON.stringify(sampleUser(number, name)));
  return `{"dataOrgs":{"orgs":[{"orgId":"100","humanUsers":[${sampleUsers.join(`,${padding}`)}]}]},"timeout":"30m0s"}`;
};
const realmWith = (name: string): string => {
  const sampleUsers = Array.from({ length: count }, (_, number) =>
    JSON.stringify({
      id: `id-${number}`,
      username: `${name}-${number}`,
      email: `${name}-${number}@acme.example`,
    }),
  );
  return `{"realm":"r","users":[${sampleUsers.join(`,${padding}`)}]}`;
};
const auth0With = (name: string): string => {
  const sampleUsers = Array.from({ length: count }, (_, number) =>
    JSON.stringify({
      user_id: `auth0|${number}`,
      username: `${name}-${number}`,
      email: `${name}-${number}@acme.example`,
    }),
  );
  return `[${sampleUsers.join(`,${padding}`)}]`;
};

/** Where two lines have one id, the users are read twice. */
const passwordLine = '{"_id":{"$oid":"0"},"email":"x","passwordHash":"x"}\n';

let cwd: string;
let instance: Instance;
let interruption: Interruption | undefined;
beforeEach(async () => {
  cwd = createTestFolder();
  instance = await startInstance(cwd, 'target', { orgId: '100' });
});
afterEach(async () => {
  interruption?.restore();
  interruption = undefined;
  await instance.close();
});

interface Verb {
  readonly argv: () => readonly string[];
  readonly content: (name: string) => string;
  /** Readings of the file after which it changes: in the first pass, and in the second where there is one. */
  readonly moments: readonly number[];
}

const connected = (): readonly string[] => [...instance.flags, '--org', '100'];
const verbs: Readonly<Record<string, Verb>> = {
  migrate: {
    argv: () => [
      'migrate',
      'keycloak',
      '--org',
      '1',
      '--realm',
      'in',
      '--output',
      'out.json',
      '--report',
      'report.json',
    ],
    content: realmWith,
    moments: [1, 2],
  },
  'migrate auth0': {
    argv: () => [
      'migrate',
      'auth0',
      '--org',
      '1',
      '--users',
      'in',
      '--passwords',
      'passwords',
      '--output',
      'out.json',
    ],
    content: auth0With,
    moments: [1, 2, 6],
  },
  check: { argv: () => ['check', 'in', '--report', 'report.json'], content: bodyWith, moments: [1, 2] },
  import: {
    argv: () => ['import', 'in', ...instance.flags, '--report', 'report.json'],
    content: bodyWith,
    moments: [1, 2, 6],
  },
  'import-users': {
    argv: () => ['import-users', 'in', ...connected(), '--report', 'report.json'],
    content: bodyWith,
    moments: [1, 2, 6, 10],
  },
  'verify --from': {
    argv: () => ['verify', '--from', 'keycloak', '--realm', 'in', ...connected(), '--report', 'report.json'],
    content: realmWith,
    moments: [1, 2],
  },
};

const changes: Readonly<Record<string, (path: string, other: Buffer) => void>> = {
  rewritten: (path, other) => {
    utimesSync(path, 1, 1);
    writeFileSync(path, other, { flag: 'r+' });
  },
  shortened: (path) => truncateSync(path, Math.floor(readFileSync(path).length * 0.55)),
  'written on': (path) => appendFileSync(path, ' '),
};

const cases = Object.entries(verbs).flatMap(([verb, { moments }]) =>
  Object.keys(changes).flatMap((change) => moments.map((moment) => [verb, change, moment] as const)),
);

/** No output, and a report that says why the run ended and nothing of a user. */
function expectNoMixture(argv: readonly string[], stopped: string | undefined): void {
  expect(existsSync(join(cwd, 'out.json'))).toBe(false);
  const report = join(cwd, 'report.json');
  expect(existsSync(report)).toBe(argv.includes('--report'));
  if (!existsSync(report)) return;
  expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({
    format: 'idport-stopped-report',
    users: [],
    stopped,
  });
}

describe('a file that another program writes', () => {
  it.each(cases)('%s: %s after %d readings ends the run', async (verb, change, moment) => {
    const { argv, content } = verbs[verb]!;
    const path = join(cwd, 'in');
    writeFileSync(path, content('old'));
    writeFileSync(join(cwd, 'passwords'), passwordLine.repeat(2));
    interruption = whileReading(path, moment, () => changes[change]!(path, Buffer.from(content('new'))));
    const { problem, stdout } = await runProgram(argv(), { cwd });
    expect(interruption.happened()).toBe(true);
    expect(problem).toMatchObject({ code: 'input:changed', exitCode: 1 });
    expectNoMixture(argv(), problem?.message);
    expect(stdout).not.toContain('new-');
    const there = [...instance.server.state.store.users.values()].map((user) => user.userName);
    expect(there.filter((name) => name.startsWith('new-'))).toEqual([]);
  });

  it.each(['migrate', 'check', 'import', 'import-users'])(
    '%s: packed, rewritten ends the run',
    async (verb) => {
      const { argv, content } = verbs[verb]!;
      const path = join(cwd, 'in');
      // Stored without packing, so that there are several blocks.
      const pack = (name: string): Buffer => gzipSync(content(name), { level: 0 });
      writeFileSync(path, pack('old'));
      interruption = whileReading(path, 2, () => changes['rewritten']!(path, pack('new')));
      const { problem } = await runProgram(argv(), { cwd });
      expect(problem).toMatchObject({ code: 'input:changed' });
      expectNoMixture(argv(), problem?.message);
    },
  );

  it.each(['migrate auth0', 'import', 'import-users'])(
    '%s: rewritten between two readings, with the same size and time, ends the run',
    async (verb) => {
      const { argv, content } = verbs[verb]!;
      const path = join(cwd, 'in');
      writeFileSync(path, content('old'));
      writeFileSync(join(cwd, 'passwords'), passwordLine.repeat(2));
      const keepTime = (): void => utimesSync(path, 1_700_000_000, 1_700_000_000);
      keepTime();
      const readings = Math.ceil(content('old').length / (256 * 1024)) + 1;
      interruption = whileReading(path, readings, () => {
        writeFileSync(path, content('new'));
        keepTime();
      });
      const { problem } = await runProgram(argv(), { cwd });
      expect(interruption.happened()).toBe(true);
      expect(problem).toMatchObject({ code: 'input:changed' });
      expectNoMixture(argv(), problem?.message);
    },
  );
});

describe('a folder', () => {
  it.each<[string, string]>([
    ['gets one more file', 'r-users-2.json'],
    ['loses one', 'r-users-1.json'],
  ])('that %s while it is read ends the run', async (what, name) => {
    const users = (number: number): string =>
      JSON.stringify({ realm: 'r', users: [{ id: `${number}`, username: `u${number}` }] });
    const folder = join(cwd, 'export');
    mkdirSync(folder);
    for (const number of [0, 1]) writeFileSync(join(folder, `r-users-${number}.json`), users(number));
    interruption = whileReading(join(folder, 'r-users-1.json'), 1, () => {
      if (what === 'loses one') rmSync(join(folder, name));
      else writeFileSync(join(folder, name), users(2));
    });
    const argv = ['migrate', 'keycloak', '--org', '1', '--realm', 'export', '--output', 'out.json'];
    const { problem } = await runProgram(argv, { cwd });
    expect(problem).toMatchObject({ code: 'input:changed' });
    expect(existsSync(join(cwd, 'out.json'))).toBe(false);
  });
});
