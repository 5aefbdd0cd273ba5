/** Users and counts as the control interface shows them, without secrets. */
import type { UserRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { countMessages } from '../users/notifications.ts';

export function showUser(user: UserRow) {
  const { more } = user;
  return {
    id: user.id,
    orgId: user.orgId,
    kind: user.kind,
    userName: user.userName,
    status: user.status,
    created: new Date(user.created).toISOString(),
    firstName: user.firstName,
    lastName: user.lastName,
    email: user.email,
    emailVerified: user.emailVerified,
    phone: more?.phone ?? '',
    language: user.language,
    /** `bcrypt`'s is `2a`; empty when there is no password. */
    hash: /^\$([\w-]+)\$/.exec(user.passwordHash)?.[1] ?? (user.passwordHash === '' ? '' : 'other'),
    otp: more?.otpSecret !== undefined,
    recoveryCodes: more?.recoveryCodes?.length ?? 0,
    passwordChangeRequired: more?.passwordChangeRequired ?? false,
    metadataKeys: Object.keys(more?.metadata ?? {}),
    links: (more?.links ?? []).map(({ idpId, externalUserId }) => ({ idpId, externalUserId })),
  };
}

/** How many of everything there are. */
export function countState(store: Store) {
  const status: Record<string, number> = {};
  let humans = 0;
  let withPassword = 0;
  for (const user of store.users.values()) {
    if (user.kind !== 'human') continue;
    humans++;
    if (user.passwordHash !== '') withPassword++;
    status[user.status] = (status[user.status] ?? 0) + 1;
  }
  return {
    orgs: store.orgs.size,
    users: { human: humans, machine: store.users.size - humans, withPassword, status },
    notifications: countMessages(store),
    projects: store.projects.size,
    userGrants: store.userGrants.size,
    members: store.members.size,
    machineKeys: store.machineKeys.size,
    idps: store.idps.size,
    targets: store.targets.size,
    executions: store.executions.size,
  };
}
