/** Sends the users of a source, several at a time, and counts the results; then the user grants of a body, whose users exist by now. */
import { availableParallelism } from 'node:os';
import { InterruptedError } from '../../errors.ts';
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import { reasons } from '../../records/reasons.ts';
import { count } from '../../records/tally.ts';
import type { Note } from '../../records/user.ts';
import { resultBefore, grantNumber } from '../runs/journal-users.ts';
import { textOf, fingerprintParts, type PreviousState } from '../incremental/fingerprint.ts';
import {
  type Reported,
  tellExisting,
  tellRejected,
  tellSkipped,
  tellWritten,
} from '../report/run-outputs.ts';
import { traitsOf, type Written } from '../read/check-record.ts';
import { readUsers, type SourceUser, type UserSource, isUserInShard, isInShard } from '../read/read-users.ts';
import { readOwned } from '../read/owned-entries.ts';
import { createPasswordHasher, type PasswordHasher } from '../hashing/hash-threads.ts';
import { createUser, waits, byImport, oneCall } from './create-user.ts';
import { updateUser, type UpdateResult } from './update-user.ts';
import { followUp, runFollowUp } from './follow-up.ts';
import { dueMessages, orgOf, reportProgress, type UsersRun } from './run.ts';
import { createSelector } from './select-users.ts';
import type { Call } from '../../api/client.ts';
import type { Input } from '../../lib/input.ts';
import { TextMarks } from '../../compact/key-table.ts';
import { State } from '../../journal/load.ts';
import { readUserGrants, type BodyUserGrant } from '../../sources/org-data/projects.ts';
import { grantKey } from '../resources/create.ts';
import { listUserGrantPages } from '../resources/user-grants.ts';
import { type ListLook, listTimeOf, waitForEntries } from '../reconcile/list-lag.ts';

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
  const select = createSelector(run.selection, run.fingerprints);
  const work = async (user: SourceUser) => {
    onUser(user);
    const selected = select(user);
    if (!isUserInShard(run.selection.shard, user)) return;
    const { record } = user;
    if (typeof selected === 'string') return tellSkipped(run, reportedOf(run, user), selected);
    if (record.kind === 'rejected')
      return tellRejected(run, reportedOf(run, user), record.code, record.detail);
    const queue = selected.mayWait && waiting.length < mostWaiting ? waiting : undefined;
    const hash = beginHash(run, user, hasher);
    await sendUser(run, { user, record, before: selected.before, hash }, queue);
  };
  try {
    // Notices were reported when the source was scanned.
    await forEachConcurrent(readUsers(source), run.concurrency, work, run.signal);
    await sendWaiting(run, waiting);
  } finally {
    await hasher?.close();
    await run.journal.saved();
  }
  if (run.signal.aborted) throw new InterruptedError();
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
 * the other way.
 */
