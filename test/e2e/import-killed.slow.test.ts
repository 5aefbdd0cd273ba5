import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadJournal } from '../../src/journal/load.ts';
import { State } from '../../src/journal/states.ts';
import { createTestFolder } from '../support/folder.ts';
import { startInstance, type Instance } from '../support/instance.ts';
import { endAt } from '../support/kill-runs.ts';
import { runProcess } from '../support/process.ts';
import { richOrg } from '../support/rich-org.ts';
import { bodyOf, userNames } from '../support/users-run.ts';

/** IDPORT_KILLS=50 makes a long run of it. */
const kills = Number(process.env['IDPORT_KILLS'] ?? 5);
const users = Math.max(150, kills * 30);

let cwd: string;
let instance: Instance;
beforeEach(async () => {
  cwd = createTestFolder();
  instance = await startInstance(cwd, 'to');
  const org = richOrg('100', 'Acme', 'a', users);
  writeFileSync(join(cwd, 'body.json'), JSON.stringify({ dataOrgs: { orgs: [org] }, timeout: '1m' }));
});
afterEach(() => instance.close());

const journal = (): string => join(cwd, 'body.json.journal');
const importing = (...flags: string[]): string[] => [
  'import',
  'body.json',
  ...instance.flags,
  '--json',
  ...flags,
];

/** Kills the run a random while after its journal has grown for the first time. */
async function runAndKill(
  flags: readonly string[],
  after: number,
  signal: NodeJS.Signals,
): Promise<number | null> {
  const before = existsSync(journal()) ? statSync(journal()).size : 0;
  const { exitCode } = await runProcess(importing('--chunk-users', '3', ...flags), {
    cwd,
    meanwhile: endAt({ signal, file: journal(), bytes: before, after }),
  });
  return exitCode;
}

describe('an import that is killed at any time', () => {
  it(
    `(${kills} times) and resumed ends with every user there, once`,
    async () => {
      let killed = 0;
      for (let i = 0; i < kills; i++) {
        // Short and long runs by turns; a run that was done before it was killed ends this.
        const code = await runAndKill(i === 0 ? [] : ['--resume'], (i * 37) % 200, 'SIGKILL');
        if (code === null) killed += 1;
        else break;
      }
      expect(killed).toBeGreaterThan(2);
      const { exitCode, stderr } = await runProcess(importing('--resume'), { cwd });
      const end = JSON.parse(
        stderr
          .trim()
          .split('\n')
          .find((line) => line.includes('"import:end"')) ?? '{}',
      );
      expect([exitCode, stderr.includes('"problem"')]).toEqual([0, false]);
      for (const list of end.lists) {
        expect(list).toMatchObject({ existed: 0, failed: 0, rejected: 0, created: list.total });
      }
      expect(end.lists.find(({ list }: { list: string }) => list === 'humanUsers').total).toBe(users);

      const { store } = instance.server.state;
      const there = Array.from({ length: users }, (_, i) => `a-user-${i}`).filter((id) =>
        store.users.has(id),
      );
      expect(there).toHaveLength(users);
      const { states, open, finished } = await loadJournal(journal());
      expect(states.count(State.created)).toBe(
        end.lists.reduce((sum: number, { total }: any) => sum + total, 0),
      );
      expect([open, finished]).toEqual([[], true]);
    },
    60_000 + kills * 10_000,
  );

  it.each([
    ['import', ['--chunk-users', '3'], 'body.json.journal'],
    ['import-users', ['--org', 'body', '--rate', '100/s'], 'body.json.users.journal'],
  ])('%s by Ctrl-C ends after the requests under way, and says how to go on', async (verb, flags, name) => {
    writeFileSync(join(cwd, 'body.json'), bodyOf(instance.server.orgId, userNames(users)));
    const file = join(cwd, name);
    const argv = [verb, 'body.json', ...instance.flags, ...flags];
    const meanwhile = endAt({ signal: 'SIGINT', file, bytes: 3000 });
    const { exitCode, stderr } = await runProcess(argv, { cwd, meanwhile });
    expect(exitCode).toBe(130);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(`${flags.slice(-2).join(' ')} --resume`);
    const { open, finished } = await loadJournal(file);
    expect([open, finished]).toEqual([[], false]);
    expect((await runProcess([...argv, '--resume'], { cwd })).exitCode).toBe(0);
  });
});
