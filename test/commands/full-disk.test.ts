/** Disks that are full at the end of a run, where no user writes any more who could notice. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestFolder } from '../support/folder.ts';
import { type FullDisk, limitDisk } from '../support/full-disk.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type Ran, runProgram } from '../support/program.ts';
import { bodyOf, sampleUser } from '../support/users-run.ts';

const count = 12;
let cwd: string;
let instance: Instance;
let disk: FullDisk | undefined;
beforeEach(async () => {
  cwd = createTestFolder();
  instance = await startInstance(cwd, 'target', { orgId: '100' });
  mkdirSync(join(cwd, 'small'));
  const sampleUsers = Array.from({ length: count }, (_, number) => sampleUser(`user-${number}`));
  writeFileSync(join(cwd, 'body.json'), bodyOf('100', sampleUsers));
});
afterEach(async () => {
  disk?.restore();
  disk = undefined;
  await instance.close();
});

const importing = (...more: string[]): Promise<Ran> =>
  runProgram(['import-users', 'body.json', '--org', '100', ...instance.flags, ...more], { cwd });
const mapOf = (): string[] =>
  readFileSync(join(cwd, 'small', 'ids.csv'), 'utf8')
    .trimEnd()
    .split('\n');

describe('the id map of import-users', () => {
  it('on a disk that is full at any of its last bytes ends the run, and --resume writes all of it', async () => {
    const whole = await importing('--id-map', 'small/ids.csv');
    expect(whole.exitCode).toBe(0);
    const size = readFileSync(join(cwd, 'small', 'ids.csv')).length;
    const rows = mapOf().length;
    expect(rows).toBe(count + 1);
    // A lock takes some hundred bytes as well, and is gone at the end.
    for (const missing of [1, 2, 30, 60]) {
      await instance.server.reset();
      for (const name of ['body.json.users.journal', 'small']) rmSync(join(cwd, name), { recursive: true });
      mkdirSync(join(cwd, 'small'));
      disk = limitDisk(join(cwd, 'small'), size - missing, 'ids.csv');
      const full = await importing('--id-map', 'small/ids.csv');
      disk.restore();
      expect(full.problem).toMatchObject({ code: 'output:disk-full', exitCode: 1 });
      expect(full.problem?.hint).toContain('--resume');
      const again = await importing('--id-map', 'small/ids.csv', '--resume');
      expect(again.exitCode).toBe(0);
      expect(mapOf()).toHaveLength(rows);
    }
  });
});

describe('a folder that is deleted during a run', () => {
  it.each(['import', 'import-users'])('with the journal of %s ends it with an error', async (verb) => {
    const { users } = instance.server.state.store;
    let removed = false;
    const watch = setInterval(() => {
      if (users.size < 8 || removed) return;
      removed = true;
      rmSync(join(cwd, 'small'), { recursive: true });
    }, 0);
    const own =
      verb === 'import'
        ? ['--chunk-users', '1']
        : ['--org', '100', '--concurrency', '1', '--id-map', 'ids.csv'];
    const argv = [verb, 'body.json', ...instance.flags, ...own, '--journal', 'small/x.journal'];
    const { problem } = await runProgram(argv, { cwd });
    clearInterval(watch);
    expect(removed).toBe(true);
    expect(problem).toMatchObject({ code: 'journal:deleted', exitCode: 1 });
  });
});
