/** The default roles of the service and their permissions, as far as a method here asks for them. */

/** `org.idp rwd` stands for org.idp.read, .write and .delete; a name without letters stands for itself. */
const letters: Readonly<Record<string, string>> = { r: 'read', w: 'write', d: 'delete', c: 'create' };

function expand(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => {
    const [name, verbs] = line.split(' ') as [string, string | undefined];
    if (verbs === undefined) return [name];
    return Array.from(verbs, (letter) => `${name}.${letters[letter]}`);
  });
}

const orgManagement = [
  'org rwdc',
  'org.global.read',
  'org.member rwd',
  'org.idp rwd',
  'org.action rwd',
  'org.flow rwd',
  'org.feature rwd',
  'user rwd',
  'user.global.read',
  'user.grant rwd',
  'user.membership.read',
  'user.credential.write',
  'user.passkey.write',
  'user.feature rwd',
  'policy rwd',
  'project rwdc',
  'project.member rwd',
  'project.role rwd',
  'project.app rw',
  'project.grant rwd',
  'project.grant.member rwd',
  'session rd',
  'group rwdc',
  'group.user rwd',
];

const orgReading = [
  'org.read',
  'org.member.read',
  'org.idp.read',
  'org.action.read',
  'org.flow.read',
  'org.feature.read',
  'user.read',
  'user.global.read',
  'user.grant.read',
  'user.membership.read',
  'user.feature.read',
  'policy.read',
  'project.read',
  'project.member.read',
  'project.role.read',
  'project.app.read',
  'project.grant.read',
  'project.grant.member.read',
  'group.read',
  'group.user.read',
];

const grantEditing = [
  'org.read',
  'org.member.read',
  'user.read',
  'user.global.read',
  'user.grant rwd',
  'policy.read',
  'project.read',
  'project.member.read',
  'project.role.read',
  'project.app.read',
  'project.grant.read',
  'project.grant.member.read',
];

const projectReading = [
  'policy.read',
  'project.read',
  'project.member.read',
  'project.role.read',
  'project.app.read',
  'project.grant.read',
  'project.grant.member.read',
  'user.read',
  'user.global.read',
  'user.grant.read',
  'user.membership.read',
];

const roles: Readonly<Record<string, readonly string[]>> = {
  IAM_OWNER: [
    'iam rw',
    'iam.policy rwd',
    'iam.member rwd',
    'iam.idp rwd',
    'iam.action rwd',
    'iam.flow rwd',
    'iam.feature rwd',
    'iam.restrictions rw',
    'iam.web_key rwd',
    'iam.debug rw',
    ...orgManagement,
    'project.app.delete',
    'session.write',
    'events.read',
    'milestones.read',
    'action.target rwd',
    'action.execution rw',
    'userschema rwd',
  ],
  IAM_OWNER_VIEWER: [
    'iam.read',
    'iam.policy.read',
    'iam.member.read',
    'iam.idp.read',
    'iam.action.read',
    'iam.flow.read',
    'iam.restrictions.read',
    'iam.feature.read',
    'iam.web_key.read',
    'iam.debug.read',
    ...orgReading,
    'events.read',
    'milestones.read',
    'action.target.read',
    'action.execution.read',
    'userschema.read',
    'session.read',
  ],
  IAM_ORG_MANAGER: orgManagement,
  IAM_USER_MANAGER: [
    'org.read',
    'org.global.read',
    'org.member rd',
    'user rwd',
    'user.global.read',
    'user.grant rwd',
    'user.membership.read',
    'user.passkey.write',
    'user.feature rwd',
    'project.read',
    'project.member.read',
    'project.role.read',
    'project.app.read',
    'project.grant rwd',
    'project.grant.member.read',
    'session rd',
  ],
  IAM_LOGIN_CLIENT: [
    'iam.read',
    'iam.policy.read',
    'iam.member rw',
    'iam.idp.read',
    'iam.feature.read',
    'iam.restrictions.read',
    'org.read',
    'org.member rw',
    'org.idp.read',
    'org.feature.read',
    'user rw',
    'user.grant rw',
    'user.membership.read',
    'user.credential.write',
    'user.passkey.write',
    'user.feature.read',
    'policy.read',
    'project.read',
    'project.member rw',
    'project.role.read',
    'project.app.read',
    'project.grant.read',
    'project.grant.member rw',
    'session rwd',
    'session.link',
    'userschema.read',
  ],
  ORG_OWNER: orgManagement.filter((line) => line !== 'org rwdc').concat('org rwd'),
  ORG_OWNER_VIEWER: orgReading,
  ORG_USER_MANAGER: [
    'org.read',
    'user rwd',
    'user.global.read',
    'user.grant rwd',
    'user.membership.read',
    'user.feature rwd',
    'policy.read',
    'project.read',
    'project.role.read',
    'session rd',
  ],
  ORG_SETTINGS_MANAGER: ['org rw', 'org.member.read', 'org.idp rwd', 'org.feature rwd', 'policy rwd'],
  ORG_USER_PERMISSION_EDITOR: grantEditing,
  ORG_PROJECT_PERMISSION_EDITOR: [...grantEditing, 'project.grant wd'],
  ORG_PROJECT_CREATOR: ['user.global.read', 'policy.read', 'project.create'],
  PROJECT_OWNER: [
    'org.global.read',
    ...projectReading,
    'project wd',
    'project.member wd',
    'project.role wd',
    'project.app wd',
    'project.grant wd',
    'project.grant.member wd',
    'user.grant wd',
  ],
  PROJECT_OWNER_VIEWER: projectReading,
  PROJECT_GRANT_OWNER: [
    'org.global.read',
    'policy.read',
    'project.read',
    'project.grant.read',
    'project.grant.member rwd',
    'user.read',
    'user.global.read',
    'user.grant rwd',
    'user.membership.read',
  ],
  PROJECT_GRANT_OWNER_VIEWER: [
    'policy.read',
    'project.read',
    'project.grant.read',
    'project.grant.member.read',
    'user.read',
    'user.global.read',
    'user.grant.read',
    'user.membership.read',
  ],
};

/** Roles of organizations that no method here asks for. */
const otherOrgRoles = ['ORG_USER_SELF_MANAGER', 'ORG_ADMIN_IMPERSONATOR', 'ORG_END_USER_IMPERSONATOR'];
const orgRoles = new Set([...Object.keys(roles).filter((role) => role.startsWith('ORG_')), ...otherOrgRoles]);

export const isOrgRole = (role: string): boolean => orgRoles.has(role) || role === 'SELF_MANAGEMENT_GLOBAL';

const expanded = new Map(Object.entries(roles).map(([role, lines]) => [role, expand(lines)]));
const held = new Map<string, ReadonlySet<string>>();

/** Everything that any of the roles allows; an unknown role allows nothing. */
export function permissionsOf(names: readonly string[]): ReadonlySet<string> {
  const key = names.join(' ');
  const known = held.get(key);
  if (known !== undefined) return known;
  const permissions = new Set(names.flatMap((name) => expanded.get(name) ?? []));
  if (held.size < 10_000) held.set(key, permissions);
  return permissions;
}
