/** Fills an empty store with an instance, its first organization and one service user per role. */
import { addMember, addServiceUser, addToken } from './accounts.ts';
import type { ServerState } from './context.ts';
import { newOrg } from './orgs.ts';

export interface BootstrapOptions {
  readonly orgId?: string;
  readonly orgName?: string;
  /** Domain of the instance; orgs get `<name>.<domain>`. */
  readonly domain?: string;
  /** Fixed tokens for tests; random ones otherwise. */
  readonly tokens?: Partial<Readonly<Record<StandardRole, string>>>;
  readonly languages?: readonly string[];
}

/** The standard callers, each with a personal access token. `nobody` belongs to the organization and has no role. */
export const standardRoles = ['iamOwner', 'iamViewer', 'orgOwner', 'nobody'] as const;
export type StandardRole = (typeof standardRoles)[number];

export interface Bootstrapped {
  readonly instanceId: string;
  readonly orgId: string;
  readonly users: Readonly<Record<StandardRole, string>>;
  readonly tokens: Readonly<Record<StandardRole, string>>;
}

const accounts: Readonly<Record<StandardRole, { userName: string; scope?: 'iam' | 'org'; role?: string }>> = {
  iamOwner: { userName: 'iam-owner', scope: 'iam', role: 'IAM_OWNER' },
  iamViewer: { userName: 'iam-viewer', scope: 'iam', role: 'IAM_OWNER_VIEWER' },
  orgOwner: { userName: 'org-owner', scope: 'org', role: 'ORG_OWNER' },
  nobody: { userName: 'no-role' },
};

export const defaultLanguages = 'ar bg cs de en es fr hu id it ja ko mk nl pl pt ro ru sv tr uk zh'.split(
  ' ',
);

/** Makes the instance; throws when the store has one already. */
export function bootstrap(state: ServerState, options: BootstrapOptions = {}): Bootstrapped {
  const { store, settings } = state;
  if (store.instances.size > 0) throw new TypeError('the store has an instance already');
  const instanceId = store.nextId();
  const orgId = options.orgId ?? store.nextId();
  const projectId = store.nextId();
  const now = settings.clock.now();
  store.instances.put({
    id: 'instance',
    instanceId,
    name: 'idport',
    domain: options.domain ?? 'localhost',
    defaultOrgId: orgId,
    projectId,
    created: now,
    userLoginMustBeDomain: false,
    validateOrgDomains: false,
    smtpSenderAddressMatchesInstanceDomain: false,
    passwordComplexity: {
      minLength: 8,
      hasUppercase: true,
      hasLowercase: true,
      hasNumber: true,
      hasSymbol: true,
    },
    languages: options.languages ?? defaultLanguages,
  });
  store.orgs.put(newOrg(state, orgId, options.orgName ?? 'Default'));
  const users = {} as Record<StandardRole, string>;
  const tokens = {} as Record<StandardRole, string>;
  for (const role of standardRoles) {
    const { userName, scope, role: name } = accounts[role];
    const user = addServiceUser(state, orgId, userName);
    if (scope !== undefined) addMember(state, scope, scope === 'org' ? orgId : '', user.id, [name!]);
    users[role] = user.id;
    tokens[role] = addToken(state, user.id, options.tokens?.[role]);
  }
  return { instanceId, orgId, users, tokens };
}
