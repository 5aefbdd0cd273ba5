/** Sends the users of a source, several at a time, and counts the results. */
import { availableParallelism } from 'node:os';
import { InterruptedError } from '../../errors.ts';
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import { reasons } from '../../records/reasons.ts';
import { count } from '../../records/tally.ts';
import type { Note } from '../../records/user.ts';
import { resultBefore } from '../runs/journal-users.ts';
import { textOf } from '../incremental/fingerprint.ts';
import { type Reported, tellExisting, tellRejected, tellSkipped, tellWritten } from '../report/results.ts';
import { traitsOf, type Written } from '../records/check-record.ts';
import { readUsers, type SourceUser, type UserSource } from '../source/read-users.ts';
import { isUserInShard } from '../source/shard.ts';
import { createPasswordHasher, type PasswordHasher } from '../hashing/hash-threads.ts';
import { checkWhole } from './create-user-support.ts';
import { createUser, waits, byImport, oneCall } from './create-user.ts';
import type { UserToUpdate } from './find-change.ts';
import { breakCircle, updateUser, type UpdateResult } from './update-user.ts';
import { fingerprintParts } from '../incremental/user-parts.ts';
import type { PreviousState } from '../incremental/previous-table.ts';
import { followUp } from './follow-up.ts';
import { dueMessages, orgOf, reportProgress, type UsersRun } from './run.ts';
import { createSelector, type Selected } from './select-users.ts';

/** Final result of a user who was sent. */
type Settled = Exclude<UpdateResult, typeof waits>;

interface Chosen {
  readonly user: SourceUser;
  readonly record: Written;
  /** What a previous run left of the user. */
  readonly before: PreviousState | undefined;
  /** Hash of a plain password. Undefined if there is nothing to hash. */
  readonly hash: Promise<string> | undefined;
}

/**
 * Calls `onUser` with every user, in their order. Throws errors that end the run. The journal then has everything that was done.
 */
export async function sendUsers(run: UsersRun, source: UserSource, onUser: (user: SourceUser) => void) {
  const waiting: Chosen[] = [];
  const hasher = run.plainPasswords === 'send' ? undefined : createPasswordHasher(availableParallelism());
  const work = async ({ user, selected }: SelectedUser) => {
    const { record } = user;
    if (!selected.take) return tellSkipped(run, reportedOf(run, user), selected.code);
    if (record.kind === 'rejected')
      return tellRejected(run, reportedOf(run, user), record.code, record.detail);
    const queue = selected.mayWait && waiting.length < mostWaiting ? waiting : undefined;
    const hash = beginHash(run, user, hasher);
    await sendUser(run, { user, record, before: selected.before, hash }, queue);
  };
  try {
    // Notices were reported when the source was scanned.
    const users = selectUsers(run, source, onUser);
    await forEachConcurrent(users, run.concurrency, work, () => run.signal.aborted);
    await sendWaiting(run, waiting);
  } finally {
    await hasher?.close();
    await run.journal.saved();
  }
  if (run.signal.aborted) throw new InterruptedError();
}

interface SelectedUser {
  readonly user: SourceUser;
  readonly selected: Selected;
}

async function* selectUsers(
  { selection, fingerprints }: UsersRun,
  source: UserSource,
  onUser: (user: SourceUser) => void,
): AsyncGenerator<SelectedUser> {
  const select = createSelector(selection, fingerprints);
  for await (const user of readUsers(source)) {
    onUser(user);
    const selected = select(user);
    if (isUserInShard(selection.shard, user)) yield { user, selected };
  }
}

function beginHash(run: UsersRun, { number, record }: SourceUser, hasher: PasswordHasher | undefined) {
  if (record.kind !== 'human' || record.plainPassword === '') return undefined;
  if (resultBeforeResume(run, number, record.id) !== undefined) return undefined;
  return hasher?.hash(record.plainPassword);
}

/** Number of users that may wait. They are kept in memory, so others are refused until the next run. */
export const mostWaiting = 5000;

/**
 * Retries users whose name was taken for as long as names become free, then gives up on them. Users go one at a time, because
 * each may free the name of another. The last goes first, because a name is usually freed by a later user. The next round goes
 * the other way. If a round does not help, a circle of names is broken.
 */
async function sendWaiting(run: UsersRun, first: readonly Chosen[]) {
  let helps = true;
  for (let waiting = first; waiting.length > 0;) {
    const queue: Chosen[] = [];
    for (const chosen of waiting.toReversed()) {
      if (run.signal.aborted) return;
      await sendUser(run, chosen, helps ? queue : undefined);
    }
    helps = queue.length < waiting.length || (helps && (await breakCircleOf(run, queue)));
    waiting = queue;
  }
}

