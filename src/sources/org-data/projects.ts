/** Reads the projects of a file of organizations, with their roles and their grants to other organizations. */
import { scanJson } from '../../json/scan.ts';
import type { Input } from '../../lib/input.ts';
import { firstText, isObject, type JsonObject } from '../../lib/json-value.ts';
import { parseElements } from '../../json/parse.ts';
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

export interface BodyProjects {
  readonly projects: readonly BodyProject[];
  readonly roles: readonly BodyRole[];
  readonly grants: readonly BodyProjectGrant[];
}

export const projectLists = ['projects', 'projectRoles', 'projectGrants'];

/** All of a body; moderate in size, however many users there are. Throws `InputError`. */
export async function readBodyProjects(input: Input): Promise<BodyProjects> {
  const found = { projects: [] as BodyProject[], roles: [] as BodyRole[], grants: [] as BodyProjectGrant[] };
  let list = '';
  let org = '';
  let waiting: { readonly list: string; readonly entry: JsonObject }[] = [];
  const options = {
    arrays: pathsOf([...projectLists, orgEnd]),
    fields: pathsOf(['orgId']),
  };
  for await (const item of scanJson(input.name, input.blocks(), options)) {
    if (item.kind === 'field' && typeof item.value === 'string') org = item.value;
    if (item.kind === 'open') list = nameOf(item.path);
    if (item.kind === 'batch') {
      for (const entry of parseElements(item.bytes)) if (isObject(entry)) waiting.push({ list, entry });
    }
    if (item.kind !== 'absent' || nameOf(item.path) !== orgEnd || item.found !== 'missing') continue;
    for (const { list: name, entry } of waiting) add(found, name, entry, org);
    waiting = [];
    org = '';
  }
  return found;
}

function add(
  found: { projects: BodyProject[]; roles: BodyRole[]; grants: BodyProjectGrant[] },
  list: string,
  entry: JsonObject,
  org: string,
): void {
  const projectId = firstText(entry, 'projectId', 'project_id');
  if (list === 'projects') {
    const settings = isObject(entry['project']) ? entry['project'] : {};
    found.projects.push({ org, id: projectId, name: firstText(settings, 'name'), settings });
  } else if (list === 'projectRoles') {
    const key = firstText(entry, 'roleKey', 'role_key');
    const displayName = firstText(entry, 'displayName', 'display_name');
    found.roles.push({ org, projectId, key, displayName, group: firstText(entry, 'group') });
  } else {
    const grant = [entry['projectGrant'], entry['project_grant']].find(isObject) ?? {};
    const keys = grant['roleKeys'] ?? grant['role_keys'];
    found.grants.push({
      org,
      projectId: firstText(grant, 'projectId', 'project_id'),
      id: firstText(entry, 'grantId', 'grant_id'),
      grantedOrg: firstText(grant, 'grantedOrgId', 'granted_org_id'),
      roleKeys: Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : [],
    });
  }
}
