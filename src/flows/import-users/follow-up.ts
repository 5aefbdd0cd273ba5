/** Makes follow-up calls. They set what creating a user leaves out, each with an intent and an outcome in the journal. */
import type { Attempt, Call } from '../../api/client.ts';
import { State } from '../../journal/load.ts';
import type { ReasonCode } from '../../records/reasons.ts';
import type { Note, AcceptedRecord } from '../../records/user.ts';
import { isStateThere, writtenAt } from '../reconcile/find-users.ts';
import { encodeMetadataEntry } from '../../targets/human-user.ts';
import type { Api } from './create-user-support.ts';
import { followUpNumber, type FollowUpKind } from '../runs/journal-users.ts';
import { orgOf, type UsersRun } from './run.ts';

/** Returns the follow-ups of a user, in the order of the calls. */
export function followUpsOf(record: AcceptedRecord, api: Api) {
  const kinds: FollowUpKind[] = [];
  if (api === 'v1' && record.metadata.length > 0) kinds.push('metadata');
  if (record.state !== 'active') kinds.push('state');
  return kinds;
}

/** Returns notes on refused calls. Empty if all are done, now or before a resume. */
export async function followUp(run: UsersRun, number: number, id: string, record: AcceptedRecord) {
  const notes: Note[] = [];
  for (const kind of followUpsOf(record, run.api)) {
    const entry = followUpNumber(run.plan, kind, number);
    const note = await runFollowUp(run, { entry, ...callOf(kind, id, record, orgOf(run, record)) });
    if (note !== undefined) notes.push(note);
  }
  return notes;
}

function callOf(kind: FollowUpKind, id: string, record: AcceptedRecord, org: string) {
  const post = (action: string, body: object = {}): Call => ({
    method: 'POST',
    path: `/management/v1/users/${encodeURIComponent(id)}/${action}`,
    org,
    body,
  });
  if (kind === 'metadata') {
    const call = post('metadata/_bulk', { metadata: record.metadata.map(encodeMetadataEntry) });
    return { call, code: 'single:metadata' } as const;
  }
  // A disabled user must not get in. Locking also works for users who cannot be deactivated yet.
  const calls =
    record.state === 'locked'
      ? { call: post('_lock') }
      : { call: post('_deactivate'), whileInitial: post('_lock') };
  return { ...calls, code: 'single:state' } as const;
}

/** Error id of the service: users who have not answered their first email cannot be deactivated. */
const stillInitial = 'COMMAND-ke0fw';

interface FollowUpCall {
  /** Number of the call in the journal. */
  readonly entry: number;
  readonly call: Call;
  /** Code of the note if the call is refused. */
  readonly code: ReasonCode;
  /** Made instead of the call if the user is still in the initial state. */
  readonly whileInitial?: Call;
  /** Reports whether what already exists, if the service says so, is this user's. */
  readonly isThere?: () => Promise<boolean>;
}

/** Returns a note if the call was refused. Throws errors that concern all users. */
export async function runFollowUp(run: UsersRun, followUp: FollowUpCall): Promise<Note | undefined> {
  const { journal } = run;
  const { entry, code } = followUp;
  const before = journal.states.get(entry);
  if (before === State.created) return undefined;
  const refused = (detail: string) => {
    run.followUpsFailed += 1;
    return { code, detail };
  };
  if (before === State.failed) return refused(journal.troubles.get(entry)?.[0]?.detail ?? '');
  const at = run.client.serverNow();
  const attempt = await journal.intend({ at, entries: [entry], users: [] });
  const end = await attemptCall(run, followUp).catch(async (error: unknown) => {
    await journal.settle(attempt);
    throw error;
  });
  if (end.ok) {
    await journal.settleSoon(attempt, { created: [entry], writtenAt: end.value });
    return undefined;
  }
  const { error } = end;
  if (error.status !== 400 && error.status !== 404 && error.status !== 409) {
    await journal.settle(attempt);
    throw error;
  }
  const note = refused(error.text);
  await journal.settleSoon(attempt, { failed: [{ entry, ...note }] });
  return note;
}

/** The value is the time of the write, if the service says it. */
async function attemptCall({ client }: UsersRun, { call, whileInitial, isThere }: FollowUpCall) {
  const attempt = async (one: Call): Promise<Attempt<number | undefined>> => {
    const end = await client.attempt<number | undefined>({ ...one, answer: { parse: writtenAt } });
    const isDone = end.ok || isStateThere(end.error) || (end.error.status === 409 && (await isThere?.()));
    return !end.ok && isDone ? { ok: true, value: undefined } : end;
  };
  const end = await attempt(call);
  return whileInitial !== undefined && !end.ok && end.error.id === stillInitial ? attempt(whileInitial) : end;
}
