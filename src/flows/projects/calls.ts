/** What the service knows of projects: look-ups that a run makes before it adds to them, and afterwards. */
import type { z } from 'zod';
import type { Client } from '../../api/client.ts';
import type * as grants from '../../wire/user-grant.ts';
import { listUserGrantsResponse, type ListUserGrantsResponse } from '../../wire/user-grant.ts';
import {
  listAppsResponse,
  listProjectGrantsResponse,
  listProjectMembersResponse,
  listProjectRolesResponse,
  listProjectsResponse,
  type ListAppsResponse,
} from '../../wire/project.ts';
import { listTimeOf } from '../reconcile/list-lag.ts';
import { foldName } from '../../records/text.ts';

export interface ProjectKey {
  readonly org: string;
  readonly id: string;
  /** Empty where only the id counts. */
  readonly name: string;
}

export interface FoundProject {
  readonly id: string;
  readonly name: string;
  readonly details?: UserGrant['details'];
}

const pageSize = 1000;

export function listProjects(client: Client, org: string): Promise<FoundProject[]> {
  return listAll(client, org, '/management/v1/projects/_search', listProjectsResponse);
}

/** By id, else by name: a single call cannot give a project the id that a body has. */
export function chooseProject(
  projects: readonly FoundProject[],
  { id, name }: Pick<ProjectKey, 'id' | 'name'>,
): FoundProject | undefined {
  return (
    projects.find((project) => project.id === id) ??
    projects.find((project) => name !== '' && foldName(project.name) === foldName(name))
  );
}

export const listRoles = (client: Client, org: string, projectId: string) =>
  listAll(client, org, `${pathOf(projectId)}/roles/_search`, listProjectRolesResponse);

export const listProjectGrants = (client: Client, org: string, projectId: string) =>
  listAll(client, org, `${pathOf(projectId)}/grants/_search`, listProjectGrantsResponse);

export const listApps = (client: Client, org: string, projectId: string) =>
  listAll(client, org, `${pathOf(projectId)}/apps/_search`, listAppsResponse);

export const listMembers = (client: Client, org: string, projectId: string) =>
  listAll(client, org, `${pathOf(projectId)}/members/_search`, listProjectMembersResponse);

export type FoundApp = ListAppsResponse['result'][number];

/** By id, else by name: a single call cannot give an application the id that a body has. */
export const chooseApp = (
  apps: readonly FoundApp[],
  { id, name }: { readonly id: string; readonly name: string },
): FoundApp | undefined =>
  apps.find((app) => app.id === id) ?? apps.find((app) => foldName(app.name) === foldName(name));

export type UserGrant = ListUserGrantsResponse['result'][number];
type Queries = NonNullable<z.input<typeof grants.listUserGrantsRequest>['queries']>;

export async function listUserGrants(client: Client, org: string, queries: Queries): Promise<UserGrant[]> {
  const all: UserGrant[] = [];
  for await (const { grants: page } of listUserGrantPages(client, org, queries)) all.push(...page);
  return all;
}

export const pathOf = (projectId: string): string =>
  `/management/v1/projects/${encodeURIComponent(projectId)}`;

/** One page after the other, with up to when the list shows what was written. */
export async function* listUserGrantPages(
  client: Client,
  org: string,
  queries: Queries,
): AsyncGenerator<{ readonly grants: readonly UserGrant[]; readonly time: number | undefined }> {
  for (let offset = 0; ; offset += pageSize) {
    const { result, details } = await client.call({
      method: 'POST',
      path: '/management/v1/users/grants/_search',
      org,
      body: { query: { offset: String(offset), limit: pageSize, asc: true }, queries },
      repeat: 'safe',
      answer: listUserGrantsResponse,
    });
    yield { grants: result, time: listTimeOf(details) };
    if (result.length < pageSize) return;
  }
}

/** Pages overlap where something is added meanwhile. Throws `ApiError`. */
async function listAll<Item extends object>(
  client: Client,
  org: string,
  path: string,
  answer: { parse(value: unknown): { result: Item[] } },
): Promise<Item[]> {
  const all: Item[] = [];
  for (;;) {
    const query = { offset: String(all.length), limit: pageSize, asc: true };
    const { result } = await client.call({
      method: 'POST',
      path,
      org,
      body: { query },
      repeat: 'safe',
      answer,
    });
    all.push(...result);
    if (result.length < pageSize) return all;
  }
}
