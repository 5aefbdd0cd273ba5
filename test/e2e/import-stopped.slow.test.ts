/** Imports that are stopped by hand; test/chaos kills them. */
import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadJournal, State } from '../../src/journal/load.ts';
import { openSharedStore } from '../../src/storage/redis.ts';
import { openWorkspace, succeeded } from '../support/workspace.ts';
import { endAt } from '../support/process.ts';
import { redisCommand, startRedis } from '../support/local-program.ts';
import { userNames } from '../support/users-run.ts';

const users = '--org=body --rate=100/s';
async function openFilled() {
  const workspace = await openWorkspace();
  workspace.writeBody('body.json', userNames(150));
  return workspace;
}

it.each([
  ['import', '--chunk-users=3 --report=r.json --id-map=ids.csv', 'body.json.journal', 'SIGTERM'],
  ['import-users', `${users} --id-map=ids.csv --report=r.json`, 'body.json.users.journal', 'SIGTERM'],
  ['import-users', `${users} --id-map=ids.csv --report=r.json`, 'body.json.users.journal', 'SIGINT'],
] as const)('%s stopped by a signal finishes its requests and tells how to resume', async (...row) => {
  const [verb, flags, name, signal] = row;
  const workspace = await openFilled();
  const [file, line] = [join(workspace.cwd, name), `${verb} body.json ${flags}`];
  const mapped = () => workspace.read('ids.csv').match(/,created$/gm)!.length;
  const { exitCode, stderr } = await workspace.runProcess(line, {
    meanwhile: endAt({ signal, file, bytes: 3000 }),
  });
  expect(exitCode).toBe(130);
  expect(workspace.json('r.json').stopped).toBe('interrupted');
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(`${line} --resume`);
  const stopped = await loadJournal(file);
  expect(stopped).toMatchObject({ open: [], finished: false });
  expect(mapped()).toBe(stopped.states.count(State.created, 0, 150));
  await succeeded(workspace.runProcess(`${line} --resume`));
  expect(mapped()).toBe(150);
});

it('a closed terminal stops import-users, but SIGHUP without a terminal does not', async () => {
  const workspace = await openFilled();
  const run = (file: string, signal: NodeJS.Signals, within: readonly string[] = []) =>
    workspace.runProcess(`import-users body.json ${users} --journal ${file}`, {
      within,
      meanwhile: endAt({ signal, file: join(workspace.cwd, file), bytes: 3000 }),
    });
  await succeeded(run('1.journal', 'SIGHUP'));
  await run('2.journal', 'SIGKILL', ['sh', '-c', 'exec script -qec "$*" /dev/null', 'sh']);
  const file = join(workspace.cwd, '2.journal');
  await expect.poll(() => existsSync(`${file}.lock`)).toBe(false);
  expect(await loadJournal(file)).toMatchObject({ open: [], finished: false });
  const deaf = `exec script -qec "trap '' HUP; $*; echo \\$? >code" /dev/null`;
  await run('3.journal', 'SIGKILL', ['sh', '-c', deaf, 'sh']);
  await expect.poll(() => workspace.read('code'), { timeout: 9000 }).toBe('0\n');
});

it.skipIf(redisCommand === undefined)(
  'a password of --rate-store is nowhere to be read (needs redis-server or valkey-server)',
  async () => {
    const secret = 'hunter2-of-the-store';
    const { port } = await startRedis();
    const open = await openSharedStore('--rate-store', `redis://127.0.0.1:${port}`, { onProblem: () => {} });
    await open.send('CONFIG', 'SET', 'requirepass', secret);
    open.close();
    const workspace = await openFilled();
    const shown: string[] = [];
    const run = async (more: string, kill?: (child: ChildProcess) => void) => {
      const store = `--rate-store=redis://:${secret}@127.0.0.1:${port}`;
      const line = `import-users body.json --org=body --rate=50/s ${store} ${more}`;
      const ran = await workspace.runProcess(line, kill && { meanwhile: kill });
      shown.push(ran.stdout, ran.stderr);
      return ran.exitCode;
    };
    const file = join(workspace.cwd, 'body.json.users.journal');
    const kill = (child: ChildProcess) => {
      endAt({ signal: 'SIGINT', file, bytes: 3000 })(child);
      const look = setInterval(() => shown.push(readTitle(child)), 50);
      child.once('exit', () => clearInterval(look));
    };
    expect(await run('--report=1.html', kill)).toBe(130);
    expect(shown.join('')).toContain('idport import-users body.json');
    expect(await run('--report=2.html --resume --json')).toBe(0);
    expect(await run('--report=3.json --fresh --url=http://127.0.0.1:1')).toBe(1);
    const names = workspace.list();
    expect(names).toEqual(expect.arrayContaining(['2.html', '3.json', 'body.json.users.journal']));
    const files = names.map(workspace.read);
    // Until the program has begun, its title is what was typed.
    const texts = [...shown, ...files].filter((text) => !text.startsWith(process.execPath));
    expect(texts.filter((text) => text.includes(secret))).toEqual([]);
  },
);

/** As lists of processes show it; empty where there is no /proc. */
function readTitle({ pid }: ChildProcess) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
