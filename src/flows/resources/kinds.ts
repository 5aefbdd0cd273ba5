/** How the service lists, shows, creates and deletes each kind of resource: one row a kind. */
import type { Call, Client } from '../../api/client.ts';
import { searchAll } from '../../api/search.ts';
import type { Resource, ResourceKind } from '../../records/resource.ts';
import { foldName } from '../../records/text.ts';
import { addProviderResponse, listProvidersResponse } from '../../wire/identity-providers.ts';
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
} from '../../wire/project.ts';

export type FoundApp = ListAppsResponse['result'][number];

/** A resource at the target. */
export interface Found {
  readonly id: string;
  readonly name: string;
  readonly details?: { readonly creationDate: string } | undefined;
  /** Of a project grant. */
  readonly roleKeys?: readonly string[];
  readonly app?: FoundApp | undefined;
  /** Of an identity provider. */
  readonly type?: string;
  readonly owner?: string | number;
}

/** What the answer of the call that creates it says, else the list. */
export interface Made extends Pick<Found, 'id' | 'app'> {
  readonly added?: AddedApp;
}

/** `parent` is the id of the project at the target. */
export type Place = Pick<Resource, 'org' | 'parent'>;

export interface KindRow {
  /** As messages name it. */
  readonly describe: (one: Pick<Resource, 'parent' | 'id' | 'name'>) => string;
  /** Where it is listed and deleted. */
  readonly path: (parent: string) => string;
  readonly list: (client: Client, place: Place) => Promise<Found[]>;
  /** What is the same in two of one name. */
  readonly key: (name: string) => string;
  /** All of them, at most `batch`, in one call. */
  readonly create: (
    some: readonly [Resource, ...Resource[]],
    parent: string,
  ) => Pick<Call<Made>, 'path' | 'body' | 'answer'>;
  readonly batch: number;
  readonly callsAtOnce: number;
  /** Names of the settings that are not as wanted; undefined where verify does not look for it. */
  readonly differing?: (wanted: Resource, found: Found) => readonly string[];
}

export const projectPath = (id: string): string => `/management/v1/projects/${encodeURIComponent(id)}`;
const providerPath = '/management/v1/idps';

/** The list of a path, whose entries `read` understands. */
function listed<Entry>(
  path: KindRow['path'],
  answer: NonNullable<Call<{ readonly result: readonly Entry[] }>['answer']>,
  read: (entry: Entry) => Found,
): Pick<KindRow, 'path' | 'list' | 'key' | 'batch' | 'callsAtOnce'> {
  return {
    path,
    list: async (client, { org, parent }) =>
      (await searchAll(client, `${path(parent)}/_search`, answer, { org })).map(read),
    key: foldName,
    batch: 1,
    callsAtOnce: 1,
  };
}

const asItIs = (name: string): string => name;
/** The service says the name of an id in more than one way. */
const idOf =
  <Name extends string>(answer: { parse(value: unknown): Readonly<Record<Name, string>> }, name: Name) =>
  (value: unknown): Made => ({ id: answer.parse(value)[name] });

export const kinds: Readonly<Record<ResourceKind, KindRow>> = {
  project: {
    ...listed(
      () => '/management/v1/projects',
      listProjectsResponse,
      (project) => project,
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
    ...listed(
      (parent) => `${projectPath(parent)}/roles`,
      listProjectRolesResponse,
      ({ key, details }) => ({ id: key, name: key, details }),
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
    ...listed(
      (parent) => `${projectPath(parent)}/grants`,
      listProjectGrantsResponse,
      ({ grantId, grantedOrgId, grantedRoleKeys, details }) => ({
        id: grantId,
        name: grantedOrgId,
        roleKeys: grantedRoleKeys,
        details,
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
    ...listed(
      (parent) => `${projectPath(parent)}/apps`,
      listAppsResponse,
      (app) => ({ id: app.id, name: app.name, details: app.details, app }),
    ),
    describe: ({ parent, name }) => `application ${name} of project ${parent}`,
    create: ([{ type, name, settings }], parent) => ({
      path: `${projectPath(parent)}/apps/${type}`,
      body: { ...settings, name },
      answer: {
        parse(value) {
          const name = type === 'oidc' ? 'AddOIDCAppResponse' : 'AddAPIAppResponse';
          const added = addAppResponse(name).parse(value);
          return { id: added.appId, added };
        },
      },
    }),
    callsAtOnce: 4,
    differing: differingOfApp,
  },
  idp: {
    ...listed(
      () => `${providerPath}/templates`,
      listProvidersResponse,
      ({ id, name, type, owner, details }) => ({ id, name, type, owner, details }),
    ),
    describe: ({ id, name }) => `identity provider ${JSON.stringify(name)} (${id})`,
    create: ([{ type, name, settings }]) => ({
      path: `${providerPath}/${type}`,
      body: { name, ...settings },
      answer: { parse: idOf(addProviderResponse, 'id') },
    }),
    differing: () => [],
  },
};

function differingOfApp({ type, settings }: Resource, { app }: Found): string[] {
  const there: object | undefined = type === 'oidc' ? app?.oidcConfig : app?.apiConfig;
  if (there === undefined) return ['kind'];
  const expected = (type === 'oidc' ? addOidcAppRequest : addApiAppRequest).parse(settings);
  const found = new Map(Object.entries(there));
  return Object.entries(expected)
    .filter(([field]) => field in settings && field !== 'name')
    .filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(found.get(field)))
    .map(([field]) => field);
}
