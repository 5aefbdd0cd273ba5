/** A person who is there and what `_import` left out of them in; the calls that bring it over, each in the journal. */
import type { ApiError } from '../../api/api-error.ts';
import type { Call } from '../../api/client.ts';
import type { ReasonCode } from '../../records/reasons.ts';
import type { MachineRecord, MetadataEntry, Note, UserRecord } from '../../records/user.ts';
import { followUpNumber, type FollowUpKind } from './plan.ts';
import { settleThen, settleUndone, type UsersRun } from './run.ts';
import { State } from '../../journal/states.ts';

/** What is to be said of somebody before the follow-ups. */
export function notesOf(record: UserRecord | MachineRecord): readonly Note[] {
  const dropped = findDropped(record);
  if (record.notes.length === 0) return dropped;
  // That is about the bulk import; here the state comes with a call of its own, which says itself when it failed.
  return [...record.notes.filter(({ code }) => code !== 'state:needs-v4'), ...dropped];
}

/** What `_import` drops and no other call can do; the people are told in the report. */
function findDropped(record: UserRecord | MachineRecord): Note[] {
  if (record.kind !== 'human') return [];
  const dropped: Note[] = [];
  if (record.otpSecret !== '') dropped.push({ code: 'single:otp' });
  if (record.recoveryCodeHashes.length > 0) dropped.push({ code: 'single:recovery-codes' });
  return dropped;
}

/** The follow-ups of a person, in the order of the calls. */
export function followUpsOf(record: UserRecord | MachineRecord): FollowUpKind[] {
  const kinds: FollowUpKind[] = [];
  if (record.metadata.length > 0) kinds.push('metadata');
  if (record.state !== 'active') kinds.push('state');
  return kinds;
}

/** Notes on what could not be done; nothing where all is done or was done by an earlier run. */
export async function followUp(
  run: UsersRun,
  number: number,
  id: string,
  record: UserRecord | MachineRecord,
): Promise<Note[]> {
  const notes: Note[] = [];
  for (const kind of followUpsOf(record)) {
    if (!run.followUp) {
      notes.push({ code: kind === 'metadata' ? 'single:metadata' : 'single:state' });
      continue;
    }
    const entry = followUpNumber(run.plan, kind, number);
    const note =
      kind === 'metadata'
        ? await carryOut(run, entry, metadataCall(run, id, record.metadata), 'single:metadata')
        : await setState(run, entry, id, record.state);
    if (note !== undefined) notes.push(note);
  }
  return notes;
}

export function metadataCall(run: UsersRun, id: string, metadata: readonly MetadataEntry[]): Call {
  const encoded = metadata.map(({ key, value }) => ({
    key,
    value: Buffer.from(value, 'utf8').toString('base64'),
  }));
  return encodedMetadataCall(run, id, encoded);
}

/** Values are base64 already. */
export function encodedMetadataCall(
  { org }: UsersRun,
  id: string,
  metadata: readonly { readonly key: string; readonly value: string }[],
): Call {
  const path = `/management/v1/users/${encodeURIComponent(id)}/metadata/_bulk`;
  return { method: 'POST', path, org, body: { metadata }, repeat: 'safe' };
}

/** Was done before: an answer to the first attempt was lost, or an earlier run did it. */
const doneBefore = new Set(['COMMAND-5M0sf', 'COMMAND-3NN8v']);
/** People who have not answered their first mail cannot be deactivated. */
const stillInitial = 'COMMAND-ke0fw';

function setState(
  run: UsersRun,
  entry: number,
  id: string,
  state: UserRecord['state'],
): Promise<Note | undefined> {
  const call = (action: string): Call => ({
    method: 'POST',
    path: `/management/v1/users/${encodeURIComponent(id)}/${action}`,
    org: run.org,
    body: {},
    repeat: 'safe',
  });
  // Who was disabled must not come in; locking keeps those out as well who cannot be deactivated yet.
  if (state === 'locked') return carryOut(run, entry, call('_lock'), 'single:state');
  return carryOut(run, entry, call('_deactivate'), 'single:state', { whileInitial: call('_lock') });
}

export interface CarryOutOptions {
  /** Made in place of the call where the person is still in the initial state. */
  readonly whileInitial?: Call;
  /** Asked where the service says that there is such a thing already: is it this person's? */
  readonly isThere?: () => Promise<boolean>;
}

/** One call with its intent and its outcome; a note where it was refused. Throws for what concerns all people. */
export async function carryOut(
  run: UsersRun,
  entry: number,
  call: Call,
  code: ReasonCode,
  options: CarryOutOptions = {},
): Promise<Note | undefined> {
  const before = run.journal.states.get(entry);
  if (before === State.created) return undefined;
  if (before === State.failed) return { code, detail: run.earlier.get(entry)?.detail ?? '' };
  const attempt = await run.journal.intend({ at: run.client.serverNow(), entries: [entry], people: [] });
  const error = await attemptCall(run, call, options).catch(async (error: unknown) => {
    await settleUndone(run, attempt);
    throw error;
  });
  if (error === undefined) {
    await settleThen(run, attempt, { created: [entry] }, () => undefined);
    return undefined;
  }
  if (error.status !== 400 && error.status !== 404 && error.status !== 409) {
    await settleUndone(run, attempt);
    throw error;
  }
  const detail = error.text;
  run.followUpsFailed += 1;
  await settleThen(run, attempt, { failed: [{ entry, code, detail }] }, () => undefined);
  return { code, detail };
}

async function attemptCall(
  run: UsersRun,
  call: Call,
  { whileInitial, isThere }: CarryOutOptions,
): Promise<ApiError | undefined> {
  const end = await run.client.attempt(call);
  if (end.ok || doneBefore.has(end.error.id ?? '')) return undefined;
  if (isThere !== undefined && end.error.status === 409 && (await isThere())) return undefined;
  if (whileInitial === undefined || end.error.id !== stillInitial) return end.error;
  const second = await run.client.attempt(whileInitial);
  return second.ok || doneBefore.has(second.error.id ?? '') ? undefined : second.error;
}
