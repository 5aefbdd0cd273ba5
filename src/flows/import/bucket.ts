/**
 * A body in, an object of a bucket and the service's own import from there out. The service answers at once, works
 * behind the answer and writes errors to its own log alone: so this watches until nobody comes any more, looks up who
 * is there, and sends inline whoever is not, which also tells why.
 */
import type { Client } from '../../api/client.ts';
import type { Intent } from '../../journal/lines.ts';
import { createFingerprints } from '../../lib/fingerprints.ts';
import { hashText } from '../../lib/hash-text.ts';
import { formatCounted } from '../../lib/quantity.ts';
import { openShelf } from '../../storage/shelf.ts';
import { listUsersResponse } from '../../wire/user-search.ts';
import type { ImportSource } from './entries.ts';
import { planEntries } from './entries.ts';
import { OrgRuns } from '../../targets/bulk/org-runs.ts';
import type { Entry } from '../../targets/bulk/entry.ts';
import { userLists } from '../../wire/org-entries.ts';
import { noSuchOrg, settleOpen, whoIsThere } from '../reconcile/reconcile.ts';
import { noEnds, settle, type ImportRun } from './run.ts';
import { isEntry } from './send-all.ts';

/** Where the service reads from, in its own words. */
export interface BucketSource {
  readonly bucket: string;
  readonly path: string;
  /** Key file of the service account that the service uses, in base64. */
  readonly serviceAccount: string;
}

export interface BucketRoute {
  readonly source: BucketSource;
  upload(text: AsyncIterable<string>): Promise<void>;
  /** Seconds without anybody new after which the job counts as over. */
  readonly stallSeconds: number;
}

/** People at once, in the journal and in the look-ups. */
const slice = 1000;
const pollSeconds = 5;

/** `{"orgs":[...]}`: the bare shape. A body with its wrapping would import nobody, without a word. */
export async function* bucketText(source: ImportSource): AsyncGenerator<string> {
  const runs = new OrgRuns();
  yield '{"orgs":[';
  for await (const planned of planEntries(source)) {
    const entry = planned.read();
    if (isEntry(entry)) yield runs.add(entry);
  }
  yield `${runs.end()}]}\n`;
}

interface Rest {
  /** Whether an entry is still to be sent directly. */
  readonly left: (entry: Entry) => boolean;
  /** Closes the journal when they are. */
  readonly close: () => Promise<void>;
}

/** Starts the job unless an earlier run has, and settles everybody who arrived; the others are as if never sent. */
export async function importByBucket(
  run: ImportRun,
  source: ImportSource,
  route: BucketRoute,
  seed: number,
): Promise<Rest> {
  const { journal } = run;
  const [started, over] = journal.open.filter(isMark);
  const marks = [started, over].flatMap((mark) => mark?.attempt ?? []);
  const close = async (): Promise<void> => {
    for (const attempt of marks) await settle(run, attempt, noEnds);
  };
  // Who was sent directly before the stop is not known from whom the job had brought: what belongs to anybody goes.
  if (over !== undefined) {
    const orgIds = source.survey.orgs.map(({ orgId }) => orgId);
    await settleOpen(run, source.plan, orgIds);
    expectOrgs(run, source, over.at);
    return { left: () => true, close };
  }
  const at = started?.at ?? run.client.serverNow();
  /** By the number of the first entry. */
  const attempts = new Map(journal.open.map(({ attempt, entries }) => [entries[0], attempt]));
  let all: number;
  if (started === undefined) {
    // An earlier run was stopped before the service knew of anything.
    for (const attempt of attempts.values()) await settle(run, attempt, noEnds);
    all = await countUsers(run.client, source);
    await route.upload(bucketText(source));
    for await (const people of slicesOf(source)) {
      attempts.set(people[0]!.number, await intend(run, people, at));
      all += people.length;
    }
    marks.push(await journal.intend({ at, entries: [], people: [] }));
    await start(run, route.source, [...marks, ...attempts.values()]);
  } else {
    all = await countExpected(run, source, at);
  }
  await watch(run, source, route, all);
  let arrived = 0;
  for await (const people of slicesOf(source)) {
    const attempt = attempts.get(people[0]!.number);
    if (attempt === undefined) continue;
    const { ours, older, missing } = await whoIsThere(run, people, at);
    arrived += ours.length;
    for (const { number } of missing) run.sentBefore.set(number, at);
    const numbers = (entries: readonly Entry[]): number[] =>
      entries.map(({ number }) => number).toSorted((a, b) => a - b);
    // Counted when they are passed over on the way to those who are missing.
    await journal.settle({
      attempt,
      created: numbers(ours),
      existed: numbers(older),
      failed: [],
      noted: [],
      doubtful: numbers(missing),
      ids: [],
    });
  }
  marks.push(await journal.intend({ at, entries: [], people: [] }));
  expectOrgs(run, source, at);
  // A job that brought nobody, or of which that is not known any more, has done nothing else for sure.
  const sure = arrived > 0 && started === undefined;
  return sure ? leftBehind(seed, close) : { left: () => true, close };
}

/**
 * Two intents in which nobody stands: the first when the service is told of the job, the second when the job is over.
 */
