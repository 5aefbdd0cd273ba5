import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadJournal } from '../../src/journal/load.ts';
import { createTestFolder } from '../support/folder.ts';
import { startInstance, type Instance } from '../support/instance.ts';
import { runProcess } from '../support/process.ts';
import { richOrg } from '../support/rich-org.ts';
import { startStorageService, type StorageService } from '../support/storage-service.ts';

/** IDPORT_KILLS=50 makes a long run of it. */
const kills = Number(process.env['IDPORT_KILLS'] ?? 3);
const users = 400;

let cwd: string;
let instance: Instance;
let storage: StorageService;
beforeEach(async () => {
  cwd = createTestFolder();
  storage = await startStorageService();
  writeFileSync(join(cwd, 'gcs.json'), storage.keyFile(), { mode: 0o600 });
});
afterEach(async () => {
  await instance.close();
  await storage.close();
});

const importing = (...flags: string[]): string[] => [
  'import',
  'body.json',
  ...instance.flags,
  '--json',
  '--gcs=gs://moving-day/body.json',
  '--gcs-key=gcs.json',
  `--gcs-endpoint=${storage.endpoint}`,
  ...flags,
];

const journal = (): string => join(cwd, 'body.json.journal');

/** Moments of the run, each told by what can be seen from outside; killed some milliseconds after one of them. */
const moments: readonly (() => boolean)[] = [
  () => existsSync(journal()),
  () => storage.requests.length > 0,
  () => storage.objects.has('body.json'),
  () => instance.server.state.store.users.size > 5,
  () => instance.server.state.store.users.size > users / 2,
];

async function runAndKill(moment: number, after: number, flags: readonly string[]): Promise<number | null> {
  const { exitCode } = await runProcess(importing(...flags), {
    cwd,
    meanwhile: (child) => {
      const watch = setInterval(() => {
        if (!moments[moment]!()) return;
        clearInterval(watch);
        setTimeout(() => child.kill('SIGKILL'), after);
      }, 1);
      child.on('close', () => clearInterval(watch));
    },
  });
  return exitCode;
}

it.each(Array.from({ length: kills }, (_, i) => [i] as const))(
  'a job through a bucket that is killed (%i) ends with every user there, once, when it is resumed',
  async (number) => {
    // One user in five milliseconds: the job is still at work while it is watched.
    instance = await startInstance(cwd, 'to', { storageEndpoint: storage.endpoint, secondsPerUser: 0.005 });
    const org = richOrg('100', 'Acme', 'a', users);
    writeFileSync(join(cwd, 'body.json'), JSON.stringify({ dataOrgs: { orgs: [org] }, timeout: '1m' }));
    const code = await runAndKill((2 * number + 1) % moments.length, (number * 37) % 120, []);
    expect(code).toBeNull();
    const flags = existsSync(journal()) ? ['--resume'] : [];
    const { exitCode, stderr } = await runProcess(importing(...flags), { cwd });
    const end = JSON.parse(
      stderr
        .trim()
        .split('\n')
        .find((line) => line.includes('"import:end"')) ?? '{}',
    );
    expect([exitCode, stderr.includes('"problem"')]).toEqual([0, false]);
    expect(end.lists.find(({ list }: { list: string }) => list === 'humanUsers')).toEqual({
      list: 'humanUsers',
      total: users,
      created: users,
      existed: 0,
      failed: 0,
      rejected: 0,
    });
    const { store } = instance.server.state;
    const there = Array.from({ length: users }, (_, i) => `a-user-${i}`).filter((id) => store.users.has(id));
    expect(there).toHaveLength(users);
    const { open, finished } = await loadJournal(journal());
    expect([open, finished]).toEqual([[], true]);
  },
  180_000,
);
