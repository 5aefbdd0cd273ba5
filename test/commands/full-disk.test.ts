/** Disks that are full at the end of a run, where no user writes any more who could notice. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { type Workspace, openWorkspace, succeeded } from '../support/workspace.ts';
import { limitDisk } from '../support/full-disk.ts';
import { userNames } from '../support/users-run.ts';

const count = 12;
let workspace: Workspace;
let small: string;
beforeEach(async () => {
  workspace = await openWorkspace({ orgId: '100' });
  small = join(workspace.cwd, 'small');
  mkdirSync(small);
  workspace.writeBody('body.json', userNames(count));
});

const importing = (more = '') =>
  workspace.run(`import-users body.json --org=100 --id-map=small/ids.csv${more}`);
const rowsOf = () => workspace.lines('small/ids.csv').length;

it('import-users stops if the disk fills up in the last bytes of the id map, and --resume completes it', async () => {
  await succeeded(importing());
  const size = workspace.read('small/ids.csv').length;
  expect(rowsOf()).toBe(count + 1);
  // A lock takes some hundred bytes as well, and is gone at the end.
  for (const missing of [1, 2, 30, 60, size]) {
    await workspace.server.reset();
    for (const name of ['body.json.users.journal', 'small']) workspace.remove(name);
    mkdirSync(small);
    const disk = limitDisk(small, size - missing, 'ids.csv');
    const full = await importing();
    disk.restore();
    expect(full.problem).toMatchObject({ code: 'output:disk-full', exitCode: 1 });
    expect(full.problem?.hint).toContain('--resume');
    await succeeded(importing(' --resume'));
    expect(rowsOf()).toBe(count + 1);
    expect(workspace.list('small')).toEqual(['ids.csv']);
  }
});

it('import-users keeps the previous journal if there is no room for a new one, and the next run follows it', async () => {
  const beginning = () => importing(' --journal=small/j');
  await succeeded(beginning());
  const before = workspace.read('small/j');
  const disk = limitDisk(small, 40, 'j');
  expect((await beginning()).problem).toMatchObject({
    code: 'journal:unwritable',
    hint: /fix the cause, .* move the journal/,
  });
  disk.restore();
  expect(workspace.read('small/j')).toBe(before);
  await succeeded(beginning());
  await succeeded(workspace.run(`undo --journal=small/j --yes=${count}`));
});

it.each([
  ['import', '--chunk-users=1'],
  ['import-users', '--org=100 --concurrency=1 --id-map=ids.csv'],
])('deleting the folder of the journal during %s ends the run with an error', async (verb, own) => {
  const { users } = workspace.server.state.store;
  let removed = false;
  const watch = setInterval(() => {
    if (users.size < 8 || removed) return;
    removed = true;
    workspace.remove('small');
  }, 0);
  const { problem } = await workspace.run(`${verb} body.json ${own} --journal=small/x.journal`);
  clearInterval(watch);
  expect(removed).toBe(true);
  expect(problem).toMatchObject({ code: 'journal:deleted', exitCode: 1 });
});

it.each(['undo.json', 'undo.md', 'undo.html'])(
  'undo deletes no user if the disk has no room for its report %s',
  async (name) => {
    await succeeded(importing());
    limitDisk(small, 10_000);
    const { problem } = await workspace.run(
      `undo --journal=body.json.users.journal --yes=${count} --report=small/${name}`,
    );
    expect(problem).toMatchObject({ code: 'output:disk-full', exitCode: 1 });
    expect(workspace.humans()).toHaveLength(count);
  },
);
