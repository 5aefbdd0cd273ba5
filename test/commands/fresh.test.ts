/** --fresh begins anew; the journal of the run that stopped is kept, and undo names it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestFolder } from '../support/folder.ts';
import { startInstance, type Instance } from '../support/instance.ts';
import { runProgram, type Ran } from '../support/program.ts';
import { bodyOf, sampleUser } from '../support/users-run.ts';

let cwd: string;
let to: Instance;
beforeEach(async () => {
  cwd = createTestFolder();
  to = await startInstance(cwd, 'to');
  const users = Array.from({ length: 12 }, (_, index) => sampleUser(`user${index}`));
  writeFileSync(join(cwd, 'body.json'), bodyOf(to.server.orgId, users));
});
afterEach(() => to.close());

const run = (...argv: string[]): Promise<Ran> => runProgram([...argv, ...to.flags], { cwd });
const verbs = {
  import: { argv: () => ['import', 'body.json', '--chunk-users=3'], journal: 'body.json.journal' },
  'import-users': {
    argv: () => ['import-users', 'body.json', `--org=${to.server.orgId}`],
    journal: 'body.json.users.journal',
  },
};

describe.each(Object.entries(verbs))('%s', (_, { argv, journal }) => {
  it('is refused without --fresh or --resume, and no hint destroys the journal', async () => {
    await run(...argv(), '--budget=4');
    const again = await run(...argv());
    expect(again.exitCode).toBe(2);
    expect(again.problem?.hint).toMatch(/--resume.*--fresh/);
    expect(again.problem?.hint).not.toMatch(/remove|delete/);
    const both = await run(...argv(), '--resume', '--fresh');
    expect([both.exitCode, both.problem?.message]).toEqual([2, 'give either --resume or --fresh, not both']);
  });

  it('begins anew, keeps the journal, and undo names it', async () => {
    await run(...argv(), '--budget=4');
    const before = readFileSync(join(cwd, journal), 'utf8');
    const fresh = await run(...argv(), '--fresh');
    expect([fresh.problem, fresh.exitCode]).toEqual([undefined, 0]);
    expect(readFileSync(join(cwd, `${journal}.1`), 'utf8')).toBe(before);
    expect(existsSync(join(cwd, journal))).toBe(true);
    const undone = await run('undo', `--journal=${journal}`);
    const named = undone.events.filter((event) => event.type === 'notice' && event.code === 'undo:previous');
    expect(named).toMatchObject([{ text: expect.stringContaining(`idport undo --journal ${journal}.1`) }]);
  });
});
