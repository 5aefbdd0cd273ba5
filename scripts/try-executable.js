// Tests executable/idport as users get it: alone in a folder, with no Node beside it.
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'idport-executable-'));
const program = join(folder, 'idport');
/** So many users that the other threads are ready long before the end. */
const many = 60_000;
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

if (process.platform === 'linux') {
  try {
    await check();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
} else {
  process.stdout.write('SKIPPED  the executable is tested on Linux only\n');
}

async function check() {
  copyFileSync(join(root, 'executable/idport'), program);
  tell('it says its version', run('--version').stdout === `${version}\n`);
  tell('the demo runs to its end', run('demo').stderr.includes('7 of 7 users deleted'));
  tell('threads check hashes at a login', run('demo', '--jit').status === 0);
  tell('it lists its sources', run('sources').status === 0);
  await convert();
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
  tell(
    `four threads convert what one does (${four.threads} instead of ${one.threads} of the system)`,
    four.threads >= one.threads + 3,
  );
  tell(
    'and write the same bytes',
    readFileSync(join(folder, '1.json')).equals(readFileSync(join(folder, '4.json'))),
  );
  const page = readFileSync(join(folder, '4.html'), 'utf8');
  tell('the report is a page', page.includes('<script>') && page.includes('Users that need attention'));
}

async function migrate(threads) {
  const flags = [
    '--org=1',
    '--realm=realm.json',
    `--threads=${threads}`,
    `--output=${threads}.json`,
    `--report=${threads}.html`,
    '--quiet',
  ];
  const child = spawn(program, ['migrate', 'keycloak', ...flags], { cwd: folder, env: {}, stdio: 'inherit' });
  let most = 0;
  const count = setInterval(() => (most = Math.max(most, threadsOf(child.pid))), 5);
  const status = await new Promise((resolve) => child.once('close', resolve));
  clearInterval(count);
  tell(`a conversion on ${threads} of its threads ends`, status === 0);
  return { threads: most };
}

function threadsOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`).length;
  } catch {
    return 0;
  }
}

function run(...argv) {
  return spawnSync(program, argv, { cwd: folder, env: {}, encoding: 'utf8' });
}

function tell(what, isWell) {
  process.stdout.write(`${isWell ? 'ok      ' : 'TROUBLE '} ${what}\n`);
  if (!isWell) process.exitCode = 1;
}
