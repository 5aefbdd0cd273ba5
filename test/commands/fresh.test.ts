/** --fresh begins anew; the journal of the run that stopped is kept, and undo rolls both runs back. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventOf, textsOf } from '../support/events.ts';
import { createTestFolder } from '../support/folder.ts';
import { startInstance, type Instance } from '../support/instance.ts';
import { runProgram, type Ran } from '../support/program.ts';
import { bodyOf, userNames } from '../support/users-run.ts';

let cwd: string;
let to: Instance;
beforeEach(async () => {
  cwd = createTestFolder();
  to = await startInstance(cwd, 'to');
  writeFileSync(join(cwd, 'body.json'), bodyOf(to.server.orgId, userNames(12)));
});
afterEach(() => to.close());

const run = (...argv: string[]): Promise<Ran> => runProgram([...argv, ...to.flags], { cwd });
const done = { problem: undefined, exitCode: 0 };
const verbs = {
  import: { argv: () => ['import', 'body.json', '--chunk-users=3'], journal: 'body.json.journal' },
  'import-users': {
    argv: () => ['import-users', 'body.json', `--org=${to.server.orgId}`],
    journal: 'body.json.users.journal',
  },
};

describe.each(Object.entries(verbs))('%s', (_, { argv, journal }) => {
  it('is refused without --fresh or --resume, and no hint destroys the journal', async () => {
    await run(...argv(), '--budget=8');
    const again = await run(...argv());
    expect(again.exitCode).toBe(2);
    expect(again.problem?.hint).toMatch(/--resume.*--fresh/);
    expect(again.problem?.hint).not.toMatch(/remove|delete/);
    const stopped = await run(...argv(), '--budget=7', '--fresh');
    expect(stopped.problem?.hint).toMatch(/resume with: idport (?!.*--fresh).* --resume$/);
    const both = await run(...argv(), '--resume', '--fresh');
    expect([both.exitCode, both.problem?.message]).toEqual([2, 'give either --resume or --fresh, not both']);
  });

  it('begins anew and keeps the journal; undo rolls both runs back, with one count', async () => {
    await run(...argv(), '--budget=8');
    const before = readFileSync(join(cwd, journal), 'utf8');
    const fresh = await run(...argv(), '--fresh');
    expect(fresh).toMatchObject(done);
    expect(readFileSync(join(cwd, `${journal}.1`), 'utf8')).toBe(before);
    expect(existsSync(join(cwd, journal))).toBe(true);
    const look = await run('undo', `--journal=${journal}`);
    expect(noticeOf(look, 'undo:quote')).toMatch(
      new RegExp(
        `^The 2 runs \\(${journal}, ${journal}\\.1\\) created 12 users; 12 of them would be deleted`,
      ),
    );
    const wrong = await run('undo', `--journal=${journal}`, '--yes=11');
    expect([wrong.exitCode, await usersLeft()]).toEqual([2, 12]);
    const undone = await run('undo', `--journal=${journal}`, '--yes=12');
    expect(undone).toMatchObject(done);
    expect(noticeOf(undone, 'undo:deleted')).toBe('12 users deleted.');
    expect(await usersLeft()).toBe(0);
  });

  it('verify finds the users of both runs, also those that only the first one created', async () => {
    await run(...argv(), '--ids=new', '--budget=9');
    const fresh = await run(...argv(), '--ids=new', '--fresh');
    expect(fresh.problem).toBeUndefined();
    const verified = await run('verify', 'body.json');
    expect(verified.exitCode).toBe(0);
    expect(eventOf(verified, 'verify:end').users).toMatchObject({ same: 12, missing: 0, differs: 0 });
  });

  it('keeps a run that had ended as well; undo rolls back what either created', async () => {
    expect((await run(...argv())).exitCode).toBe(0);
    const fresh = await run(...argv(), '--fresh');
    expect(fresh.problem).toBeUndefined();
    const undone = await run('undo', `--journal=${journal}`, '--yes=12');
    expect([undone.problem, await usersLeft()]).toEqual([undefined, 0]);
  });

  it('its rollback resumes where it stopped, in whichever run that was', async () => {
    await run(...argv(), '--budget=8');
    await run(...argv(), '--fresh');
    const left: number[] = [];
    while (left.length < 10 && left.at(-1) !== 0) {
      const resume = left.length === 0 ? [] : ['--resume'];
      const part = await run('undo', `--journal=${journal}`, '--yes=12', '--budget=9', ...resume);
      expect(part.problem?.code ?? 'done').toMatch(/api:budget|done/);
      left.push(await usersLeft());
    }
    expect(left.length).toBeGreaterThan(1);
    const last = await run('undo', `--journal=${journal}`, '--yes=12', '--resume');
    expect([last.problem, last.exitCode, await usersLeft()]).toEqual([undefined, 0, 0]);
  });

  it('a run before whose journal is missing is named', async () => {
    await run(...argv(), '--budget=8');
    await run(...argv(), '--fresh');
    rmSync(join(cwd, `${journal}.1`));
    const undone = await run('undo', `--journal=${journal}`);
    expect(noticeOf(undone, 'undo:previous')).toContain(`missing: ${journal}.1.`);
  });
});

it('import --ids=new --fresh gives the same new ids again, and others after a rollback', async () => {
  const argv = [...verbs.import.argv(), '--ids=new', '--id-map=ids.csv'];
  const ids = (): string[] =>
    readFileSync(join(cwd, 'ids.csv'), 'utf8')
      .split('\n')
      .map((line) => line.split(',').slice(0, 2).join());
  expect((await run(...argv)).exitCode).toBe(0);
  const first = ids();
  const again = await run(...argv, '--fresh');
  expect(again.exitCode).toBe(0);
  expect(eventOf(again, 'import:end').lists[0]).toMatchObject({ total: 12, existed: 12, failed: 0 });
  expect(noticeOf(again, 'import:same-ids')).toMatch(/idport undo --journal=\S*body\.json\.journal/);
  expect(ids()).toEqual(first);
  expect(await run('undo', '--journal=body.json.journal', '--yes=12')).toMatchObject(done);
  expect((await run(...argv, '--fresh')).exitCode).toBe(0);
  expect(await usersLeft()).toBe(12);
  expect(ids()[1]).not.toBe(first[1]);
});

const noticeOf = (ran: Ran, code: string): string => textsOf(ran, code).join();

async function usersLeft(): Promise<number> {
  return 12 - eventOf(await run('verify', 'body.json'), 'verify:end').users.missing;
}
