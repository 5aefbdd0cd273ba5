/**
 * Tests executable/idport as users get it: alone in a folder, with no Node beside it. Part of `npm run executable`; exit
 * code 1 where something is wrong.
 */
import { spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startInstance } from '../support/instance.ts';
import { startStorageService } from '../support/storage-service.ts';
import { bodyOf, sampleUser } from '../support/users-run.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'idport-executable-'));
const program = join(folder, 'idport');
/** So many users that the other threads are ready long before the end. */
const many = 60_000;
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

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
    writeFileSync(join(folder, 'body.json'), bodyOf('100', [sampleUser('ann'), sampleUser('bob')]));
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
  const padding = 'x'.repeat(1500);
  const users = Array.from({ length: many }, (_, at) => ({
    id: `id-${at}`,
    username: `user-${at}`,
    email: `user-${at}@example.org`,
    enabled: true,
    attributes: { padding: [padding] },
  }));
  writeFileSync(join(folder, 'realm.json'), JSON.stringify({ realm: 'r', users }));
  const one = await migrate(1);
  const four = await migrate(4);
  tell(`four threads convert what one does (${four} instead of ${one} of the system)`, four >= one + 3);
  const read = (name: string): Buffer => readFileSync(join(folder, name));
  tell('and write the same bytes', read('1.json').equals(read('4.json')));
  const page = read('4.html').toString();
  tell('the report is a page', page.includes('<script>') && page.includes('Users that need attention'));
}

/** The most threads that the process had. */
async function migrate(threads: number) {
  let most = 0;
  let count: NodeJS.Timeout | undefined;
  const { exitCode, stderr } = await runWith(
    (pid) => (count = setInterval(() => (most = Math.max(most, threadsOf(pid))), 5)),
    'migrate',
    'keycloak',
    '--org=1',
    '--realm=realm.json',
    `--threads=${threads}`,
    `--output=${threads}.json`,
    `--report=${threads}.html`,
    '--quiet',
  );
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

interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(...argv: string[]) {
  return runWith(() => undefined, ...argv);
}

function runWith(meanwhile: (pid: number | undefined) => void, ...argv: string[]): Promise<Ended> {
  const child = spawn(program, argv, { cwd: folder, env: {} });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk) => (stderr += chunk.toString()));
  meanwhile(child.pid);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ exitCode, stdout, stderr }));
  });
}

function tell(what: string, isWell: boolean, output = '') {
  console.log(`${isWell ? 'ok      ' : 'TROUBLE '} ${what}`);
  if (isWell) return;
  if (output !== '') console.log(output);
  process.exitCode = 1;
}
