/**
 * Two processes that import the same body with the same journal at the same time, in one place or in two PID namespaces.
 * One of them works, the other is refused; the working one is killed at times, and both are started again.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadJournal } from '../../src/journal/load.ts';
import type { Draw } from '../support/draw.ts';
import { startInstance } from '../support/instance.ts';
import { endAt, runProcess, type ProcessResult } from '../support/process.ts';
import { checkEnd, rollBack, type ImportVerb, type Life } from './life.ts';
import { createLifeFolder, Troubles } from './trouble.ts';
import { bodyFor, passwordHash } from './users.ts';

/** The program is process 1 in it, as in a container. */
const separate = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--kill-child', '--mount-proc'];
export const canSeparate = spawnSync(separate[0]!, [...separate.slice(1), 'true']).status === 0;

const users = 80;
const mostRounds = 20;
const mostKills = 3;

export async function livePair(
  verb: ImportVerb,
  apart: boolean,
  draw: Draw,
): Promise<Life & { readonly refused: number }> {
  const cwd = createLifeFolder();
  const troubles = new Troubles();
  const instance = await startInstance(cwd, 'target', { orgId: '100' });
  writeFileSync(join(cwd, 'body.json'), bodyFor(users));
  const journal = join(cwd, verb === 'import' ? 'body.json.journal' : 'body.json.users.journal');
  const secrets = [passwordHash, instance.server.tokens.iamOwner];
  const own = verb === 'import' ? ['--chunk-users=5', '--rate=5/s'] : ['--org=100', '--rate=40/s'];
  const argv = [verb, 'body.json', ...instance.flags, ...own, '--report', 'report.json', '--json'];
  let [kills, runs, refused, done] = [0, 0, 0, false];

  const start = (first: boolean): Promise<ProcessResult> => {
    runs += 1;
    const resume = existsSync(journal) ? ['--resume'] : [];
    // From here it cannot be seen whether the process in the other namespace has ended; one of the two is told.
    const steal = apart && first && existsSync(`${journal}.lock`) ? ['--steal-lock'] : [];
    const kill = first && kills < mostKills && draw.chance(0.8);
    const moment = { signal: 'SIGKILL', file: journal, bytes: 300 + draw.below(3000) } as const;
    return runProcess([...argv, ...resume, ...steal], {
      cwd,
      within: apart ? separate : [],
      ...(kill ? { meanwhile: endAt(moment) } : {}),
    });
  };

  try {
    for (let round = 1; round <= mostRounds && !done && troubles.list.length === 0; round++) {
      const both = await Promise.all([start(true), start(false)]);
      for (const result of both) {
        troubles.readable(`round ${round}`, result.stdout + result.stderr, secrets);
        if (result.signal === 'SIGKILL' || result.exitCode === 137) kills += 1;
        else if (result.exitCode === 0) done = true;
        else if (isRefused(result)) refused += 1;
        else troubles.list.push(`round ${round}: ${result.exitCode}: ${result.stderr.slice(-600)}`);
      }
      if (existsSync(journal)) await loadJournal(journal);
    }
    troubles.expect(done, `it is not done after ${mostRounds} rounds`);
    const left = removeDrafts(cwd);
    troubles.expect(left <= kills, `${left} drafts of reports are left, of ${kills} that were killed`);
    if (troubles.list.length === 0)
      await checkEnd(verb, instance, { cwd, journal, users, secrets }, troubles);
    if (troubles.list.length === 0) await rollBack(instance, { cwd, journal, users }, troubles);
  } catch (error) {
    troubles.list.push(`it broke off: ${(error as Error).message}`);
  } finally {
    await instance.close();
    troubles.tidy(cwd);
  }
  return { verb, kills, runs, refused, troubles: troubles.list };
}

/** The next run removes them; but here the last one may have begun before the other was killed. */
function removeDrafts(cwd: string) {
  const drafts = readdirSync(cwd).filter((name) => /^\.report\.json\..+\.tmp$/.test(name));
  for (const name of drafts) rmSync(join(cwd, name));
  return drafts.length;
}

/** By the lock, or by the journal of the one that was killed. */
function isRefused({ exitCode, stderr, stdout }: ProcessResult) {
  return exitCode === 2 && /another run \(|a previous run is not finished/.test(stderr + stdout);
}
