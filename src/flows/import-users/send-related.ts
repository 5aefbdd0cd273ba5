/** Sends the user grants of a body once its users exist, and reports entries whose user the body does not have. */
import type { Call } from '../../api/client.ts';
import type { Input } from '../../lib/input.ts';
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import { TextMarks } from '../../compact/key-table.ts';
import { State } from '../../journal/load.ts';
import { count } from '../../records/tally.ts';
import type { Note } from '../../records/user.ts';
import type { SourceUser } from '../source/read-users.ts';
import { isInShard } from '../source/shard.ts';
import { readUserGrants, type BodyUserGrant } from '../../sources/org-data/projects.ts';
import { grantKey } from '../resources/create.ts';
import { listUserGrantPages } from '../resources/user-grants.ts';
import { readOwned } from '../source/owned-entries.ts';
import { runFollowUp } from './follow-up.ts';
import { grantNumber } from '../runs/journal-users.ts';
import { type ListLook, listTimeOf, waitForEntries } from '../reconcile/list-lag.ts';
import type { UsersRun } from './run.ts';

/** Keeps the number of the first user with each source id. */
export function createOldIds() {
  const marks = new TextMarks();
  const find = (what: string, oldId: string) => {
    if (oldId === '') return undefined;
    const number = marks.add(`${what} ${oldId}`, noUser);
    return number === -1 || number === noUser ? undefined : number;
  };
  return {
    add({ record, number }: SourceUser) {
      if (record.kind === 'rejected') marks.add(`rejected ${record.origin.id}`, number);
      else marks.add(`sent ${record.id}`, number);
    },
    isRejected: (oldId: string) => find('rejected', oldId) !== undefined,
    /** Returns undefined if no user that can be sent has this id. */
    find: (oldId: string) => find('sent', oldId),
  };
}

type OldIds = ReturnType<typeof createOldIds>;

const noUser = 2 ** 32 - 1;

/** Sends the user grants. Users from before this run are left as they are. Grants of rejected users are only reported. */
export async function sendRelated(run: UsersRun, inputs: readonly Input[], oldIds: OldIds) {
  await reportUnknownOwners(run, inputs, oldIds);
  if (run.plan.grants === 0) return;
  const work = async ({ index, grant }: NumberedGrant) => {
    const { userId } = grant;
    const user = oldIds.find(userId);
    const id = user === undefined ? undefined : run.ids.created(user, userId);
    const note =
      id === undefined
        ? unsentNote(run, oldIds, userId)
        : await sendGrant(run, grantNumber(run.plan, index), id, grant);
    if (note !== undefined) await noteOwner(run, inputs, index, userId, note);
  };
  try {
    await forEachConcurrent(grantsOf(inputs), run.concurrency, work, () => run.signal.aborted);
  } finally {
    await run.journal.saved();
  }
}

/** Returns why the grant of this user is not sent. Undefined if the user is from before this run or of another shard. */
function unsentNote({ selection: { shard }, journal }: UsersRun, oldIds: OldIds, oldId: string) {
  if (!isInShard(shard, oldId)) return undefined;
  const user = oldIds.find(oldId);
  if (user === undefined) return oldIds.isRejected(oldId) ? rejectedOwner : unknownOwner;
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

interface NumberedGrant {
  readonly index: number;
  readonly grant: BodyUserGrant;
}

async function* grantsOf(inputs: readonly Input[]): AsyncGenerator<NumberedGrant> {
  let index = 0;
  for (const input of inputs)
    for await (const grant of readUserGrants(input)) yield { index: index++, grant };
}

/** Uses the organization that the body names, unless all users go to one organization. */
async function sendGrant(run: UsersRun, entry: number, id: string, grant: BodyUserGrant) {
  const { client, projectIds } = run;
  const { org = grant.org } = run;
  const projectId = projectIds.projects.get(grant.projectId) ?? grant.projectId;
  const projectGrantId = projectIds.grants.get(grantKey(org, grant.projectId)) ?? '';
  const path = `/management/v1/users/${encodeURIComponent(id)}/grants`;
  const { roleKeys } = grant;
  const body = { projectId, ...(projectGrantId === '' ? {} : { projectGrantId }), roleKeys };
  const call: Call = { method: 'POST', path, org, body };
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
