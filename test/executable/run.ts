/**
 * Tests executable/idport as users get it: alone in a folder, with no Node beside it. Part of `npm run executable`; exit
 * code 1 where something is wrong.
 */
import type { ChildProcess } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keycloakUser, realmOf } from '../support/conversion.ts';
import { readProject, root } from '../support/folder.ts';
import { startInstance } from '../support/instance.ts';
import { runCommand } from '../support/process.ts';
import { startStorageService } from '../support/storage-service.ts';
import { tell } from '../support/tell.ts';
import { bodyOf, userNames } from '../support/users-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'idport-executable-'));
const program = join(folder, 'idport');
/** No program is in the path. */
const alone = { cwd: folder, env: { PATH: '' } };
/** So many users that the other threads are ready long before the end. */
const many = 60_000;
const { version } = JSON.parse(readProject('package.json'));

if (process.platform === 'linux') {
  try {
    await check();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
} else {
  console.log('SKIPPED  the executable is tested on Linux only');
}

async function check() {
  copyFileSync(join(root, 'executable/idport'), program);
  const started = performance.now();
  const { stdout } = await run('--version');
  const ms = Math.round(performance.now() - started);
  tell(`it says its version, after ${ms} ms`, stdout === `${version}\n`);
  const demo = await run('demo');
  tell('the demo runs to its end', demo.stderr.includes('7 of 7 users deleted'), demo.stderr);
  tell('threads check hashes at a login', (await run('demo', '--jit')).exitCode === 0);
  tell('it lists its sources', (await run('sources')).exitCode === 0);
  await importByBucket();
  await convert();
}

/** Google's client is in it. */
async function importByBucket() {
  const storage = await startStorageService();
  const instance = await startInstance(folder, 'target', { orgId: '100', storageEndpoint: storage.endpoint });
  try {
    writeFileSync(join(folder, 'gcs.json'), storage.keyFile(), { mode: 0o600 });
    writeFileSync(join(folder, 'body.json'), bodyOf('100', ['ann', 'bob']));
    const { exitCode, stderr } = await run(
      'import',
      'body.json',
      ...instance.flags,
      '--gcs=gs://moving-day/body.json',
      '--gcs-key=gcs.json',
      `--gcs-endpoint=${storage.endpoint}`,
    );
    const names = [...instance.server.state.store.users.values()].map(({ userName }) => userName);
    const isThere = exitCode === 0 && names.includes('ann') && names.includes('bob');
    tell('a bulk import goes through a bucket', isThere, stderr);
  } finally {
    await instance.close();
    await storage.close();
  }
}

/** Several threads write what one writes, and there are more of them. */
async function convert() {
  const attributes = { padding: ['x'.repeat(1500)] };
  const users = userNames(many).map((name) => keycloakUser(name, { attributes }));
  writeFileSync(join(folder, 'realm.json'), JSON.stringify(realmOf(...users)));
  const one = await migrate(1);
  const four = await migrate(4);
  tell(`four threads convert what one does (${four} instead of ${one} of the system)`, four >= one + 3);
  const read = (name: string) => readFileSync(join(folder, name));
  tell('and write the same bytes', read('1.json').equals(read('4.json')));
  const page = read('4.html').toString();
  tell('the report is a page', page.includes('<script>') && page.includes('Users that need attention'));
}

/** The most threads that the process had. */
async function migrate(threads: number) {
  let most = 0;
  let count: NodeJS.Timeout | undefined;
  const look = ({ pid }: ChildProcess) => (most = Math.max(most, threadsOf(pid)));
  const argv = ['keycloak', '--org=1', '--realm=realm.json', `--threads=${threads}`, '--quiet'];
  const outputs = [`--output=${threads}.json`, `--report=${threads}.html`];
  const { exitCode, stderr } = await runCommand(program, ['migrate', ...argv, ...outputs], {
    ...alone,
    meanwhile: (child) => (count = setInterval(() => look(child), 5)),
  });
  clearInterval(count);
  tell(`a conversion on ${threads} of its threads ends`, exitCode === 0, stderr);
  return most;
}

function threadsOf(pid: number | undefined) {
  try {
    return readdirSync(`/proc/${pid}/task`).length;
  } catch {
    return 0;
  }
}

function run(...argv: string[]) {
  return runCommand(program, argv, alone);
}
