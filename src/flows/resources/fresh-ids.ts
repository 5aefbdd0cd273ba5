/** The ids of projects that were deleted at the target stay half taken: their roles and applications cannot be made again. */
import type { Client } from '../../api/client.ts';
import { type Emit, note } from '../../events.ts';
import { deriveId } from '../../records/role.ts';
import type { Resource } from '../../records/resource.ts';
import type { OrgIds } from '../../sources/org-data/with-org-ids.ts';
import { forEachEvent, idOf } from '../reconcile/event-log.ts';

/**
 * Ids to take instead, by those of the body, of such projects and of their applications: the next ones of a fixed order, so
 * that every run takes the same. None where the token may not read the log of events.
 */
export async function findFreshIds(
  client: Client,
  resources: readonly Resource[],
  emit: Emit,
): Promise<OrgIds> {
  const ids = new Map<string, string>();
  const projects = resources.filter(({ kind }) => kind === 'project');
  const removed = projects.length === 0 ? new Set<string>() : await listRemovedProjects(client);
  for (const { id, name } of projects) {
    let fresh = id;
    for (let next = 2; removed.has(fresh); next++) fresh = deriveId('project again', id, String(next));
    if (fresh === id) continue;
    ids.set(id, fresh);
    for (const one of resources) {
      if (one.kind === 'app' && one.parent === id) ids.set(one.id, deriveId('application', fresh, one.id));
    }
    const text = `Project ${id} ${name} was deleted at the target, and its roles stay taken: it gets the id ${fresh}.`;
    emit(note('role:removed', text));
  }
  return ids;
}

async function listRemovedProjects(client: Client): Promise<Set<string>> {
  const ids = new Set<string>();
  await forEachEvent(client, { eventTypes: ['project.removed'] }, (event) => ids.add(idOf(event)));
  return ids;
}
