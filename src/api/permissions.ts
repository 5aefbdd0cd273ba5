/** Which permission a call needs, which roles have it, and where to give them. */

export interface Need {
  /** What the call is about, as messages name it. */
  readonly call: string;
  readonly permission: string;
  /** The least role first. */
  readonly roles: string;
  readonly where: string;
}

const instance = 'in the default settings of the instance, under Managers';
const organization = 'in the organization, under Managers';

/** From the service's own defaults (`InternalAuthZ`); the first entry that fits counts. */
export const needs: readonly (Need & { readonly path: RegExp })[] = [
  {
    call: 'importing',
    path: /\/admin\/v1\/import$/,
    permission: 'iam.write',
    roles: 'IAM_OWNER',
    where: instance,
  },
  {
    call: 'exporting',
    path: /\/admin\/v1\/export$/,
    permission: 'iam.read',
    roles: 'IAM_OWNER_VIEWER or IAM_OWNER',
    where: instance,
  },
  {
    call: 'the events',
    path: /\/admin\/v1\/events/,
    permission: 'events.read',
    roles: 'IAM_OWNER_VIEWER or IAM_OWNER',
    where: instance,
  },
  {
    call: 'organizations of the instance',
    path: /\/admin\/v1\/orgs|\/v2\/organizations/,
    permission: 'iam.read',
    roles: 'IAM_OWNER_VIEWER or IAM_OWNER',
    where: instance,
  },
  {
    call: 'targets of actions',
    path: /\/(?:v3alpha|v2)\/(?:actions\/)?targets/,
    permission: 'action.target.write',
    roles: 'IAM_OWNER',
    where: instance,
  },
  {
    call: 'executions of actions',
    path: /\/(?:v3alpha|v2)\/(?:actions\/)?executions/,
    permission: 'action.execution.write',
    roles: 'IAM_OWNER',
    where: instance,
  },
  {
    call: 'looking users up',
    path: /\/users\/_search$|\/metadata\/_search$|\/v2\/users$|\/links\/_search$|\/authentication_methods$/,
    permission: 'user.read',
    roles: 'ORG_OWNER_VIEWER, ORG_USER_MANAGER or ORG_OWNER',
    where: organization,
  },
  {
    call: 'signing users in',
    path: /\/v2\/sessions$/,
    permission: 'session.write',
    roles: 'IAM_LOGIN_CLIENT or IAM_OWNER',
    where: instance,
  },
  {
    call: 'granting roles',
    path: /\/grants$/,
    permission: 'user.grant.write',
    roles: 'ORG_USER_MANAGER or ORG_OWNER',
    where: organization,
  },
  {
    call: 'changing users',
    path: /\/management\/v1\/users|\/v2\/users/,
    permission: 'user.write',
    roles: 'ORG_USER_MANAGER or ORG_OWNER',
    where: organization,
  },
  {
    call: 'the organization itself',
    path: /\/management\/v1\/orgs/,
    permission: 'org.read',
    roles: 'ORG_OWNER_VIEWER or ORG_OWNER',
    where: organization,
  },
  {
    call: 'other calls of the administration',
    path: /\/admin\/v1\//,
    permission: 'iam.read',
    roles: 'IAM_OWNER',
    where: instance,
  },
];

/** Whether the role may be one of an organization; true for calls that are not in the table. */
export function holdsInOrg(path: string): boolean {
  return neededFor(path)?.where !== instance;
}

/** Undefined for calls that need no role of their own. */
export function neededFor(path: string): Need | undefined {
  return needs.find((need) => need.path.test(path));
}
