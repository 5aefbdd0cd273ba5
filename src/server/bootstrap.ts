/**
 * Fills a server before its first call: an instance, its first organization, a service user per role, and a seed.
 */
import { emptyMessageOf, type Input } from '../wire/message.ts';
import { addMember, addOrgMember, addToken } from './accounts.ts';
import type { ServerState } from './context.ts';
import { type ReferenceServerOptions, type StandardRole, standardRoles } from './options.ts';
import { newOrg } from './orgs.ts';
import { addProjectRequest } from '../wire/org-resources.ts';
import { UsageError } from '../errors.ts';
import { decode, DecodeError } from '../wire/codec.ts';
import { importDataOrg, importDataRequest, type importDataResponse } from '../wire/import.ts';
import type { DataOrg } from '../wire/org-data.ts';
import { inlineOrgs, runImport } from './import/run.ts';
import { createMachine } from './users/create.ts';

/** As on a new installation of the service, its first user owns the first organization as well. */
const accounts: Readonly<Record<StandardRole, { userName: string; orgRole?: string; iamRole?: string }>> = {
  iamOwner: { userName: 'iam-owner', orgRole: 'ORG_OWNER', iamRole: 'IAM_OWNER' },
  iamViewer: { userName: 'iam-viewer', iamRole: 'IAM_OWNER_VIEWER' },
  orgOwner: { userName: 'org-owner', orgRole: 'ORG_OWNER' },
  nobody: { userName: 'no-role' },
};

const languages = 'ar bg cs de en es fr hu id it ja ko mk nl pl pt ro ru sv tr uk zh'.split(' ');

/** Makes the instance. `restore` goes back to the standard accounts with the same tokens and keys. */
export function startState(state: ServerState, options: ReferenceServerOptions) {
  const { store } = state;
  const instanceId = store.nextId();
  const orgId = options.orgId ?? store.nextId();
  const projectId = store.nextId();
  const now = store.now();
  store.instances.put({
    id: 'instance',
    instanceId,
    name: 'ZITADEL',
    domain: options.domain ?? 'localhost',
    defaultOrgId: orgId,
    projectId,
    created: now,
    passwordComplexity: {
      minLength: 8,
      hasUppercase: true,
      hasLowercase: true,
      hasNumber: true,
      hasSymbol: true,
    },
    languages,
  });
  const org = store.orgs.put(newOrg(state, orgId, options.orgName ?? 'Default'));
  const project = { ...emptyMessageOf(addProjectRequest), name: 'ZITADEL' };
  store.projects.put({ id: projectId, orgId, project, created: now });
  const users = {} as Record<StandardRole, string>;
  const tokens = {} as Record<StandardRole, string>;
  for (const role of standardRoles) {
    const { userName, orgRole, iamRole } = accounts[role];
    const { id: userId } = createMachine(state, org, users.iamOwner ?? '', {
      userName,
      name: userName,
      description: '',
      tokenType: 'ACCESS_TOKEN_TYPE_BEARER',
    });
    if (orgRole !== undefined) addOrgMember(state, orgId, userId, [orgRole]);
    if (iamRole !== undefined) {
      addMember(state, { scope: 'iam', objectId: '', projectId: '', orgId: '', userId, roles: [iamRole] });
    }
    users[role] = userId;
    tokens[role] = addToken(state, userId, options.tokens?.[role]);
  }
  const beginning = [...store.dump()];
  const restore = (): void => {
    const keys = Object.values(users).flatMap((id) => store.machineKeys.by('user', id));
    store.clear();
    for (const change of beginning) store.apply(change);
    for (const key of keys) store.machineKeys.put(key);
  };
  return { known: { instanceId, orgId, users, tokens }, restore };
}

/**
 * Takes a whole request (`{"dataOrgs": {...}}`) or what an export gives (`{"orgs": [...]}`). A new
 * organization without a name gets its id as name. Users keep the state that they are said to have. Records no email,
 * counts no time, checks no field rules.
 */
export async function seedState(
  state: ServerState,
  editor: string,
  body: unknown,
): Promise<Input<typeof importDataResponse>> {
  const read = readOrgs(body);
  const owners = new Map(
    read.flatMap(({ orgId, projects }) => projects.map(({ projectId }) => [projectId, orgId])),
  );
  const orgs = read.map((org) => ({
    ...org,
    org: org.org ?? { name: org.orgId },
    // An export repeats them in every organization.
    projectMembers: org.projectMembers.filter(
      ({ projectId }) => (owners.get(projectId) ?? org.orgId) === org.orgId,
    ),
  }));
  const settings = { ...state.settings, secondsPerUser: 0, cutAfterSeconds: 0, isSeed: true };
  return runImport({ ...state, settings }, editor, orgs, Infinity);
}

function readOrgs(body: unknown): readonly DataOrg[] {
  const bytes = Buffer.from(JSON.stringify(body));
  try {
    if (Array.isArray((body as { orgs?: unknown } | null)?.orgs)) {
      return decode(importDataOrg, bytes).orgs;
    }
    const orgs = inlineOrgs(decode(importDataRequest, bytes));
    if (orgs !== undefined) return orgs;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new UsageError(`the seed cannot be read: ${error.message}`, { cause: error });
  }
  throw new UsageError('the seed has no orgs', {
    hint: 'Give an import body: {"dataOrgs": {"orgs": [...]}}, or what an export gives: {"orgs": [...]}.',
  });
}
