/** Follow-up calls: they set what creating a user leaves out, each with an intent and an outcome in the journal. */
import type { ApiError } from '../../api/api-error.ts';
import type { Call } from '../../api/client.ts';
import { State } from '../../journal/states.ts';
import type { ReasonCode } from '../../records/reasons.ts';
import type { MachineRecord, MetadataEntry, Note, UserRecord } from '../../records/user.ts';
import { followUpNumber, type FollowUpKind, type UsersRun } from './run.ts';

/** The follow-ups of a user, in the order of the calls. */
export function followUpsOf(record: UserRecord | MachineRecord): FollowUpKind[] {
  const kinds: FollowUpKind[] = [];
  if (record.metadata.length > 0) kinds.push('metadata');
  if (record.state !== 'active') kinds.push('state');
  return kinds;
}

/** Notes on what could not be done; none where all is done, now or before a resume. */
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
        ? await carryOut(
            run,
            entry,
            metadataCall(run, id, record.metadata.map(encodeEntry)),
            'single:metadata',
          )
        : await setState(run, entry, id, record.state);
    if (note !== undefined) notes.push(note);
  }
  return notes;
}

const encodeEntry = ({ key, value }: MetadataEntry) => ({
  key,
  value: Buffer.from(value, 'utf8').toString('base64'),
});

/** Values are base64. */
export function metadataCall(
  { org }: UsersRun,
  id: string,
  metadata: readonly { readonly key: string; readonly value: string }[],
): Call {
  const path = `/management/v1/users/${encodeURIComponent(id)}/metadata/_bulk`;
  return { method: 'POST', path, org, body: { metadata }, repeat: 'safe' };
}

/** Already done: an answer to an earlier attempt was lost. */
const alreadyDone = new Set(['COMMAND-5M0sf', 'COMMAND-3NN8v']);
/** Users who have not answered their first email cannot be deactivated. */
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
  // A disabled user must not get in; locking keeps out also those who cannot be deactivated yet.
  if (state === 'locked') return carryOut(run, entry, call('_lock'), 'single:state');
  return carryOut(run, entry, call('_deactivate'), 'single:state', { whileInitial: call('_lock') });
}

export interface CarryOutOptions {
  /** Made instead of the call where the user is still in the initial state. */
  readonly whileInitial?: Call;
  /** Asked where the service says that there is such a thing already: is it this user's? */
  readonly isThere?: () => Promise<boolean>;
}

/** One call; a note where it was refused. Throws for what concerns all users. */
export async function carryOut(
  run: UsersRun,
  entry: number,
  call: Call,
  code: ReasonCode,
  options: CarryOutOptions = {},
): Promise<Note | undefined> {
  const { journal } = run;
  const before = journal.states.get(entry);
  if (before === State.created) return undefined;
  if (before === State.failed) return { code, detail: run.failures.get(entry)?.detail ?? '' };
  const attempt = await journal.intend({ at: run.client.serverNow(), entries: [entry], users: [] });
  const error = await attemptCall(run, call, options).catch(async (error: unknown) => {
    await journal.settle(attempt);
    throw error;
  });
  if (error === undefined) {
    await journal.settleSoon(attempt, { created: [entry] });
    return undefined;
  }
  if (error.status !== 400 && error.status !== 404 && error.status !== 409) {
    await journal.settle(attempt);
    throw error;
  }
  const detail = error.text;
  run.followUpsFailed += 1;
  await journal.settleSoon(attempt, { failed: [{ entry, code, detail }] });
  return { code, detail };
}

async function attemptCall(
  run: UsersRun,
  call: Call,
  { whileInitial, isThere }: CarryOutOptions,
): Promise<ApiError | undefined> {
  const end = await run.client.attempt(call);
  if (end.ok || alreadyDone.has(end.error.id ?? '')) return undefined;
  if (isThere !== undefined && end.error.status === 409 && (await isThere())) return undefined;
  if (whileInitial === undefined || end.error.id !== stillInitial) return end.error;
  const second = await run.client.attempt(whileInitial);
  return second.ok || alreadyDone.has(second.error.id ?? '') ? undefined : second.error;
}