async function sendUser(run: UsersRun, chosen: Chosen, queue: Chosen[] | undefined) {
  const settled = resultBeforeResume(run, chosen.user.number, chosen.record.id);
  if (settled !== undefined) return countResult(run, chosen, settled);
  const result = await create(run, chosen, queue !== undefined);
  if (result.state === waits.state) {
    queue?.push(chosen);
    return;
  }
  await countResult(run, chosen, result);
  run.sent.now += 1;
  reportProgress(run);
  // Count the user first, so that the report has it if it is one failure too many.
  if (result.state === 'failed') run.errors.failed(result.detail);
  else if (result.state === 'existed' && run.onExisting === 'fail') run.errors.failed('it exists already');
  else run.errors.arrived();
}

function resultBeforeResume(run: UsersRun, number: number, oldId: string): Settled | undefined {
  const before = resultBefore(run.journal, number);
  if (before === undefined) return undefined;
  const { state, notes, why } = before;
  if (state === 'failed') return { state, ...why };
  if (state !== 'changed') return { state, id: run.ids.created(number, oldId) ?? '' };
  // The journal has only the notes of what the service showed then.
  const isInitial = notes.some(({ code }) => code === 'delta:initial');
  return { state, notes, ...(isInitial ? { signIn: 'answer-email' } : {}) };
}

async function toSend(run: UsersRun, { user: { number }, record, hash }: Chosen, mayWait: boolean) {
  // The plain password stays beside its hash, so that a new salt does not count as a change.
  const ready = hash === undefined ? record : { ...record, passwordHash: await hash };
  const { fingerprints } = run;
  const fingerprint = fingerprints.of(record.id, textOf(record)) + fingerprintParts(fingerprints.key, record);
  return { number, record: ready, fingerprint, mayWait };
}

async function breakCircleOf(run: UsersRun, stuck: readonly Chosen[]) {
  const users: UserToUpdate[] = [];
  for (const chosen of stuck) {
    const { before } = chosen;
    if (before !== undefined) users.push({ ...(await toSend(run, chosen, true)), before });
  }
  return breakCircle(run, users);
}

async function create(run: UsersRun, chosen: Chosen, mayWait: boolean): Promise<UpdateResult> {
  const { before } = chosen;
  const user = await toSend(run, chosen, mayWait);
  if (before !== undefined) {
    const updated = await updateUser(run, { ...user, before });
    // The previous run never learned whether the user was created, so create it now.
    if (updated === waits || updated.state !== 'gone' || before.older[0] !== '') return updated;
  }
  if (run.api === 'v1') return createUser(run, user, byImport);
  return run.first.run(
    user.record,
    () => createUser(run, user, oneCall),
    (result) =>
      result.state === 'created' ? checkWhole(run.client, result.id, user.record) : Promise.resolve(false),
  );
}

async function countResult(run: UsersRun, chosen: Chosen, result: Settled) {
  const { user, record } = chosen;
  const reported = reportedOf(run, user);
  if (result.state === 'gone') return tellSkipped(run, reported, 'user-skipped:gone');
  if (result.state === 'changed') {
    const [left, ...others] = result.notes;
    if (left !== undefined && reasons[left.code].outcome === 'skipped')
      return tellSkipped(run, reported, left.code, others);
    count(run.tally.reasons, 'single:changed');
    const notes = [...notesOf(run, record), ...result.notes];
    const { signIn } = result;
    return countCreated(run, chosen, notes, signIn);
  }
  if (result.state === 'failed') return tellRejected(run, reported, result.code, result.detail);
  if (result.state === 'existed') return tellExisting(run, reported);
  const notes = [...notesOf(run, record), ...(await followUp(run, user.number, result.id, record))];
  if (record.id !== '' && record.id !== result.id) count(run.tally.reasons, 'single:new-id');
  await countCreated(run, { user, record, before: undefined }, notes);
}

function notesOf({ api }: UsersRun, record: Written) {
  // This note is about the bulk import. Here the state has a call of its own, which reports its own failure.
  const notes = record.notes.filter(({ code }) => code !== 'state:needs-v4');
  if (record.kind !== 'human' || api === 'v2') return notes;
  // `_import` leaves these out, and no other call can set them.
  if (record.otpSecret !== '') notes.push({ code: 'single:otp' });
  if (record.recoveryCodeHashes.length + record.recoveryCodes.length > 0)
    notes.push({ code: 'single:recovery-codes' });
  return notes;
}

async function countCreated(
  run: UsersRun,
  chosen: Omit<Chosen, 'hash'>,
  notes: readonly Note[],
  signIn = chosen.record.signIn,
) {
  const { user, record, before } = chosen;
  const traits = traitsOf(record);
  run.tally.metadata += record.metadata.length;
  await tellWritten(run, reportedOf(run, user), {
    traits: { ...traits, otp: traits.otp && run.api === 'v2' && before === undefined },
    signIn: record.kind === 'human' ? (signIn ?? 'password') : undefined,
    messages: record.kind === 'human' ? await dueMessages(run, record, before) : undefined,
    notes,
  });
}

function reportedOf(run: UsersRun, { record, raw }: SourceUser): Reported {
  const { origin, userName } = record;
  const email = record.kind === 'machine' ? '' : record.email;
  return {
    names: { origin, userName, email, orgId: orgOf(run, record) },
    raw: () => raw(run.projectIds),
  };
}
