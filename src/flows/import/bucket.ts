/**
 * A body in, an object of a bucket and the service's own import from there out. The service answers at once, works
 * behind the answer and writes errors to its own log alone: so this watches until nobody comes any more, looks up who
 * is there, and sends inline whoever is not, which also tells why.
 */
import type { Client } from '../../api/client.ts';
import { listUsersResponse } from '../../wire/user-search.ts';
import type { ImportSource } from './entries.ts';
import { planEntries } from './entries.ts';
import { OrgRuns } from '../../targets/bulk/org-runs.ts';
import type { Entry } from '../../targets/bulk/entry.ts';
import { peopleLists } from '../../wire/org-entries.ts';
import { fingerprint } from './deliver.ts';
import { whoIsThere } from './reconcile.ts';
import type { ImportRun } from './run.ts';
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
  /** Seconds after which it counts as over whatever it does. */
  readonly patienceSeconds: number;
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

/** Starts the job unless an earlier run has, and settles everybody who arrived; the others are as if never sent. */
export async function importByBucket(
  run: ImportRun,
  source: ImportSource,
  route: BucketRoute,
): Promise<void> {
  const [earlier] = run.journal.open;
  const at = earlier?.at ?? run.client.serverNow();
  /** By the number of the first entry. */
  const attempts = new Map(run.journal.open.map(({ attempt, entries }) => [entries[0], attempt]));
  let all = Infinity;
  if (earlier === undefined) {
    all = await countUsers(run.client, source);
    await route.upload(bucketText(source));
    for await (const people of slicesOf(source)) {
      attempts.set(people[0]!.number, await intend(run, people, at));
      all += people.length;
    }
    await start(run, route.source);
  }
  await watch(run, source, route, all);
  for await (const people of slicesOf(source)) {
    const attempt = attempts.get(people[0]!.number);
    if (attempt === undefined) continue;
    const { ours, older, missing } = await whoIsThere(run, people, at);
    for (const { number } of missing) run.sentBefore.set(number, at);
    const numbers = (entries: readonly Entry[]): number[] =>
      entries.map(({ number }) => number).toSorted((a, b) => a - b);
    // Counted when they are passed over on the way to those who are missing.
    await run.journal.settle({
      attempt,
      created: numbers(ours),
      existed: numbers(older),
      failed: [],
      noted: [],
      doubtful: numbers(missing),
      ids: [],
    });
  }
}

function intend(run: ImportRun, people: readonly Entry[], at: number): Promise<number> {
  return run.journal.intend({
    at,
    entries: people.map(({ number }) => number),
    people: people.map(({ person }) => [person!.id, person!.userName, fingerprint(run, person!)]),
  });
}

async function start(run: ImportRun, { bucket, path, serviceAccount }: BucketSource): Promise<void> {
  const form = run.body.firstForm ? 'dataOrgsv1Gcs' : 'dataOrgsGcs';
  run.tally.requests += 1;
  await run.client.call({
    method: 'POST',
    path: '/admin/v1/import',
    body: { [form]: { bucket, path, serviceaccountJson: serviceAccount }, timeout: run.body.timeout },
    // A second job finds everybody there and changes nothing.
    repeat: 'safe',
    timeout: run.answerTimeout,
  });
}

/** Ends when everybody is there, when nobody has come for a while, or when patience is at its end. */
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
    if (now - changedAt >= route.stallSeconds * 1000) return tellEnd(run, 'nobody has come for a while');
    if (now - startedAt >= route.patienceSeconds * 1000)
      return tellEnd(run, 'it takes longer than --timeout');
    run.emit({ type: 'run:waiting', reason: 'service-busy', seconds: pollSeconds });
    await run.clock.sleep(pollSeconds * 1000, run.signal);
  }
}

function tellEnd(run: ImportRun, why: string): void {
  const text = `The service's own job seems to be over (${why}): looking up who arrived.`;
  run.emit({ type: 'notice', level: 'info', code: 'import:job-over', text });
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
    if (!end.ok && end.error.id !== 'AUTH-Bs7Ds') throw end.error;
    if (end.ok) users += Number(end.value.details?.totalResult ?? 0);
  }
  return users;
}

async function* slicesOf(source: ImportSource): AsyncGenerator<readonly Entry[]> {
  let people: Entry[] = [];
  for await (const planned of planEntries(source, peopleLists)) {
    const entry = planned.read();
    if (isEntry(entry)) people.push(entry);
    if (people.length < slice) continue;
    yield people;
    people = [];
  }
  if (people.length > 0) yield people;
}

/** What goes inline behind the job: people who did not arrive, and what belongs to them. Asked in the order of sending. */
export function leftBehind(): (entry: Entry) => boolean {
  const missing = new Set<string>();
  return ({ person, owner }) => {
    if (person !== undefined && person.id !== '') missing.add(person.id);
    return person !== undefined || missing.has(owner);
  };
}
