/**
 * Imports through a bucket: the service fetches the body itself. It answers at once, works in the background, and writes errors
 * only to its own log. So this waits until no more users appear, looks up which ones exist, and sends the others inline, which
 * also shows why they were missing.
 */
import { TextMarks } from '../../compact/key-table.ts';
import { warning } from '../../events.ts';
import { search } from '../../api/client.ts';
import { listUsersResponse } from '../../wire/user.ts';
import { type ImportEntry, isEntry, planEntries, type ImportSource } from './entries.ts';
import { orgElements } from '../../targets/bulk/chunk.ts';
import { userLists } from '../../wire/org-entries.ts';
import { lookWhileBusy } from '../reconcile/list-lag.ts';
import { noSuchOrg } from '../reconcile/look-up.ts';
import { findUsersOf, settleOpen } from './lost-answers.ts';
import { numbers, settle } from './results.ts';
import { type BucketJob, type BucketSource, type ImportRun, named } from './run.ts';
import { formatCounted } from '../../lib/format.ts';

/** Number of users in one intent of the journal and in one look-up. */
const slice = 1000;
const pollSeconds = 5;

/** Yields the bare form `{"orgs":[...]}`. With the wrapping of a request, the service would silently import nothing. */
async function* bucketText(source: ImportSource) {
  yield '{"orgs":[';
  yield* orgElements(entriesOf(source));
  yield ']}\n';
}

/** Without those that go to the organization of the request: a request has one, and the body many. */
async function* entriesOf(...planned: Parameters<typeof planEntries>) {
  for await (const { read } of planEntries(...planned)) {
    const entry = read();
    if (isEntry(entry) && entry.asOrg === undefined) yield entry;
  }
}

/**
 * Starts the job unless it was started before a resume, and settles the users that arrived. `left` reports whether an entry is
 * still to be sent inline, undefined if all are. `close` closes the marks of the job in the journal, once the rest is sent.
 */
export async function importByBucket(run: ImportRun, job: BucketJob) {
  const { journal, source } = run;
  // Two intents without entries mark the start and the end of the job.
  const [started, over] = journal.open.filter(({ entries }) => entries.length === 0);
  const marks = [started, over].flatMap((mark) => mark?.attempt ?? []);
  const close = async () => {
    for (const attempt of marks) await settle(run, attempt);
  };
  // Users sent inline before the stop cannot be told from those of the job, so all related entries are sent.
  if (over !== undefined) {
    await settleOpen(run);
    expectOrgs(run, over.at);
    return { left: undefined, close };
  }
  const at = started?.at ?? run.client.serverNow();
  /** Attempts by the number of their first entry. */
  const attempts = new Map(journal.open.map(({ attempt, entries }) => [entries[0], attempt]));
  const text =
    'This import cannot be rolled back: the service does not say which users it creates. The object stays in the bucket with all hashes: delete it afterwards.';
  run.emit(warning('import:bucket', text));
  let generation = started?.object ?? '';
  // Count before the job begins, or what it has already done counts, too.
  const all = await countExpected(run, at);
  if (started === undefined) {
    // The run was stopped before the service knew of the job.
    for (const attempt of attempts.values()) await settle(run, attempt);
    generation = await job.upload(bucketText(source));
    for await (const users of slicesOf(source)) {
      attempts.set(users[0]!.number, await journal.intend({ at, ...named(run, users) }));
    }
    marks.push(await journal.intend({ at, entries: [], users: [], object: generation }));
    await start(run, job.source, [...marks, ...attempts.values()]);
  }
  await waitForJob(run, job, all);
  await job.check(generation);
  let arrived = 0;
  for await (const users of slicesOf(source)) {
    const attempt = attempts.get(users[0]!.number);
    if (attempt === undefined) continue;
    const { ours, older, missing } = await findUsersOf(run, users, at);
    arrived += ours.length;
    // The missing users are counted when they are sent.
    const ends = { created: numbers(ours), existed: numbers(older), unconfirmed: numbers(missing) };
    await journal.settle(attempt, ends);
  }
  marks.push(await journal.intend({ at, entries: [], users: [] }));
  expectOrgs(run, at);
  // Unless the job surely imported users, it may not have imported their related entries either.
  const sure = arrived > 0 && started === undefined;
  return { left: sure ? leftBehind() : undefined, close };
}

