/** Which permission a call needs, which roles have it, and where to grant them. */

const instance = 'in the default settings of the instance, under Managers';
const organization = 'in the organization, under Managers';

/**
 * The purpose of the call for messages, its path, the permission, the roles that have it, beginning with that of the fewest
 * permissions, and where to grant them. Taken from the service's own defaults (`InternalAuthZ`). The first row that matches applies.
 */
const rows = [
  ['importing', /\/admin\/v1\/import$/, 'iam.write', 'IAM_OWNER', instance],
  ['exporting', /\/admin\/v1\/export$/, 'iam.read', 'IAM_OWNER_VIEWER or IAM_OWNER', instance],
  ['the events', /\/admin\/v1\/events/, 'events.read', 'IAM_OWNER_VIEWER or IAM_OWNER', instance],
  [
    'organizations of the instance',
    /\/admin\/v1\/orgs|\/v2\/organizations/,
    'iam.read',
    'IAM_OWNER_VIEWER or IAM_OWNER',
    instance,
  ],
  [
    'targets of actions',
    /\/(?:v3alpha|v2)\/(?:actions\/)?targets/,
    'action.target.write',
    'IAM_OWNER',
    instance,
  ],
  [
    'executions of actions',
    /\/(?:v3alpha|v2)\/(?:actions\/)?executions/,
    'action.execution.write',
    'IAM_OWNER',
    instance,
  ],
  [
    'looking users up',
    /\/users\/_search$|\/metadata\/_search$|\/v2\/users$|\/links\/_search$|\/authentication_methods$/,
    'user.read',
    'ORG_OWNER_VIEWER, ORG_USER_MANAGER or ORG_OWNER',
    organization,
  ],
  ['signing users in', /\/v2\/sessions$/, 'session.write', 'IAM_LOGIN_CLIENT or IAM_OWNER', instance],
  ['granting roles', /\/grants$/, 'user.grant.write', 'ORG_USER_MANAGER or ORG_OWNER', organization],
  [
    'changing users',
    /\/management\/v1\/users|\/v2\/users/,
    'user.write',
    'ORG_USER_MANAGER or ORG_OWNER',
    organization,
  ],
  [
    'the organization itself',
    /\/management\/v1\/orgs/,
    'org.read',
    'ORG_OWNER_VIEWER or ORG_OWNER',
    organization,
  ],
  ['other calls of the administration', /\/admin\/v1\//, 'iam.read', 'IAM_OWNER', instance],
] as const;

export const needs = rows.map(([call, path, permission, roles, where]) => ({
  call,
  path,
  permission,
  roles,
  where,
}));

/** Reports whether a role in an organization is enough. True for calls that are not in the table. */
export function holdsInOrg(path: string) {
  return neededFor(path)?.where !== instance;
}

/** Returns what a call needs, or undefined if it needs no role. */
export function neededFor(path: string) {
  return needs.find((need) => need.path.test(path));
}
