/**
 * Defines how the service lists, shows, creates and deletes each kind of resource, one row a kind. Each kind comes before the kinds
 * that belong to it.
 */
import { ifMissing } from '../../api/api-error.ts';
import { type Call, type Client, get, searchAll } from '../../api/client.ts';
import type { Answer } from '../../api/send.ts';
import { createdAt } from '../reconcile/find-users.ts';
import { readOwnOrg } from '../preflight/check-orgs.ts';
import type { Resource, ResourceKind } from '../../records/resource.ts';
import { foldName } from '../../records/text.ts';
import {
  addProviderResponse,
  getProviderResponse,
  listProvidersResponse,
} from '../../wire/identity-providers.ts';
import { addApiAppRequest, addOidcAppRequest } from '../../wire/org-resources.ts';
import {
  addAppResponse,
  addProjectGrantResponse,
  addProjectResponse,
  listAppsResponse,
  listProjectGrantsResponse,
  listProjectRolesResponse,
  listProjectsResponse,
  type AddedApp,
  type ListAppsResponse,
} from '../../wire/organization.ts';

type FoundApp = ListAppsResponse['result'][number];

/** A resource at the target. */
export interface Found {
  readonly id: string;
  readonly name: string;
  /** Milliseconds since 1970, on the service's clock. */
  readonly createdAt: number;
  /** Only of a project grant. */
  readonly roleKeys?: readonly string[];
  readonly app?: FoundApp;
  /** Only of an identity provider. */
  readonly type?: string;
  readonly isOfInstance?: boolean;
}

/** What the answer to the creating call says, else the list. */
export interface Made extends Pick<Found, 'id' | 'app'> {
  readonly added?: AddedApp;
}

/**
 * `parent` is the id of the project at the target. `made` are ids of identity providers that runs created, which the list may not
 * show yet.
 */
export type Scope = Pick<Resource, 'org' | 'parent'> & { readonly made?: readonly string[] };

/** Resources that one call creates. */
export type Some = readonly [Resource, ...Resource[]];

interface KindRow {
  /** Returns the name for messages. */
  readonly describe: (one: Pick<Resource, 'parent' | 'id' | 'name'>) => string;
  /** What one is called. An `s` makes it plural. */
  readonly one: string;
  /** Path of the list. */
  readonly path: (parent: string) => string;
  readonly deletePath: (parent: string, id: string) => string;
  readonly list: (client: Client, scope: Scope) => Promise<Found[]>;
  /** Returns a key that is equal for names that count as the same. */
  readonly key: (name: string) => string;
  /** Creates all of them, at most `batch`, in one call. */
  readonly create: (some: Some, parent: string) => Pick<Call<Made>, 'path' | 'body' | 'answer' | 'org'>;
  readonly batch: number;
  readonly callsAtOnce: number;
  /** Returns the names of the settings that differ. Undefined if verify does not compare this kind. */
  readonly differing?: (expected: Resource, found: Found) => readonly string[];
}

export const projectPath = (id: string) => `/management/v1/projects/${encodeURIComponent(id)}`;
const providerPath = '/management/v1/idps';

/** Returns the part of a row that reads a list. `read` converts its entries. */
function listed<Entry extends Parameters<typeof createdAt>[0]>(
  path: KindRow['path'],
  answer: Answer<{ readonly result: readonly Entry[] }>,
  read: (entry: Entry) => Omit<Found, 'createdAt'>,
): Pick<KindRow, 'path' | 'deletePath' | 'list' | 'key' | 'batch' | 'callsAtOnce'> {
  return {
    path,
    deletePath: (parent, id) => `${path(parent)}/${encodeURIComponent(id)}`,
    async list(client, { org, parent }) {
      const all = await searchAll(client, `${path(parent)}/_search`, answer, { org });
      return all.map((entry) => ({ ...read(entry), createdAt: createdAt(entry) }));
    },
    key: foldName,
    batch: 1,
    callsAtOnce: 1,
  };
}

const asItIs = (name: string) => name;
/** The service names the field of an id in more than one way. */
const idOf =
  <Name extends string>(answer: { parse(value: unknown): Readonly<Record<Name, string>> }, name: Name) =>
  (value: unknown): Made => ({ id: answer.parse(value)[name] });

const providers = listed(
  () => `${providerPath}/templates`,
  listProvidersResponse,
  ({ id, name, type, owner }) => ({ id, name, type, isOfInstance: owner !== 'IDP_OWNER_TYPE_ORG' }),
);

