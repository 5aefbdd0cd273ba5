/**
 * Two processes that import the same body with the same journal at the same time, in one place or in two PID namespaces.
 * One of them works, the other is refused; the working one is killed at times, and both are started again.
 */
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadJournal } from '../../src/journal/load.ts';
import type { Draw } from '../support/draw.ts';
import { endAt, type ProcessResult, separate } from '../support/process.ts';
import { checkEnd, type ImportVerb } from './life.ts';
import { play } from './scene.ts';
import { bodyFor } from './users.ts';

const users = 80;
const mostRounds = 20;
const mostKills = 3;

export async function livePair(verb: ImportVerb, apart: boolean, draw: Draw) {
  let [kills, runs, refused] = [0, 0, 0];
  const list = await play(async (scene) => {
    const { cwd, path, instance, troubles, run } = scene;
    writeFileSync(path('body.json'), bodyFor(users));
    const journal = path(verb === 'import' ? 'body.json.journal' : 'body.json.users.journal');
    const own = verb === 'import' ? ['--chunk-users=5', '--rate=5/s'] : ['--org=100', '--rate=40/s'];
    const argv = [verb, 'body.json', ...instance.flags, ...own, '--report', 'report.json', '--json'];
    const start = (first: boolean) => {
      runs += 1;
      const resume = existsSync(journal) ? ['--resume'] : [];
      // From here it cannot be seen whether the process in the other namespace has ended; one of the two is told.
      const steal = apart && first && existsSync(`${journal}.lock`) ? ['--steal-lock'] : [];
      const kill = first && kills < mostKills && draw.chance(0.8);
      const moment = { signal: 'SIGKILL', file: journal, bytes: 300 + draw.below(3000) } as const;
      return run([...argv, ...resume, ...steal], {
        within: apart ? separate : [],
        ...(kill && { meanwhile: endAt(moment) }),
      });
    };
    let done = false;
    for (let round = 1; round <= mostRounds && !done && troubles.list.length === 0; round++) {
      for (const result of await Promise.all([start(true), start(false)])) {
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
    await checkEnd(verb, scene, journal, users);
  });
  return { kills, runs, refused, troubles: list };
}

/** The next run removes them; but here the last one may have begun before the other was killed. */
function removeDrafts(cwd: string) {
  const drafts = readdirSync(cwd).filter((name) => /^\.report\.json\..+\.tmp$/.test(name));
  for (const name of drafts) rmSync(join(cwd, name));
  return drafts.length;
}

/** By the lock, or by the journal of the one that was killed. */
function isRefused({ exitCode, stderr, stdout }: ProcessResult) {
  return exitCode === 2 && /another run \(|a previous (?:run|rollback) is not finished/.test(stderr + stdout);
}
