/** `--deleted`: applies deletions in the source since the previous runs to the users at the target. */
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

/** Number of concurrent requests. */
const atOnce = 16;

/**
 * Acts only on users that the previous runs created. Runs before new users are sent, because those may have the same names. A
 * user that is already deactivated or gone is no error. Returns a sentence. Throws `ApiError`, or `delta:too-many-deleted` before
 * anything is done.
 */
export async function settleDeleted(
  client: Client,
  previous: PreviousRuns,
  rule: Exclude<DeletedRule, 'report'>,
  journal: Journal,
) {
  let due = 0;
  for (const { id } of previous.vanished()) if (id !== undefined) due += 1;
  // If the wrong source is read, all users seem to be deleted.
  if (2 * due > previous.users) {
    throw new IdportError(
      'delta:too-many-deleted',
      `${formatCount(due)} of ${formatCounted(previous.users, 'user')} that previous runs created are no longer in the source: no user was sent`,
      'Check that this is the right source. To continue anyway, pass --deleted=report.',
    );
  }
  const counts = { done: 0, before: 0, kept: 0 };
  const end = rule === 'delete' ? remove : deactivate;
  const settle = async ({ id, named: user }: VanishedUser) => {
    const noteLeft: NoteLeft = async (left) => journal.left({ user, ...left });
    if (id === undefined) counts.kept += 1;
    else counts[(await end(client, id, noteLeft)) ? 'done' : 'before'] += 1;
  };
  await forEachConcurrent(previous.vanished(), atOnce, settle);
  const verb = rule === 'delete' ? 'deleted' : 'deactivated';
  const { done, before, kept } = counts;
  const said = [
    done > 0 && `${formatCount(done)} ${verb}`,
    before > 0 && `${formatCount(before)} ${verb} or gone before`,
    kept > 0 && `${formatCount(kept)} left, as no previous run created them`,
  ];
  return `At the target: ${said.filter(Boolean).join(', ')}.`;
}

/** Writes to the journal before and after the request, so that a user who comes back is created or activated again. */
type NoteLeft = (left: Omit<Left, 'user'>) => Promise<void>;

/** Returns false if the user did not exist. */
async function remove(client: Client, id: string, noteLeft: NoteLeft) {
  const at = client.serverNow();
  await noteLeft({ id, at, done: 'deleting' });
  const wasThere = await removeUser(client, id);
  await noteLeft({ id, at, done: 'deleted' });
  return wasThere;
}

/** Returns false if the user is already inactive or does not exist. */
async function deactivate(client: Client, id: string, noteLeft: NoteLeft) {
  const found = await readUserV2(client, id);
  if (found === undefined || !isThere(found)) return false;
  // A lock is not enough: an admin may remove it without knowing that the user was deleted in the source.
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
