/**
 * An import that is killed again and again at random moments, and resumed until it is done; then the server is compared
 * with what the journal says, and the import is rolled back. The service has faults, lists that lag, and two clocks that
 * are up to two minutes apart; the clock of the client jumps.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { loadJournal, State } from '../../src/journal/load.ts';
import { systemClock, type Clock } from '../../src/lib/clock.ts';
import type { Draw } from '../support/draw.ts';
import type { Instance } from '../support/instance.ts';
import { endAt, type KillMoment, type ProcessResult } from '../support/process.ts';
import { clearFaults, setFaults } from './faults.ts';
import { play, type Scene } from './scene.ts';
import { bodyFor, checkUsers, humansIn } from './users.ts';

export type ImportVerb = 'import' | 'import-users' | 'copy';

/** A run that is not done after so many calls will never be. */
const mostRuns = 60;

export interface Hardship {
  /** Share of the answers that are lost; without it, a few faults of any kind. */
  readonly lost?: number | undefined;
  /** Milliseconds that lists are behind. */
  readonly lag?: number | undefined;
}

/** At most `kills` times; fewer when it is done before. */
export async function live(
  verb: ImportVerb,
  kills: number,
  draw: Draw,
  { lost, lag = draw.pick([0, 300, 3000]) }: Hardship = {},
) {
  /** How often it was killed. */
  let killed = 0;
  let runs = 0;
  const target = {
    orgId: verb === 'copy' ? '1' : '100',
    clock: clockApart(draw.below(240_001) - 120_000),
    lag,
  };
  const list = await play(async (scene) => {
    const { instance, troubles, path, run } = scene;
    const users = 60 + draw.below(200);
    const source = verb === 'copy' ? await startSource(scene, users) : undefined;
    if (source === undefined) writeFileSync(path('body.json'), bodyFor(users));
    const journal = path(verb === 'import-users' ? 'body.json.users.journal' : 'body.json.journal');
    const argv = argvOf(verb, instance, source);
    let last: ProcessResult | undefined;
    while (runs < mostRuns) {
      runs += 1;
      await setFaults(instance, draw, lost);
      const resume = existsSync(journal) ? ['--resume'] : [];
      last = await run([...argv, draw.pick(['--json', '--quiet']), ...resume], {
        env: draw.chance(0.3) ? jumpingClock(draw) : {},
        ...(killed < kills && { meanwhile: endAt(drawMoment(journal, draw)) }),
      });
      if (last.signal === 'SIGKILL') killed += 1;
      else if (last.exitCode === 0) break;
      // A run that was stopped, or that gave up, is started again.
      else
        troubles.expect(
          isStopped(last),
          `run ${runs} ended with ${last.exitCode}: ${last.stderr.slice(-600)}`,
        );
      if (troubles.list.length > 0) break;
    }
    troubles.same('the exit code of the last run', last?.exitCode, 0);
    await checkEnd(verb, scene, journal, users);
  }, target);
  return { kills: killed, runs, troubles: list };
}

/** What stamps users is so far ahead of the `Date` headers, in milliseconds. */
const clockApart = (ahead: number): Clock => ({ ...systemClock, now: () => Date.now() + ahead });

/** A service that has these users in an organization which the target does not have. */
async function startSource({ start }: Scene, users: number) {
  const source = await start('source', { orgId: '1' });
  const body = bodyFor(users).replace('"orgId":"100"', '"orgId":"100","org":{"name":"Copied"}');
  await source.server.seed(JSON.parse(body));
  return source;
}

function argvOf(verb: ImportVerb, { flags, url, tokenFile }: Instance, source: Instance | undefined) {
  const report = ['--report', 'report.json'];
  if (source !== undefined) {
    const from = ['--from-url', source.url, '--from-token-file', source.tokenFile];
    const to = ['--to-url', url, '--to-token-file', tokenFile];
    return ['copy', ...from, ...to, '--org', '100', '--via', 'body.json', '--chunk-users', '7', ...report];
  }
  const own = verb === 'import' ? ['--chunk-users', '7'] : ['--org', '100', '--concurrency', '4'];
  return [verb, 'body.json', ...flags, ...own, ...report];
}

/** Soon after the start, soon after the journal has grown, or somewhere in the middle; at times not so hard. */
function drawMoment(journal: string, draw: Draw): KillMoment {
  const signal = draw.chance(0.85) ? 'SIGKILL' : draw.pick(['SIGTERM', 'SIGINT'] as const);
  if (draw.chance(0.15)) return { signal, after: draw.below(600) };
  const bytes = existsSync(journal) ? readFileSync(journal).length : 0;
  return { signal, file: journal, bytes: bytes + draw.below(600), after: draw.below(40) };
}

/** Ctrl-C and its like, or a run that says that it can be gone on with. */
function isStopped({ exitCode, signal, stderr }: ProcessResult) {
  return signal !== null || exitCode === 130 || (exitCode === 1 && stderr.includes('--resume'));
}

/** The wall clock of the process is off, and jumps by hours while it runs. */
function jumpingClock(draw: Draw): Record<string, string> {
  const hours = 1 + draw.below(48);
  const script = `
    const real = Date.now;
    let calls = 0;
    Date.now = () => real() + (++calls % 7 < 3 ? ${hours} : -${hours}) * 3_600_000;
  `;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
}

/** All of it is there, and a rollback leaves nothing. */
export async function checkEnd(verb: ImportVerb, scene: Scene, journal: string, users: number) {
  const { cwd, path, instance, secrets, troubles, run } = scene;
  if (troubles.list.length > 0) return;
  const ids = checkUsers(instance.server, users, troubles);
  const { header, states, open, finished } = await loadJournal(journal);
  // One by one, the related records of a user are sent with the user.
  const lists = verb === 'import-users' ? header.plan.slice(0, 1) : header.plan;
  const entries = lists.reduce((sum, [, count]) => sum + count, 0);
  troubles.same('the journal has an end and nothing open', [finished, open], [true, []]);
  const [created, existed] = [
    states.count(State.created, 0, entries),
    states.count(State.existed, 0, entries),
  ];
  troubles.same('entries that the journal calls created or existing', created + existed, entries);
  // The domain of an organization is there as soon as the organization is created.
  troubles.expect(existed <= (verb === 'copy' ? 1 : 0), `${existed} entries existed before`);
  troubles.readable('the journal', readFileSync(journal, 'utf8'), secrets);
  if (verb === 'import-users') {
    const rows = readFileSync(path('body.json.ids.csv'), 'utf8').trim().split('\n').slice(1);
    troubles.same('rows of the id map', rows.toSorted(), ids.toSorted());
  }
  const files = readdirSync(cwd);
  const expected = ['body.json', 'report.json', 'target.token', basename(journal)];
  if (verb === 'copy') expected.push('source.token');
  if (verb === 'import-users' || files.includes('body.json.ids.csv')) expected.push('body.json.ids.csv');
  troubles.same('the files', files.toSorted(), expected.toSorted());
  JSON.parse(readFileSync(path('report.json'), 'utf8'));
  if (troubles.list.length > 0) return;
  await clearFaults(instance);
  const undo = ['undo', '--journal', journal, '--yes', String(users), '--wait=5s', '--quiet'];
  const { exitCode, stderr } = await run([...undo, ...instance.flags]);
  troubles.expect(exitCode === 0, `the rollback ended with ${exitCode}: ${stderr.slice(-600)}`);
  troubles.same('users that the rollback has left', humansIn(instance.server).length, 0);
}
