/** Reads the projects of a file of organizations, with their roles and their grants to other organizations. */
import { scanJson } from '../../json/scan.ts';
import type { Input } from '../../lib/input.ts';
import { firstText, isObject, type JsonObject } from '../../lib/json-value.ts';
import { parseElements } from '../../json/parse.ts';
import { batchMemory } from '../../lib/batch-memory.ts';
import { nameOf, orgEnd, pathsOf } from './layout.ts';

export interface BodyProject {
  readonly org: string;
  readonly id: string;
  readonly name: string;
  /** As the body has it, for the call that creates it. */
  readonly settings: JsonObject;
}

export interface BodyRole {
  readonly org: string;
  readonly projectId: string;
  readonly key: string;
  readonly displayName: string;
  readonly group: string;
}

export interface BodyProjectGrant {
  readonly org: string;
  readonly projectId: string;
  readonly id: string;
  readonly grantedOrg: string;
  readonly roleKeys: readonly string[];
}

/** An application; `settings` are those of the call that creates it. */
export interface BodyApp {
  readonly org: string;
  readonly projectId: string;
  readonly id: string;
  readonly name: string;
  readonly kind: 'oidc' | 'api';
  readonly settings: JsonObject;
}

export interface BodyProjects {
  readonly projects: readonly BodyProject[];
  readonly roles: readonly BodyRole[];
  readonly grants: readonly BodyProjectGrant[];
  readonly apps: readonly BodyApp[];
  readonly hasUserGrants: boolean;
}

export const projectLists = ['projects', 'projectRoles', 'projectGrants', 'oidcApps', 'apiApps'];

/** Of all that belongs to projects. */
export const orgsOf = ({ projects, roles, grants, apps }: BodyProjects): ReadonlySet<string> =>
  new Set([...projects, ...roles, ...grants, ...apps].map(({ org }) => org));

/** All of a body; moderate in size, however many users there are. Throws `InputError`. */
export async function readBodyProjects(input: Input): Promise<BodyProjects> {
  const found: Found = { projects: [], roles: [], grants: [], apps: [] };
  let hasUserGrants = false;
  let list = '';
  let org = '';
  let waiting: { readonly list: string; readonly entry: JsonObject }[] = [];
  const options = {
    arrays: pathsOf([...projectLists, 'userGrants', orgEnd]),
    fields: pathsOf(['orgId']),
  };
  for await (const item of scanJson(input.name, input.blocks(), options)) {
    if (item.kind === 'field' && typeof item.value === 'string') org = item.value;
    if (item.kind === 'open') list = nameOf(item.path);
    if (item.kind === 'batch' && list === 'userGrants') hasUserGrants = true;
    else if (item.kind === 'batch') {
      for (const entry of parseElements(item.bytes)) if (isObject(entry)) waiting.push({ list, entry });
    }
    if (item.kind === 'batch') batchMemory.release(item.bytes.buffer);
    if (item.kind !== 'absent' || nameOf(item.path) !== orgEnd || item.found !== 'missing') continue;
    for (const { list: name, entry } of waiting) add(found, name, entry, org);
    waiting = [];
    org = '';
  }
  return { ...found, hasUserGrants };
}

interface Found {
  readonly projects: BodyProject[];
  readonly roles: BodyRole[];
  readonly grants: BodyProjectGrant[];
  readonly apps: BodyApp[];
}

function add(found: Found, list: string, entry: JsonObject, org: string): void {
  const projectId = firstText(entry, 'projectId', 'project_id');
  if (list === 'projects') {
    const settings = isObject(entry['project']) ? entry['project'] : {};
    found.projects.push({ org, id: projectId, name: firstText(settings, 'name'), settings });
  } else if (list === 'projectRoles') {
    const key = firstText(entry, 'roleKey', 'role_key');
    const displayName = firstText(entry, 'displayName', 'display_name');
    found.roles.push({ org, projectId, key, displayName, group: firstText(entry, 'group') });
  } else if (list === 'oidcApps' || list === 'apiApps') {
    const app = isObject(entry['app']) ? entry['app'] : {};
    const { projectId: _, project_id: __, ...settings } = app;
    found.apps.push({
      org,
      projectId: firstText(app, 'projectId', 'project_id'),
      id: firstText(entry, 'appId', 'app_id'),
      name: firstText(app, 'name'),
      kind: list === 'oidcApps' ? 'oidc' : 'api',
      settings,
    });
  } else {
    const grant = [entry['projectGrant'], entry['project_grant']].find(isObject) ?? {};
    found.grants.push({
      org,
      projectId: firstText(grant, 'projectId', 'project_id'),
      id: firstText(entry, 'grantId', 'grant_id'),
      grantedOrg: firstText(grant, 'grantedOrgId', 'granted_org_id'),
      roleKeys: readKeys(grant),
    });
  }
}

export interface BodyUserGrant {
  /** Empty where the body names its organization only behind the grants. */
  readonly org: string;
  readonly userId: string;
  readonly projectId: string;
  readonly projectGrantId: string;
  readonly roleKeys: readonly string[];
}

/** One after the other: there may be one a user. Throws `InputError`. */
export async function* readUserGrants(input: Input): AsyncGenerator<BodyUserGrant> {
  let org = '';
  const options = { arrays: pathsOf(['userGrants', orgEnd]), fields: pathsOf(['orgId']) };
  for await (const item of scanJson(input.name, input.blocks(), options)) {
    if (item.kind === 'field' && typeof item.value === 'string') org = item.value;
    if (item.kind === 'absent' && nameOf(item.path) === orgEnd && item.found === 'missing') org = '';
    if (item.kind !== 'batch') continue;
    for (const entry of parseElements(item.bytes)) if (isObject(entry)) yield readUserGrant(entry, org);
    batchMemory.release(item.bytes.buffer);
  }
}

export function readUserGrant(entry: JsonObject, org: string): BodyUserGrant {
  return {
    org,
    userId: firstText(entry, 'userId', 'user_id'),
    projectId: firstText(entry, 'projectId', 'project_id'),
    projectGrantId: firstText(entry, 'projectGrantId', 'project_grant_id'),
    roleKeys: readKeys(entry),
  };
}

function readKeys(entry: JsonObject): string[] {
  const keys = entry['roleKeys'] ?? entry['role_keys'];
  return Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : [];
}
