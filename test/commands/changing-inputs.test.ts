/** Inputs that another program writes while they are read: no verb may take a mixture for an export. */
import fs, { appendFileSync, readFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, expect, it } from 'vitest';
import { replaceInFs } from '../support/full-disk.ts';
import { sampleUser } from '../support/users-run.ts';
import { type Workspace, openWorkspace } from '../support/workspace.ts';

const count = 60;
/** Three blocks of a file. */
const padding = ' '.repeat(12_000);

/** Users of one name in the form of a source, with blanks between them. */
const usersOf =
  (before: string, user: (id: string, name: string, email: string) => object, after: string) =>
  (name: string) => {
    const users = Array.from({ length: count }, (_, at) =>
      JSON.stringify(user(`id-${at}`, `${name}-${at}`, `${name}-${at}@acme.example`)),
    );
    return `${before}${users.join(`,${padding}`)}${after}`;
  };
const bodyWith = usersOf(
  '{"dataOrgs":{"orgs":[{"orgId":"100","humanUsers":[',
  (_, name) => sampleUser(name, { hashedPassword: undefined }),
  ']}]},"timeout":"30m0s"}',
);
const realmWith = usersOf('{"realm":"r","users":[', (id, username, email) => ({ id, username, email }), ']}');
const auth0With = usersOf('[', (id, username, email) => ({ user_id: `auth0|${id}`, username, email }), ']');

/** Where two lines have one id, the users are read twice. */
const passwordLine = '{"_id":{"$oid":"id-0"},"email":"x","passwordHash":"x"}\n';

let workspace: Workspace;
beforeEach(async () => {
  workspace = await openWorkspace({ orgId: '100' });
});

/**
 * Calls `happen` when the file has been read `times` times, before the reader gets what was read. The result says whether
 * it has.
 */
function whileReading(path: string, times: number, happen: () => void) {
  const { openSync, readSync } = fs;
  const files = new Set<number>();
  let left = times;
  replaceInFs({
    openSync(name: fs.PathLike, ...rest: [fs.OpenMode?, fs.Mode?]) {
      const file = openSync(name, ...(rest as [fs.OpenMode]));
      if (String(name) === path) files.add(file);
      else files.delete(file);
      return file;
    },
    readSync(file: number, ...rest: [NodeJS.ArrayBufferView, number, number, number]) {
      const length = readSync(file, ...rest);
      if (files.has(file) && --left === 0) happen();
      return length;
    },
  });
  return () => left <= 0;
}

interface Verb {
  /** Behind the name of the verb. */
  readonly line: string;
  readonly content: (name: string) => string;
  /** Readings of the file after which it changes: in the first pass, and in the second where there is one. */
  readonly moments: readonly number[];
}

const report = '--report report.json';
const verbs: Readonly<Record<string, Verb>> = {
  'migrate keycloak': {
    line: `--org 1 --realm in --output out.json ${report}`,
    content: realmWith,
    moments: [1, 2],
  },
  'migrate auth0': {
    line: '--org 1 --users in --passwords passwords --output out.json',
    content: auth0With,
    moments: [1, 2, 6],
  },
  check: { line: `in ${report}`, content: bodyWith, moments: [1, 2] },
  import: { line: `in ${report}`, content: bodyWith, moments: [1, 2, 6] },
  'import-users': { line: `in --org 100 ${report}`, content: bodyWith, moments: [1, 2, 6, 10] },
  'verify --from keycloak': {
    line: `--realm in --org 100 ${report}`,
    content: realmWith,
    moments: [1, 2],
  },
};
const old = 'old';

/** Runs a verb over a file that changes after some readings; no mixture may come of it. */
async function expectRefusedWhile(
  verb: string,
  moment: number,
  change: (path: string, other: Buffer) => void,
  pack = (text: string) => Buffer.from(text),
) {
  const { line, content } = verbs[verb]!;
  const path = join(workspace.cwd, 'in');
  workspace.write('in', pack(content(old)));
  utimesSync(path, time, time);
  workspace.write('passwords', passwordLine.repeat(2));
  const happened = whileReading(path, moment, () => change(path, pack(content('new'))));
  const { problem, stdout } = await workspace.run(`${verb} ${line}`);
  expect(happened()).toBe(true);
  expect(problem).toMatchObject({ code: 'input:changed', exitCode: 1 });
  expect(workspace.has('out.json')).toBe(false);
  // It says why the run ended, and nothing of a user.
  const stopped = { format: 'idport-stopped-report', users: [], stopped: problem?.message };
  const reported = line.includes(report) ? workspace.json('report.json') : stopped;
  expect(reported).toMatchObject(stopped);
  expect(stdout).not.toContain('new-');
  const there = workspace.humans();
  expect(there.filter((name) => name.startsWith('new-'))).toEqual([]);
}

const time = 1_700_000_000;

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

it.each(cases)('%s: an input that is %s after %d readings ends the run', async (verb, change, moment) => {
  await expect(expectRefusedWhile(verb, moment, changes[change]!)).resolves.toBeUndefined();
});

it.each(['migrate keycloak', 'check', 'import', 'import-users'])(
  '%s: a rewritten gzip file ends the run',
  async (verb) => {
    // Stored without packing, so that there are several blocks.
    const packed = expectRefusedWhile(verb, 2, changes['rewritten']!, (text) => gzipSync(text, { level: 0 }));
    await expect(packed).resolves.toBeUndefined();
  },
);

it.each(['migrate auth0', 'import', 'import-users'])(
  '%s: a rewrite between two passes with the same size and time ends the run',
  async (verb) => {
    const readings = Math.ceil(verbs[verb]!.content(old).length / (256 * 1024)) + 1;
    const rewritten = expectRefusedWhile(verb, readings, (path, other) => {
      writeFileSync(path, other);
      utimesSync(path, time, time);
    });
    await expect(rewritten).resolves.toBeUndefined();
  },
);

it.each([
  ['gets one more file', 'r-users-2.json'],
  ['loses one', 'r-users-1.json'],
])('a folder that %s while it is read ends the run', async (what, name) => {
  const put = (number: number) => {
    const users = [{ id: `${number}`, username: `u${number}` }];
    workspace.write(`export/r-users-${number}.json`, { realm: 'r', users });
  };
  for (const number of [0, 1]) put(number);
  whileReading(join(workspace.cwd, 'export/r-users-1.json'), 1, () => {
    if (what === 'loses one') workspace.remove(`export/${name}`);
    else put(2);
  });
  const { problem } = await workspace.run('migrate keycloak --org 1 --realm export --output out.json');
  expect(problem).toMatchObject({ code: 'input:changed' });
  expect(workspace.has('out.json')).toBe(false);
});