/** Lets organizations that are sent again count as the job's own if they are not older than the job. */
function expectOrgs({ journal, source }: ImportRun, at: number) {
  const { from = 0, end = 0 } = source.plan.find(({ list }) => list === 'org') ?? {};
  for (let entry = from; entry < end; entry++) journal.unconfirmed.set(entry, at);
}

/** If the service refuses the job, `attempts` are settled as not done. */
async function start(
  run: ImportRun,
  { bucket, path, serviceAccount }: BucketSource,
  attempts: readonly number[],
) {
  const form = run.body.firstForm ? 'data_orgsv1_gcs' : 'data_orgs_gcs';
  const end = await run.client.attempt({
    method: 'POST',
    path: '/admin/v1/import',
    body: { timeout: run.body.timeout, [form]: { path, bucket, serviceaccount_json: serviceAccount } },
    // A second job finds the users of the first and changes nothing.
    repeat: 'safe',
    timeout: run.answerTimeout,
  });
  if (end.ok) return;
  if (end.error.verdict !== 'unsure') for (const attempt of attempts) await settle(run, attempt);
  throw end.error;
}

/** Returns when all users exist, when no new one has appeared for a while, or when the job has timed out. */
async function waitForJob(run: ImportRun, { stallSeconds }: BucketJob, all: number) {
  const startedAt = run.clock.monotonic();
  let changedAt = startedAt;
  let seen = -1;
  await lookWhileBusy(
    run,
    pollSeconds,
    () => countUsers(run),
    (users) => {
      const now = run.clock.monotonic();
      if (users !== seen) changedAt = now;
      seen = users;
      const isStuck = now - changedAt >= stallSeconds * 1000;
      const isLate = now - startedAt >= run.answerTimeout + stallSeconds * 1000;
      if (users >= all || !(isStuck || isLate)) return users >= all;
      const why = isStuck
        ? `no new user for ${stallSeconds} seconds`
        : `its timeout of ${run.body.timeout} is over`;
      const text = `The service's own job is over or stuck (${why}; ${formatCounted(all - users, 'user')} missing): looking up the users, then sending the missing ones inline.`;
      run.emit(warning('import:job-over', text));
      return true;
    },
  );
}

/** Returns the number of users there will be once the missing ones exist. */
async function countExpected(run: ImportRun, at: number) {
  const users = await countUsers(run);
  let missing = 0;
  for await (const part of slicesOf(run.source)) missing += (await findUsersOf(run, part, at)).missing.length;
  return users + missing;
}

/** Counts the users in all organizations of the body. */
async function countUsers({ client, source: { scan } }: ImportRun) {
  let users = 0;
  for (const orgId of new Set(scan.orgs.map((org) => org.orgId))) {
    const end = await client.attempt(
      search('/management/v1/users/_search', { query: { limit: 1 } }, listUsersResponse, { org: orgId }),
    );
    // The organization is still to be created.
    if (!end.ok && end.error.id !== noSuchOrg) throw end.error;
    if (end.ok) users += Number(end.value.details?.totalResult ?? 0);
  }
  return users;
}

async function* slicesOf(source: ImportSource) {
  let users: ImportEntry[] = [];
  for await (const entry of entriesOf(source, userLists)) {
    users.push(entry);
    if (users.length < slice) continue;
    yield users;
    users = [];
  }
  if (users.length > 0) yield users;
}

/** Selects what to send inline after the job: texts, missing users, related entries. To be called in the order of sending. */
function leftBehind() {
  const owners = new TextMarks();
  return ({ user, owner, asOrg }: ImportEntry) => {
    if (asOrg !== undefined) return true;
    if (user === undefined) return owner !== '' && owners.add(owner, marks.there) === marks.missing;
    if (user.id !== '') owners.add(user.id, marks.missing);
    return true;
  };
}

const marks = { there: 0, missing: 1 };
