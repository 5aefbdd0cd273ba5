/**
 * An import in this process, at times an incremental one after it, and its rollback, on a clock that moves by itself,
 * against lists that lag by up to two minutes and clocks that are as far apart. Each is killed and gone on with until it is
 * done; the users are compared with their source at once.
 */
import { copyFileSync, existsSync, mkdtempSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ClientOptions } from '../../src/api/client.ts';
import { NetworkFailure, type Send } from '../../src/api/send.ts';
import { importOrgs } from '../../src/flows/import/import.ts';
import { loadPreviousRuns } from '../../src/flows/incremental/previous-runs.ts';
import type { Draw } from '../support/draw.ts';
import { createFullServer, type FullServer } from '../support/full-server.ts';
import { contextOf, importRequest, inRequestsOf, exchangeWith, received } from '../support/service.ts';
import { lookAtUndo } from '../support/undo-run.ts';
import { createTarget, runUsers, type Target, allUsers } from '../support/users-run.ts';
import { runVerify } from '../support/verify-run.ts';
import type { ImportVerb } from './life.ts';
import { createLifeFolder, Troubles } from './trouble.ts';
import { bodyFor, changedBodyFor, checkUsers, humansIn } from './users.ts';
import { killAt } from '../support/kill.ts';

const mostLag = 120_000;
const mostApart = 120_000;
/** Between two runs. */
const longestBreak = 3_600_000;
const mostRuns = 30;

/** At most `kills` times; fewer when it is done before. */
export async function liveLate(verb: ImportVerb, kills: number, draw: Draw) {
  const lag = draw.pick([1000, 10_000, 60_000, mostLag, draw.below(mostLag)]);
  const server = createFullServer({ rate: null, lag, orgId: '100' });
  const users = 30 + draw.below(draw.pick([100, 500]));
  const folder = createLifeFolder();
  const dateAhead = draw.below(2 * mostApart + 1) - mostApart;
  const run: LateRun = {
    verb,
    server,
    folder,
    draw,
    dateAhead,
    kills,
    killed: 0,
    troubles: new Troubles(),
  };
  const { troubles } = run;
  const all = users + draw.pick([0, 7]);
  const isIncremental = draw.chance(0.4);
  const steps = [
    () => importStep(run, 'first', bodyFor(users), users),
    ...(isIncremental
      ? [() => importStep(run, 'second', changedBodyFor(all), all), () => undoStep(run, 'second')]
      : []),
    () => undoStep(run, 'first'),
  ];
  for (const step of steps) if (troubles.list.length === 0) await step();
  if (troubles.list.length === 0)
    troubles.same('users that the rollback has left', humansIn(server).length, 0);
  if (troubles.list.length > 0) troubles.list.push(`lists ${lag} ms behind, Date ${dateAhead} ms ahead`);
  troubles.tidy(folder);
  return { lag, kills: run.killed, troubles: troubles.list };
}

interface LateRun {
  readonly verb: ImportVerb;
  readonly server: FullServer;
  readonly folder: string;
  readonly draw: Draw;
  /** `Date` headers are ahead of the clock that stamps users by so many milliseconds. */
  readonly dateAhead: number;
  readonly kills: number;
  killed: number;
  readonly troubles: Troubles;
}

/** The folder of one run, which continues with `users.journal`. */
type Work = (target: Target, own: Own) => Promise<unknown>;
interface Own {
  readonly folder: string;
  /** Journals of the steps before. */
  readonly since: readonly string[];
  readonly journal: { readonly path: string; readonly resume: boolean };
}

const targetOf = (server: FullServer, client: Partial<ClientOptions> = {}) =>
  createTarget({ server: { ...server, logged: [] }, client });

const journalOf = ({ folder }: Pick<LateRun, 'folder'>, step: string) => join(folder, `${step}.journal`);

/** The step whose journal a step reads. */
const sourcesOf: Readonly<Record<string, readonly string[]>> = {
  second: ['first'],
  'undo-first': ['first', 'second'],
  'undo-second': ['second'],
};

