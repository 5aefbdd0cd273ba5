/** Grants roles of a project to a user. */
import type { ServerState } from '../context.ts';
import { refusal, notUnique } from '../errors.ts';
import type { UserGrantRow } from '../store/rows.ts';

export interface NewUserGrant {
  readonly userId: string;
  readonly projectId: string;
  readonly projectGrantId: string;
  readonly roleKeys: readonly string[];
}

/** The project must be the org's own, or granted to it; the roles must be among those that it has or was given. */
export function addUserGrant(state: ServerState, orgId: string, requested: NewUserGrant): UserGrantRow {
  const { store, settings } = state;
  const { userId, projectId, roleKeys } = requested;
  if (!store.users.has(userId)) throw refusal('COMMAND-4f8sg');
  const project = store.projects.get(projectId);
  const grant =
    requested.projectGrantId === ''
      ? store.projectGrants.by('project', projectId).find((each) => each.grantedOrgId === orgId)
      : store.projectGrants.get(requested.projectGrantId);
  // Of a project of one's own, the service takes the id of any project grant.
  const owned = project?.orgId === orgId;
  if (!owned && grant === undefined && requested.projectGrantId === '') throw refusal('COMMAND-4m9ff');
  if (!owned && (grant === undefined || grant.projectId !== projectId || grant.grantedOrgId !== orgId)) {
    throw refusal('COMMAND-huvKF');
  }
  const known = owned
    ? (key: string) => store.roles.has(`${projectId}/${key}`)
    : (key: string) => grant!.roleKeys.includes(key);
  if (!roleKeys.every(known)) throw refusal('COMMAND-mm9F4');
  const projectGrantId = owned ? requested.projectGrantId : grant!.id;
  const taken = store.userGrants
    .by('user', userId)
    .some(
      (each) =>
        each.projectId === projectId && each.orgId === orgId && each.projectGrantId === projectGrantId,
    );
  if (taken) throw notUnique('UserGrant');
  return store.userGrants.put({
    id: store.nextId(),
    orgId,
    userId,
    projectId,
    projectGrantId,
    roleKeys,
    created: settings.clock.now(),
    sequence: 1,
  });
}
