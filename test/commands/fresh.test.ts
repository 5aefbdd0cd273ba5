/** --fresh begins anew; the journal of the run that stopped is kept, and undo rolls both runs back. */
import { beforeEach, describe, expect, it } from 'vitest';
import { type Workspace, noticesOf, openWorkspace, succeeded, eventOf } from '../support/workspace.ts';
import { userNames } from '../support/users-run.ts';

let workspace: Workspace;
beforeEach(async () => {
  workspace = await openWorkspace({ orgId: '100' });
  workspace.writeBody('body.json', userNames(12));
});

const run = (line: string) => workspace.run(line);
const verbs = [
  ['import body.json --chunk-users=3', 'body.json.journal'],
  ['import-users body.json --org=100', 'body.json.users.journal'],
];

describe.each(verbs)('%s', (line, journal) => {
  it('refuses an unfinished journal without --fresh or --resume, and no hint deletes it', async () => {
    await run(`${line} --budget=8`);
    const again = await run(line);
    expect(again.exitCode).toBe(2);
    expect(again.problem?.hint).toMatch(/--resume.*--fresh/);
    expect(again.problem?.hint).not.toMatch(/remove|delete/);
    const stopped = await run(`${line} --budget=7 --fresh`);
    expect(stopped.problem?.hint).toMatch(/resume with: idport (?!.*--fresh).* --resume$/);
  });

  it('writes all users to another id map when resumed, and keeps the old content of that file', async () => {
    const [other, row] = ['old_id,new_id,state\n1,2,created\n', /,created$/gm];
    workspace.write('other.csv', other);
    await run(`${line} --id-map=ids.csv --budget=9`);
    const first = workspace.read('ids.csv');
    await succeeded(run(`${line} --id-map=other.csv --resume`));
    expect([workspace.read('other.csv.1'), workspace.read('ids.csv')]).toEqual([other, first]);
    expect(first.match(row)!.length).toBeLessThan(12);
    expect(workspace.read('other.csv').match(row)).toHaveLength(12);
  });

  it('verify finds the users of both runs, also users that only the first run created', async () => {
    await run(`${line} --ids=new --budget=9`);
    await succeeded(run(`${line} --ids=new --fresh`));
    const verified = await succeeded(run('verify body.json'));
    expect(eventOf(verified, 'verify:end').users).toMatchObject({ same: 12, missing: 0, differs: 0 });
  });

  it('undo resumes where it stopped, in either run', async () => {
    await run(`${line} --budget=8`);
    await run(`${line} --fresh`);
    const left: number[] = [];
    while (left.length < 10 && left.at(-1) !== 0) {
      const more = `--budget=${9 + 6 * left.length}${left.length === 0 ? '' : ' --resume'}`;
      const part = await run(`undo --journal=${journal} --yes=12 ${more}`);
      expect(part.problem?.code ?? 'done').toMatch(/api:budget|done/);
      left.push(await usersLeft());
      const now = noticesOf(await run(`undo --journal=${journal}`));
      const [, gone = 0] = /(\d+) (?:no longer|w\w+ deleted by an earlier rollback)/.exec(now) ?? [];
      expect(Number(gone)).toBe(12 - left.at(-1)!);
    }
    expect([new Set(left).size > 2, left.at(-1)]).toEqual([true, 0]);
  });

  it('undo names a missing journal of the previous run', async () => {
    await run(`${line} --budget=8`);
    await run(`${line} --fresh`);
    workspace.remove(`${journal}.1`);
    const undone = await run(`undo --journal=${journal}`);
    expect(noticesOf(undone, 'undo:previous')).toContain(`missing: ${journal}.1.`);
  });
});

it('import --ids=new --fresh gives the same new ids again, and other ids after a rollback', async () => {
  const line = 'import body.json --chunk-users=3 --ids=new --id-map=ids.csv';
  const ids = () => workspace.lines('ids.csv').map((row) => row.split(',').slice(0, 2).join());
  await succeeded(run(line));
  const first = ids();
  const again = await succeeded(run(`${line} --fresh`));
  expect(eventOf(again, 'run:end').tally).toMatchObject({ read: 12, skipped: 12 });
  expect(noticesOf(again, 'import:same-ids')).toMatch(/idport undo --journal=\S*body\.json\.journal/);
  expect(ids()).toEqual(first);
  await succeeded(run('undo --journal=body.json.journal --yes=12'));
  await succeeded(run(line));
  expect(await usersLeft()).toBe(12);
  expect(ids()[1]).not.toBe(first[1]);
});

async function usersLeft() {
  return 12 - eventOf(await run('verify body.json'), 'verify:end').users.missing;
}
