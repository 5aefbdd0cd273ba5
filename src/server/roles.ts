/** The service's default roles and their permissions. */

/** `org.idp rwd` means org.idp.read, .write and .delete. A name without letters is a whole permission. */
const letters: Readonly<Record<string, string>> = { r: 'read', w: 'write', d: 'delete', c: 'create' };

function expand(text: string) {
  return text.split(',').flatMap((part) => {
    const [name = '', verbs] = part.trim().split(' ');
    return verbs === undefined ? [name] : Array.from(verbs, (letter) => `${name}.${letters[letter]}`);
  });
}

const orgManagement = `
  org rwdc, org.global r, org.member rwd, org.idp rwd, org.action rwd, org.flow rwd, org.feature rwd,
  user rwd, user.global r, user.grant rwd, user.membership r, user.credential w, user.passkey w,
  user.feature rwd, policy rwd, project rwdc, project.member rwd, project.role rwd, project.app rw,
  project.grant rwd, project.grant.member rwd, session rd, group rwdc, group.user rwd`;

const orgReading = `
  org r, org.member r, org.idp r, org.action r, org.flow r, org.feature r, user r, user.global r,
  user.grant r, user.membership r, user.feature r, policy r, project r, project.member r,
  project.role r, project.app r, project.grant r, project.grant.member r, group r, group.user r`;

const grantEditing = `
  org r, org.member r, user r, user.global r, user.grant rwd, policy r, project r, project.member r,
  project.role r, project.app r, project.grant r, project.grant.member r`;

const projectReading = `
  policy r, project r, project.member r, project.role r, project.app r, project.grant r,
  project.grant.member r, user r, user.global r, user.grant r, user.membership r`;

const roles: Readonly<Record<string, string>> = {
  IAM_OWNER: `
    iam rw, iam.policy rwd, iam.member rwd, iam.idp rwd, iam.action rwd, iam.flow rwd, iam.feature rwd,
    iam.restrictions rw, iam.web_key rwd, iam.debug rw, ${orgManagement}, project.app d, session w,
    events r, milestones r, action.target rwd, action.execution rw, userschema rwd`,
  IAM_OWNER_VIEWER: `
    iam r, iam.policy r, iam.member r, iam.idp r, iam.action r, iam.flow r, iam.restrictions r,
    iam.feature r, iam.web_key r, iam.debug r, ${orgReading}, events r, milestones r, action.target r,
    action.execution r, userschema r, session r`,
  IAM_ORG_MANAGER: orgManagement,
  IAM_USER_MANAGER: `
    org r, org.global r, org.member rd, user rwd, user.global r, user.grant rwd, user.membership r,
    user.passkey w, user.feature rwd, project r, project.member r, project.role r, project.app r,
    project.grant rwd, project.grant.member r, session rd`,
  IAM_LOGIN_CLIENT: `
    iam r, iam.policy r, iam.member rw, iam.idp r, iam.feature r, iam.restrictions r, org r,
    org.member rw, org.idp r, org.feature r, user rw, user.grant rw, user.membership r,
    user.credential w, user.passkey w, user.feature r, policy r, project r, project.member rw,
    project.role r, project.app r, project.grant r, project.grant.member rw, session rwd, session.link,
    userschema r`,
  ORG_OWNER: orgManagement.replace('org rwdc', 'org rwd'),
  ORG_OWNER_VIEWER: orgReading,
  ORG_USER_MANAGER: `
    org r, user rwd, user.global r, user.grant rwd, user.membership r, user.feature rwd, policy r,
    project r, project.role r, session rd`,
  ORG_SETTINGS_MANAGER: 'org rw, org.member r, org.idp rwd, org.feature rwd, policy rwd',
  ORG_USER_PERMISSION_EDITOR: grantEditing,
  ORG_PROJECT_PERMISSION_EDITOR: `${grantEditing}, project.grant wd`,
  ORG_PROJECT_CREATOR: 'user.global r, policy r, project c',
  PROJECT_OWNER: `
    org.global r, ${projectReading}, project wd, project.member wd, project.role wd, project.app wd,
    project.grant wd, project.grant.member wd, user.grant wd`,
  PROJECT_OWNER_VIEWER: projectReading,
  PROJECT_GRANT_OWNER: `
    org.global r, policy r, project r, project.grant r, project.grant.member rwd, user r, user.global r,
    user.grant rwd, user.membership r`,
  PROJECT_GRANT_OWNER_VIEWER: `
    policy r, project r, project.grant r, project.grant.member r, user r, user.global r, user.grant r,
    user.membership r`,
};

/** Roles of organizations that have no permission that a method here requires. */
const otherOrgRoles = ['ORG_USER_SELF_MANAGER', 'ORG_ADMIN_IMPERSONATOR', 'ORG_END_USER_IMPERSONATOR'];
const orgRoles = new Set([...Object.keys(roles).filter((role) => role.startsWith('ORG_')), ...otherOrgRoles]);

export const isOrgRole = (role: string) => orgRoles.has(role) || role === 'SELF_MANAGEMENT_GLOBAL';

const expanded = new Map(Object.entries(roles).map(([role, text]) => [role, new Set(expand(text))]));

/** Reports whether any of the roles has the permission. An unknown role allows nothing. */
export const allow = (names: readonly string[], permission: string) =>
  names.some((name) => expanded.get(name)?.has(permission));

/** Returns everything that any of the roles allows. */
export const permissionsOf = (names: readonly string[]) =>
  new Set(names.flatMap((name) => [...(expanded.get(name) ?? [])]));
