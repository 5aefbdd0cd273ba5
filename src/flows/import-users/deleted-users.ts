/** `--deleted`: what becomes at the target of users who were deleted in the source since the previous runs. */
import type { Client } from '../../api/client.ts';
import { IdportError } from '../../errors.ts';
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import { formatCount, formatCounted } from '../../lib/format.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Left } from '../../journal/lines.ts';
import type { PreviousRuns, VanishedUser } from '../incremental/previous-runs.ts';
import {
  isStateThere,
  isThere,
  readUserV2,
  removeUser,
  stateActions,
  userPath,
  writtenAt,
} from '../reconcile/find-users.ts';

export type DeletedRule = 'report' | 'deactivate' | 'delete';

/** Concurrent requests. */
const atOnce = 16;

/**
 * Acts only on users that the previous runs created, and before new users are sent, because those may have their names. A user
 * that is already deactivated or gone is no error. Returns a sentence. Throws `ApiError`, and `delta:too-many-deleted` before it
 * does anything.
 */
export async function settleDeleted(
  client: Client,
  previous: PreviousRuns,
  rule: DeletedRule,
  journal: Journal | undefined,
): Promise<string> {
  if (rule === 'report') return 'They stay at the target.';
  let due = 0;
  for await (const { id } of previous.vanished()) if (id !== undefined) due += 1;
  // A source that was read in the wrong place looks like one whose users were all deleted.
  if (2 * due > previous.users) {
    throw new IdportError(
      'delta:too-many-deleted',
      `${formatCount(due)} of ${formatCounted(previous.users, 'user')} that previous runs created are no longer in the source: no user was sent`,
      'Check that this is the right source. To continue anyway, give --deleted=report.',
    );
  }
  const counts = { done: 0, before: 0, kept: 0 };
  const end = rule === 'delete' ? remove : deactivate;
  const settle = async ({ id, named: user }: VanishedUser) => {
    const noteLeft: NoteLeft = async (left) => journal?.left({ user, ...left });
    if (id === undefined) counts.kept += 1;
    else counts[(await end(client, id, noteLeft)) ? 'done' : 'before'] += 1;
  };
  await forEachConcurrent(previous.vanished(), atOnce, settle);
  const verb = rule === 'delete' ? 'deleted' : 'deactivated';
  const parts = [
    [counts.done, verb],
    [counts.before, `${verb} or gone before`],
    [counts.kept, 'left, as no previous run created them'],
  ] as const;
  const said = parts.flatMap(([count, what]) => (count === 0 ? [] : [`${formatCount(count)} ${what}`]));
  return `At the target: ${said.join(', ')}.`;
}

/** In the journal before and after the request: a user who comes back is created or activated again. */
type NoteLeft = (left: Omit<Left, 'user'>) => Promise<void>;

/** False where the user was not there. */
async function remove(client: Client, id: string, noteLeft: NoteLeft) {
  const at = client.serverNow();
  await noteLeft({ id, at, done: 'deleting' });
  const wasThere = await removeUser(client, id);
  await noteLeft({ id, at, done: 'deleted' });
  return wasThere;
}

/** False where the user is inactive, or not there. */
async function deactivate(client: Client, id: string, noteLeft: NoteLeft) {
  const found = await readUserV2(client, id);
  if (found === undefined || !isThere(found)) return false;
  // A lock may be taken away at the service, by an admin who does not know that the user is gone.
  const action = found.state === 'USER_STATE_LOCKED' ? 'deactivate' : stateActions.inactive[found.state];
  if (action === undefined) return false;
  const left = { id, at: client.serverNow(), done: 'deactivated', changedAt: writtenAt(found) } as const;
  await noteLeft(left);
  const answer = { parse: writtenAt };
  const end = await client.attempt({ method: 'POST', path: `${userPath(id)}/${action}`, body: {}, answer });
  if (end.ok) await noteLeft({ ...left, writtenAt: end.value });
  else if (end.error.status === 404) return false;
  else if (!isStateThere(end.error)) throw end.error;
  return true;
}
