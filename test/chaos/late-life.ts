/**
 * An import in this process, on a clock that moves by itself, against lists that lag by up to two minutes: it is killed
 * and gone on with until it is done, compared with its source at once, and rolled back.
 */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClientOptions } from '../../src/api/client.ts';
import { NetworkFailure } from '../../src/api/network.ts';
import type { ApiResponse } from '../../src/api/send.ts';
import { importOrgs } from '../../src/flows/import/import.ts';
import { countUndo, findStopped, undo, type UndoRequest } from '../../src/flows/undo/undo.ts';
import { loadJournal } from '../../src/journal/load.ts';
import type { Draw } from '../fuzz/draw.ts';
import { createFullServer, type FullServer } from '../support/full-server.ts';
import { memoryInput } from '../support/memory-input.ts';
import { createTarget, runUsers, type Target } from '../support/users-run.ts';
import { runVerify } from '../support/verify-run.ts';
import type { ImportVerb, Life } from './life.ts';
import { Troubles } from './trouble.ts';
import { bodyFor, checkUsers } from './users.ts';

const mostLag = 120_000;
const mostRuns = 30;

export interface LateLife extends Life {
  /** Milliseconds that lists are behind. */
  readonly lag: number;
}

/** At most `kills` times; fewer when it is done before. */
export async function liveLate(verb: ImportVerb, kills: number, draw: Draw): Promise<LateLife> {
  const lag = draw.pick([1000, 10_000, 60_000, mostLag, draw.below(mostLag)]);
  const server = createFullServer({ rate: null, lag, orgId: '100' });
  const users = 30 + draw.below(draw.pick([100, 500]));
  const folder = mkdtempSync(join(tmpdir(), 'idport-chaos-'));
  const journal = join(folder, 'run.journal');
  const troubles = new Troubles();
  const run: LateRun = { verb, server, folder, journal, body: bodyFor(users) };
  let killed = 0;
  let runs = 0;
  for (let end: string | undefined = ''; end !== 'done' && runs < mostRuns; runs++) {
    const killAt = killed < kills ? draw.below(40) : Infinity;
    end = await runOnce(run, draw, killAt);
    if (end === 'killed') killed += 1;
    // A run that gave up is started again as one that was killed.
    await server.clock.advance(draw.below(draw.pick([2000, 2 * mostLag])));
    if (runs === mostRuns - 1) troubles.same('the end of the last run', end, 'done');
  }
  if (troubles.list.length === 0) checkUsers(server, users, verb === 'import', troubles);
  if (troubles.list.length === 0) await compare(run, users, troubles);
  if (troubles.list.length === 0) await rollBack(run, troubles);
  if (troubles.list.length === 0) rmSync(folder, { recursive: true, force: true });
  else troubles.list.push(`lists ${lag} ms behind; all files of it are in ${folder}`);
  return { verb, lag, kills: killed, runs, troubles: troubles.list };
}

interface LateRun {
  readonly verb: ImportVerb;
  readonly server: FullServer;
  readonly folder: string;
  readonly journal: string;
  readonly body: string;
}

const targetOf = (server: FullServer, client: Partial<ClientOptions> = {}): Target =>
  createTarget({ server: { ...server, logged: [] } }, client);

const contextOf = ({ events, clock }: Target) => ({
  emit: (event: Target['events'][number]) => void events.push(event),
  clock,
  signal: new AbortController().signal,
});

/** `done`, `killed`, or why it gave up. The journal is that of the moment of the kill. */
async function runOnce(run: LateRun, draw: Draw, killAt: number): Promise<string> {
  const { server, folder, journal } = run;
  const own = mkdtempSync(join(folder, 'run-'));
  const path = join(own, 'users.journal');
  const resume = existsSync(journal);
  if (resume) copyFileSync(journal, path);
  const keep = (): void => {
    if (existsSync(path)) copyFileSync(path, journal);
  };
  let kill: (end: string) => void = () => {};
  const killed = new Promise<string>((resolve) => {
    kill = resolve;
  });
  const send = spoiling(server, draw, killAt, () => {
    keep();
    kill('killed');
  });
  const target = targetOf(server, { send });
  const ended = importWith(run, target, own, { path, resume }).then(
    () => 'done',
    (error: Error) => error.message,
  );
  const end = await Promise.race([killed, ended]);
  if (end !== 'killed') keep();
  return end;
}