async function sendWaiting(run: UsersRun, first: readonly Chosen[]) {
  let helps = true;
  for (let waiting = first; waiting.length > 0;) {
    const queue: Chosen[] = [];
    for (const chosen of waiting.toReversed()) {
      if (run.signal.aborted) return;
      await sendUser(run, chosen, helps ? queue : undefined);
    }
    helps = queue.length < waiting.length;
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
  const unwanted = result.state === 'existed' && run.onExisting === 'fail' ? 'it exists already' : undefined;
  run.errors(result.state === 'failed' ? result.detail : unwanted);
}

function resultBeforeResume(run: UsersRun, number: number, oldId: string): Settled | undefined {
  const before = resultBefore(run.journal, number);
  if (before === undefined) return undefined;
  const { state, notes, why } = before;
  if (state === 'failed') return { state, ...why };
  if (state !== 'changed') return { state, id: run.ids.created(number, oldId) ?? '' };
  // The journal has only the notes of what the service showed then.
  const isInitial = notes.some(({ code }) => code === 'delta:initial');
  return { state, notes, signIn: isInitial ? 'answer-email' : undefined };
}

async function create(run: UsersRun, chosen: Chosen, mayWait: boolean): Promise<UpdateResult> {
  const {
    before,
    hash,
    user: { number },
  } = chosen;
  // The plain password stays beside its hash, so that a new salt does not count as a change.
  const record = hash === undefined ? chosen.record : { ...chosen.record, passwordHash: await hash };
  const { fingerprints } = run;
  const fingerprint = fingerprints.of(record.id, textOf(record)) + fingerprintParts(fingerprints.key, record);
  const user = { number, record, fingerprint, mayWait };
  if (before !== undefined) {
    const updated = await updateUser(run, { ...user, before });
    // The previous run never learned whether the user was created, so create it now.
    if (updated === waits || updated.state !== 'gone' || before.older[0] !== '') return updated;
  }
  if (run.api === 'v1') return createUser(run, user, byImport);
  return run.first(record, () => createUser(run, user, oneCall));
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
    return countCreated(run, chosen, [...notesOf(run, record), ...result.notes], result.signIn);
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
    notes.push({ code: 'mfa:recovery-codes' });
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

/** Keeps the number of the first user with each source id. */
export function createOldIds() {
  const marks = new TextMarks();
  return {
    add({ record, number }: SourceUser) {
      if (record.kind === 'rejected') marks.add(`rejected ${record.origin.id}`, number);
      else marks.add(`sent ${record.id}`, number);
    },
    /** Returns undefined if no such user has this id. */
    find(what: 'rejected' | 'sent', oldId: string) {
      const number = oldId === '' ? -1 : marks.add(`${what} ${oldId}`, noUser);
      return number === -1 || number === noUser ? undefined : number;
    },
  };
}

type OldIds = ReturnType<typeof createOldIds>;

const noUser = 2 ** 32 - 1;

/** Sends the user grants. Users from before this run are left as they are. Grants of rejected users are only reported. */
export async function sendRelated(run: UsersRun, inputs: readonly Input[], oldIds: OldIds) {
  await reportUnknownOwners(run, inputs, oldIds);
  if (run.plan.grants === 0) return;
  let next = 0;
  const work = async (grant: BodyUserGrant) => {
    const index = next++;
    const { userId } = grant;
    const user = oldIds.find('sent', userId);
    const id = user === undefined ? undefined : run.ids.created(user, userId);
    const note =
      id === undefined
        ? unsentNote(run, oldIds, userId)
        : await sendGrant(run, grantNumber(run.plan, index), id, grant);
    if (note !== undefined) await noteOwner(run, inputs, index, userId, note);
  };
  try {
    await forEachConcurrent(readUserGrants(inputs), run.concurrency, work, run.signal);
  } finally {
    await run.journal.saved();
  }
}

/** Returns why the grant of this user is not sent. Undefined if the user is from before this run or of another shard. */
function unsentNote({ selection: { shard }, journal }: UsersRun, oldIds: OldIds, oldId: string) {
  if (!isInShard(shard, oldId)) return undefined;
  const user = oldIds.find('sent', oldId);
  if (user === undefined) return oldIds.find('rejected', oldId) === undefined ? unknownOwner : rejectedOwner;
  return journal.states.get(user) === State.failed ? rejectedOwner : undefined;
}

const rejectedOwner: Note = { code: 'single:rejected-owner' };
const unknownOwner: Note = { code: 'single:unknown-owner' };

/** Reports metadata and links that name no user of the body. All others were sent with their users. */
async function reportUnknownOwners(run: UsersRun, inputs: readonly Input[], oldIds: OldIds) {
  let index = 0;
  for await (const { owner: id } of readOwned(inputs)) {
    const at = index++;
    // What belongs to a rejected user is in the rejects file.
    const note = unsentNote(run, oldIds, id);
    if (note === unknownOwner) await noteOwner(run, inputs, at, id, note);
  }
}

async function noteOwner(run: UsersRun, inputs: readonly Input[], index: number, id: string, note: Note) {
  count(run.tally.reasons, note.code);
  const origin = { input: inputs[0]?.name ?? '', index, id };
  await run.log.note({ origin, userName: '', email: '', outcome: 'noted', reasons: [note] });
}

/** Uses the organization that the body names, unless all users go to one organization. */
async function sendGrant(run: UsersRun, entry: number, id: string, grant: BodyUserGrant) {
  const { client, projectIds } = run;
  const { org = grant.org } = run;
  const projectId = projectIds.projects.get(grant.projectId) ?? grant.projectId;
  const projectGrantId = projectIds.grants.get(grantKey(org, grant.projectId));
  const path = `/management/v1/users/${encodeURIComponent(id)}/grants`;
  const { roleKeys } = grant;
  const call: Call = { method: 'POST', path, org, body: { projectId, projectGrantId, roleKeys } };
  const expected = roleKeys.toSorted().join('\n');
  const look = async (): Promise<ListLook> => {
    let time: number | undefined;
    for await (const { result, details } of listUserGrantPages(client, org, projectId, id)) {
      time = listTimeOf(details);
      if (result.some((one) => one.roleKeys.toSorted().join('\n') === expected)) return { isShown: true };
    }
    return { isShown: false, time };
  };
  const isThere = async () => (await waitForEntries(run, 'user grants', look)).state === 'shown';
  return runFollowUp(run, { entry, call, code: 'single:grant', isThere });
}
