/** Removes an organization with everything in it. It and its users can still be read, and the ids of its users stay taken. */
import type { ServerState } from './context.ts';
import { refusal } from './errors.ts';
import type { OrgRow } from './store/rows.ts';
import { removeUser } from './users/change.ts';

export function removeOrg(state: ServerState, id: string): OrgRow {
  const { store } = state;
  const org = store.orgs.get(id);
  if (org === undefined) throw refusal('COMMA-aps2n');
  if (id === store.instance.defaultOrgId) throw refusal('COMMA-wG9p1');
  for (const user of store.users.by('org', id)) {
    removeUser(state, user);
    store.goneUsers.put(user);
    store.removed.delete(user.id);
  }
  const { projects, roles, apps, appKeys, machineKeys, scripts, triggers } = store;
  const { projectGrants, userGrants, members, idps } = store;
  for (const table of [projects, roles, apps, appKeys, machineKeys, scripts, triggers])
    table.deleteBy('org', id);
  for (const table of [projectGrants, userGrants, members, idps]) table.deleteBy('org', id);
  store.orgs.delete(id);
  const removed = state.settings.clock.now();
  return store.goneOrgs.put({ ...org, removed, changed: removed, sequence: org.sequence + 1 });
}
