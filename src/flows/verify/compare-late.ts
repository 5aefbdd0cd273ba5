/** Compares metadata and links that differ again once their lists have come to rest: each lags behind writes on its own. */
import { ApiError } from '../../api/api-error.ts';
import type { Client } from '../../api/client.ts';
import { waitUntilShown, type DetailList, type ListContext, type ListLook } from '../reconcile/list-lag.ts';
import type { ExpectedUsers } from './expected-users.ts';
import { readDetail } from './read-details.ts';

export interface LateRequest {
  readonly client: Client;
  readonly orgs: readonly string[];
  readonly users: ExpectedUsers;
  /** The number of each user and its id in the source, in order; called only where users have to be asked for. */
  readonly ids: () => AsyncIterable<readonly [user: number, id: string]>;
}

const laggingFields = ['metadata', 'links'] as const satisfies readonly DetailList[];
type LaggingField = DetailList;

/** `askAgain` compares the users that differ in a field. Those that cannot be compared in time are postponed. */
export async function compareLate(
  request: LateRequest,
  context: ListContext,
  askAgain: (field: LaggingField) => Promise<void>,
): Promise<void> {
  for (const field of laggingFields) {
    for (let end: 'shown' | 'complete' | 'late' | undefined = 'shown'; end === 'shown';) {
      const probe = await findLast(request, field);
      if (probe === undefined) break;
      const look = (): Promise<ListLook> => lookAt(request, field, probe);
      const { userId } = probe;
      end = await waitUntilShown(context, { list: field, userId }, look).catch(ignoreRefusal);
      if (end === undefined) break;
      await askAgain(field);
      if (end === 'late') postpone(request, field);
    }
  }
}

interface Probe {
  readonly user: number;
  /** At the target. */
  readonly userId: string;
}

/** The last user that differs: imports write in the order of the source. */
async function findLast({ users, ids }: LateRequest, field: LaggingField): Promise<Probe | undefined> {
  let any = false;
  for (let user = 0; user < users.size && !any; user++) any = users.differsIn(user, field);
  if (!any) return undefined;
  let last: Probe | undefined;
  for await (const [user, id] of ids())
    if (users.differsIn(user, field)) last = { user, userId: users.targetId(user, id) };
  return last;
}

async function lookAt(
  { client, orgs, users }: LateRequest,
  field: LaggingField,
  { user, userId }: Probe,
): Promise<ListLook> {
  let time: number | undefined;
  const toRead = { client, org: orgs[users.orgOf(user)]!, id: userId };
  const entries = await readDetail[field](toRead, (at) => (time = at));
  users.compareDetail(user, field, entries);
  return { isShown: !users.differsIn(user, field), time };
}

/** Then the comparison before holds. */
function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.verdict !== 'refused') throw error;
}

function postpone({ users }: LateRequest, field: LaggingField): void {
  for (let user = 0; user < users.size; user++) {
    if (users.differsIn(user, field)) users.postpone(user, field);
  }
}