/** Runs the work until it is done; killed or given up, it is gone on with from the journal of that moment. */
async function untilDone(run: LateRun, step: string, work: Work) {
  const { server, draw, troubles } = run;
  for (let end: string | undefined, runs = 1; end !== 'done'; runs++) {
    end = await runOnce(run, step, work, run.killed < run.kills ? draw.below(40) : Infinity);
    if (end === 'killed') run.killed += 1;
    await server.clock.advance(draw.below(draw.pick([2000, 2 * mostLag, longestBreak])));
    if (end !== 'done' && runs === mostRuns)
      return troubles.same(`the end of the last run of ${step}`, end, 'done');
  }
}

/** `done`, `killed`, or why it gave up. The journal is that of the moment of the kill. */
async function runOnce(run: LateRun, step: string, work: Work, requests: number) {
  const journal = journalOf(run, step);
  const folder = mkdtempSync(join(run.folder, 'run-'));
  // A copy: locks of runs that were killed in this process would hold.
  const since = (sourcesOf[step] ?? [])
    .filter((other) => existsSync(journalOf(run, other)))
    .map((other) => journalOf({ folder }, other));
  for (const path of since) copyFileSync(join(run.folder, basename(path)), path);
  const [, undone] = /^undo-(.*)/.exec(step) ?? [];
  const path = join(folder, undone === undefined ? 'users.journal' : `${undone}.journal.undo`);
  const resume = existsSync(journal);
  if (resume) copyFileSync(journal, path);
  const keep = () => {
    if (existsSync(path)) copyFileSync(path, journal);
  };
  const { send, killed } = spoiling(run, requests, keep);
  const ended = work(targetOf(run.server, { send }), { folder, since, journal: { path, resume } }).then(
    () => 'done',
    (error: Error) => error.message,
  );
  const end = await Promise.race([killed, ended]);
  if (end !== 'killed') keep();
  return end;
}

async function importStep(run: LateRun, step: string, body: string, users: number) {
  await untilDone(run, step, (target, own) => importWith(run, target, own, body));
  await compare(run, body, users);
}

async function importWith({ verb }: LateRun, target: Target, { folder, since, journal }: Own, body: string) {
  if (verb === 'import') {
    const request = importRequest(target, body, { journal, since, size: inRequestsOf(7) });
    await importOrgs(request, contextOf(target));
    return;
  }
  const { client, org } = target;
  const runs = { verb: 'import-users', url: client.url, orgs: [org], journal } as const;
  const previous = since.length === 0 ? undefined : await loadPreviousRuns(since, runs);
  const selection = { ...allUsers, previous };
  await runUsers(target, body, { folder, resume: journal.resume, concurrency: 4, selection });
}

/** Answers get lost, and after so many requests the process is gone, before or after the service has seen the next. */
function spoiling({ server, draw, dateAhead }: LateRun, requests: number, keep: () => void) {
  const exchange = exchangeWith(server, { dateAhead, took: () => 1 + draw.below(50) });
  const { send: ask, killed } = killAt(requests, draw.chance(0.6), exchange, keep);
  const send: Send = async (request) => {
    const answer = await ask({ ...request, receive: undefined });
    if (draw.chance(0.04))
      throw new NetworkFailure('response', 'ECONNRESET', 'the answer was lost', undefined);
    return received(request.receive, answer);
  };
  return { send, killed };
}

async function compare({ server, troubles }: LateRun, body: string, users: number) {
  checkUsers(server, users, troubles);
  const { counts, told } = await runVerify(targetOf(server), body);
  const expected = { same: users, missing: 0, differs: 0, unknown: 0, notYet: 0, extra: 0 };
  troubles.same('users as verify tells', counts, { ...counts, ...expected });
  troubles.same('what verify tells', told.slice(0, 5), []);
}

/** The rollback itself is killed at times, and gone on with. */
async function undoStep(run: LateRun, step: string) {
  const stays: string[] = [];
  await untilDone(run, `undo-${step}`, async (target, { folder }) => {
    const { told, confirm } = await lookAtUndo(target, journalOf({ folder }, step), { concurrency: 4 });
    stays.push(...told.filter((line) => line.startsWith('=')));
    return confirm();
  });
  run.troubles.same(`users that the rollback of ${step} would not delete`, stays, []);
}
