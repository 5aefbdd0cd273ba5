/** What the service knows of projects: look-ups that a run makes before it adds to them, and afterwards. */
import { searchAll } from '../../api/search.ts';
import type { Client } from '../../api/client.ts';
import {
  listAppsResponse,
  listProjectGrantsResponse,
  listProjectMembersResponse,
  listProjectRolesResponse,
  listProjectsResponse,
  type ListAppsResponse,
} from '../../wire/project.ts';
import type { UserGrant } from '../resources/user-grants.ts';
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

export function listProjects(client: Client, org: string): Promise<FoundProject[]> {
  return searchAll(client, '/management/v1/projects/_search', listProjectsResponse, { org });
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
  searchAll(client, `${pathOf(projectId)}/roles/_search`, listProjectRolesResponse, { org });

export const listProjectGrants = (client: Client, org: string, projectId: string) =>
  searchAll(client, `${pathOf(projectId)}/grants/_search`, listProjectGrantsResponse, { org });

export const listApps = (client: Client, org: string, projectId: string) =>
  searchAll(client, `${pathOf(projectId)}/apps/_search`, listAppsResponse, { org });

export const listMembers = (client: Client, org: string, projectId: string) =>
  searchAll(client, `${pathOf(projectId)}/members/_search`, listProjectMembersResponse, { org });

export type FoundApp = ListAppsResponse['result'][number];

/** By id, else by name: a single call cannot give an application the id that a body has. */
export const chooseApp = (
  apps: readonly FoundApp[],
  { id, name }: { readonly id: string; readonly name: string },
): FoundApp | undefined =>
  apps.find((app) => app.id === id) ?? apps.find((app) => foldName(app.name) === foldName(name));

export const pathOf = (projectId: string): string =>
  `/management/v1/projects/${encodeURIComponent(projectId)}`;