async function importWith(
  { verb, body }: LateRun,
  target: Target,
  folder: string,
  journal: { readonly path: string; readonly resume: boolean },
): Promise<void> {
  if (verb === 'import-users') {
    await runUsers(target, body, { folder, resume: journal.resume, concurrency: 4 });
    return;
  }
  await importOrgs(
    {
      input: memoryInput('importBody.json', body),
      client: target.client,
      journal,
      timeout: undefined,
      mostSeconds: null,
      firstForm: false,
      onExisting: 'skip',
      createOrgs: [],
      phone: 'keep',
      limits: { emails: Infinity, sms: Infinity },
      size: { bytes: 4_190_000, jsonBytes: Infinity, most: 7, seconds: 30 },
      seed: 7,
    },
    contextOf(target),
  );
}

/** Answers get lost, and from request `killAt` on the process is gone, before or after the service has seen it. */
function spoiling(
  server: FullServer,
  draw: Draw,
  killAt: number,
  onKill: () => void,
): ClientOptions['send'] & {} {
  const never = new Promise<never>(() => {});
  const seen = draw.chance(0.6);
  let sent = 0;
  let dead = false;
  return async (request) => {
    if (dead) return never;
    const number = sent++;
    const isLast = number === killAt;
    if (isLast) dead = true;
    let answer: ApiResponse | undefined;
    if (!isLast || seen) {
      const { url, method, headers, body } = request;
      const path = url.slice('http://localhost'.length);
      const init = { method, headers: { ...headers }, ...(body === undefined ? {} : { body }) };
      const given = await server.app.request(path, init);
      await server.settled();
      await server.clock.advance(1 + draw.below(50));
      answer = { status: given.status, headers: {}, text: await given.text() };
    }
    if (isLast) onKill();
    if (dead || answer === undefined) return never;
    if (draw.chance(0.04))
      throw new NetworkFailure('response', 'ECONNRESET', 'the answer was lost', undefined);
    if (request.receive === undefined || answer.status > 299) return answer;
    await request.receive(inOneBlock(answer.text));
    return { ...answer, text: '' };
  };
}

async function* inOneBlock(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function compare({ server, body }: LateRun, users: number, troubles: Troubles): Promise<void> {
  const { counts, told } = await runVerify(targetOf(server), body);
  const { same, missing, differs, unknown, notYet, extra } = counts;
  const expected = { same: users, missing: 0, differs: 0, unknown: 0, notYet: 0, extra: 0 };
  troubles.same('users as verify tells', { same, missing, differs, unknown, notYet, extra }, expected);
  troubles.same('what verify tells', told.slice(0, 5), []);
}

async function rollBack({ server, journal: journalPath }: LateRun, troubles: Troubles): Promise<void> {
  const target = targetOf(server);
  const journal = await loadJournal(journalPath);
  const path = `${journalPath}.undo`;
  const request: UndoRequest = {
    client: target.client,
    name: 'run.journal',
    journalPath,
    journal,
    undoJournal: { path, resume: false },
    stopped: await findStopped(path, journal),
    alsoChanged: false,
    concurrency: 4,
    perSecond: undefined,
  };
  const context = contextOf(target);
  const stays: string[] = [];
  const counts = await countUndo(request, context, ({ willGo, created, standing }) => {
    if (!willGo) stays.push(`${created.userName} ${standing}`);
    return Promise.resolve();
  });
  await undo(request, context, counts, counts.there);
  const left = [...server.state.store.users.values()].filter(
    ({ kind, orgId }) => kind === 'human' && orgId === '100',
  );
  troubles.same('users that the rollback has left', left.length, 0);
  troubles.same('users that it would not delete', stays, []);
}