export const kinds: Readonly<Record<ResourceKind, KindRow>> = {
  org: {
    one: 'organization',
    describe: ({ id, name }) => `organization ${id} ${name}`,
    path: () => '/management/v1/orgs/me',
    deletePath: () => '/management/v1/orgs/me',
    async list(client, { org }) {
      const found = await readOwnOrg(client, { orgId: org, name: org });
      return found === undefined || found === 'removed'
        ? []
        : [{ id: org, name: found.name, createdAt: createdAt(found) }];
    },
    key: foldName,
    create: ([{ id, name }]) => ({
      path: '/v2/organizations',
      body: { name, orgId: id },
      org: undefined,
      answer: { parse: () => ({ id }) },
    }),
    batch: 1,
    callsAtOnce: 8,
  },
  project: {
    one: 'project',
    ...listed(
      () => '/management/v1/projects',
      listProjectsResponse,
      ({ id, name }) => ({ id, name }),
    ),
    describe: ({ id, name }) => `project ${id} ${name}`,
    create: ([{ settings }]) => ({
      path: '/management/v1/projects',
      body: settings,
      answer: { parse: idOf(addProjectResponse, 'id') },
    }),
    differing: () => [],
  },
  role: {
    one: 'role',
    ...listed(
      (parent) => `${projectPath(parent)}/roles`,
      listProjectRolesResponse,
      ({ key }) => ({ id: key, name: key }),
    ),
    describe: ({ parent, name }) => `role ${name} of project ${parent}`,
    key: asItIs,
    create: (roles, parent) => ({
      path: `${projectPath(parent)}/roles/_bulk`,
      body: { roles: roles.map(({ settings }) => settings) },
      answer: { parse: () => ({ id: '' }) },
    }),
    batch: 100,
    differing: () => [],
  },
  grant: {
    one: 'project grant',
    ...listed(
      (parent) => `${projectPath(parent)}/grants`,
      listProjectGrantsResponse,
      ({ grantId, grantedOrgId, grantedRoleKeys }) => ({
        id: grantId,
        name: grantedOrgId,
        roleKeys: grantedRoleKeys,
      }),
    ),
    describe: ({ parent, name }) => `the grant of project ${parent} to organization ${name}`,
    key: asItIs,
    create: ([{ settings }], parent) => ({
      path: `${projectPath(parent)}/grants`,
      body: settings,
      answer: { parse: idOf(addProjectGrantResponse, 'grantId') },
    }),
  },
  app: {
    one: 'application',
    ...listed(
      (parent) => `${projectPath(parent)}/apps`,
      listAppsResponse,
      (app) => ({ id: app.id, name: app.name, app }),
    ),
    describe: ({ parent, name }) => `application ${name} of project ${parent}`,
    create: ([{ type, name, settings }], parent) => ({
      path: `${projectPath(parent)}/apps/${type}`,
      body: { ...settings, name },
      answer: {
        parse(value) {
          const added = addAppResponse.parse(value);
          return { id: added.appId, added };
        },
      },
    }),
    callsAtOnce: 4,
    differing: differingOfApp,
  },
  idp: {
    one: 'identity provider',
    ...providers,
    async list(client, scope) {
      const shown = await providers.list(client, scope);
      const late = (scope.made ?? []).filter((id) => shown.every((found) => found.id !== id));
      const found = await Promise.all(late.map((id) => readProvider(client, scope.org, id)));
      return [...shown, ...found.flat()];
    },
    describe: ({ id, name }) => `identity provider ${JSON.stringify(name)} (${id})`,
    create: ([{ type, name, settings }]) => ({
      path: `${providerPath}/${type}`,
      body: { name, ...settings },
      answer: { parse: idOf(addProviderResponse, 'id') },
    }),
    differing: () => [],
  },
};

/** Reads a provider by id, even if the list does not show it yet. Empty for one of another organization. */
async function readProvider(client: Client, org: string, id: string) {
  const call = get(providers.deletePath('', id), getProviderResponse, { org });
  const { idp } = (await client.call(call).catch(ifMissing)) ?? {};
  if (idp === undefined) return [];
  return [{ id, name: idp.name, type: idp.type, isOfInstance: false, createdAt: createdAt(idp) }];
}

function differingOfApp({ type, settings }: Resource, { app }: Found) {
  const there: object | undefined = type === 'oidc' ? app?.oidcConfig : app?.apiConfig;
  if (there === undefined) return ['kind'];
  const expected = (type === 'oidc' ? addOidcAppRequest : addApiAppRequest).parse(settings);
  const found = new Map(Object.entries(there));
  return Object.entries(expected)
    .filter(([field]) => field in settings && field !== 'name')
    .filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(found.get(field)))
    .map(([field]) => field);
}