const isMark = ({ entries }: Intent): boolean => entries.length === 0;

/** Those that are sent once more are the job's own where they are not older than it. */
function expectOrgs({ sentBefore }: ImportRun, { plan }: ImportSource, at: number): void {
  const round = plan.rounds.find(({ list }) => list === 'org');
  for (let i = 0; i < (round?.count ?? 0); i++) sentBefore.set(round!.start + i, at);
}

function intend(run: ImportRun, people: readonly Entry[], at: number): Promise<number> {
  return run.journal.intend({
    at,
    entries: people.map(({ number }) => number),
    people: people.map(({ person }) => [
      person!.id,
      person!.userName,
      run.fingerprints.of(person!.id, person!.content()),
    ]),
  });
}

/** `attempts` are those to take back where the service refuses the job. */
async function start(
  run: ImportRun,
  { bucket, path, serviceAccount }: BucketSource,
  attempts: readonly number[],
): Promise<void> {
  const form = run.body.firstForm ? 'data_orgsv1_gcs' : 'data_orgs_gcs';
  run.tally.requests += 1;
  const end = await run.client.attempt({
    method: 'POST',
    path: '/admin/v1/import',
    body: { timeout: run.body.timeout, [form]: { path, bucket, serviceaccount_json: serviceAccount } },
    // A second job finds everybody there and changes nothing.
    repeat: 'safe',
    timeout: run.answerTimeout,
  });
  if (end.ok) return;
  if (end.error.done === 'no') for (const attempt of attempts) await settle(run, attempt, noEnds);
  throw end.error;
}

/** Ends when everybody is there, when nobody has come for a while, or when the service has given its job up. */
async function watch(run: ImportRun, source: ImportSource, route: BucketRoute, all: number): Promise<void> {
  const startedAt = run.clock.monotonic();
  let changedAt = startedAt;
  let seen = -1;
  for (;;) {
    const users = await countUsers(run.client, source);
    const now = run.clock.monotonic();
    if (users !== seen) changedAt = now;
    seen = users;
    if (users >= all) return;
    const short = all - users;
    if (now - changedAt >= route.stallSeconds * 1000) {
      return tellEnd(run, `nobody has come for ${route.stallSeconds} seconds`, short);
    }
    if (now - startedAt >= run.answerTimeout + route.stallSeconds * 1000) {
      return tellEnd(run, `its timeout of ${run.body.timeout} is over`, short);
    }
    run.emit({ type: 'run:waiting', reason: 'service-busy', seconds: pollSeconds });
    await run.clock.sleep(pollSeconds * 1000, run.signal);
  }
}

function tellEnd(run: ImportRun, why: string, short: number): void {
  const text =
    `The service's own job is over or stuck (${why}; ${formatCounted(short, 'person', 'people')} short of all): ` +
    'looking up who arrived, then sending the others directly.';
  run.emit({ type: 'notice', level: 'warning', code: 'import:job-over', text });
}

/** How many users there will be when all who are missing have come. */
async function countExpected(run: ImportRun, source: ImportSource, at: number): Promise<number> {
  const users = await countUsers(run.client, source);
  let missing = 0;
  for await (const people of slicesOf(source)) missing += (await whoIsThere(run, people, at)).missing.length;
  return users + missing;
}

/** Over all organizations of the body. */
async function countUsers(client: Client, { survey }: ImportSource): Promise<number> {
  let users = 0;
  for (const orgId of new Set(survey.orgs.map((org) => org.orgId))) {
    const end = await client.attempt({
      method: 'POST',
      path: '/management/v1/users/_search',
      body: { query: { limit: 1 } },
      org: orgId,
      repeat: 'safe',
      answer: listUsersResponse,
    });
    // An organization that is still to be created.
    if (!end.ok && end.error.id !== noSuchOrg) throw end.error;
    if (end.ok) users += Number(end.value.details?.totalResult ?? 0);
  }
  return users;
}

async function* slicesOf(source: ImportSource): AsyncGenerator<readonly Entry[]> {
  let people: Entry[] = [];
  for await (const planned of planEntries(source, userLists)) {
    const entry = planned.read();
    if (isEntry(entry)) people.push(entry);
    if (people.length < slice) continue;
    yield people;
    people = [];
  }
  if (people.length > 0) yield people;
}

/**
 * What goes inline behind the job: people who did not arrive, and what belongs to them. Asked in the order of sending.
 */
function leftBehind(seed: number, close: () => Promise<void>): Rest {
  const fingerprints = createFingerprints({ openShelf });
  const words = new Uint32Array(2);
  /** Which of the marks the id got first, or -1. */
  const mark = (id: string, as: number): number => {
    hashText(id, seed, words, 0);
    return fingerprints.claim(words[0]!, words[1]!, as);
  };
  return {
    left: ({ person, owner }) => {
      if (person === undefined) return owner !== '' && mark(owner, marks.there) === marks.missing;
      if (person.id !== '') mark(person.id, marks.missing);
      return true;
    },
    close: async () => {
      fingerprints.close();
      await close();
    },
  };
}

const marks = { there: 0, missing: 1 };
