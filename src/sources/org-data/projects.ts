/** Reads the projects of a file of organizations, with their roles, applications and grants to other organizations. */
import type { Input } from '../../lib/input.ts';
import { firstText, isText, type JsonObject, objectOf } from '../../lib/json-value.ts';
import type { Resource } from '../../records/resource.ts';
import { memberOf, memberText } from '../../wire/member-names.ts';
import { entriesIn, organizationsIn } from './organizations.ts';

const projectOf = (entry: JsonObject) => memberText(entry, 'projectId');
const part = { parent: '', id: '', type: '', settings: {} };

const readApp =
  (type: 'oidc' | 'api') =>
  (entry: JsonObject): Omit<Resource, 'org'> => {
    const { projectId: _, project_id: __, ...settings } = objectOf(entry['app']);
    return {
      kind: 'app',
      parent: projectOf(objectOf(entry['app'])),
      id: memberText(entry, 'appId'),
      name: firstText(settings, 'name'),
      type,
      settings,
    };
  };

/** Readers by the list of the body. */
const readers: Readonly<Record<string, (entry: JsonObject) => Omit<Resource, 'org'>>> = {
  projects(entry) {
    const settings = objectOf(entry['project']);
    return { ...part, kind: 'project', id: projectOf(entry), name: firstText(settings, 'name'), settings };
  },
  projectRoles(entry) {
    const key = memberText(entry, 'roleKey');
    const displayName = memberText(entry, 'displayName');
    const settings = { key, displayName, group: firstText(entry, 'group') };
    return { ...part, kind: 'role', parent: projectOf(entry), id: key, name: key, settings };
  },
  projectGrants(entry) {
    const grant = objectOf(memberOf(entry, 'projectGrant'));
    const name = memberText(grant, 'grantedOrgId');
    const settings = { grantedOrgId: name, roleKeys: readKeys(grant) };
    const id = memberText(entry, 'grantId');
    return { ...part, kind: 'grant', parent: projectOf(grant), id, name, settings };
  },
  oidcApps: readApp('oidc'),
  apiApps: readApp('api'),
};

export const projectLists = Object.keys(readers);

/** Returns everything that belongs to projects. Its size does not depend on the number of users. Throws `InputError`. */
export async function readBodyResources(input: Input) {
  const resources: Resource[] = [];
  let hasUserGrants = false;
  let waiting: Omit<Resource, 'org'>[] = [];
  const lists = [...projectLists, 'userGrants'];
  for await (const item of organizationsIn(input.name, input.blocks(), { lists })) {
    if (item.kind === 'batch') {
      const read = readers[item.list];
      if (read === undefined) hasUserGrants = true;
      else for (const entry of entriesIn(input.name, item)) waiting.push(read(entry));
    } else if (item.kind === 'end') {
      const { orgId: org } = item.org;
      for (const each of waiting) resources.push({ org, ...each });
      waiting = [];
    }
  }
  return { resources, hasUserGrants };
}

export type BodyUserGrant = ReturnType<typeof readUserGrant>;

/** Yields the user grants one by one, because there may be one per user. Throws `InputError`. */
export async function* readUserGrants(inputs: readonly Input[]): AsyncGenerator<BodyUserGrant> {
  for (const input of inputs) {
    // Grants of an organization that is only named after them.
    let waiting: BodyUserGrant[] = [];
    for await (const item of organizationsIn(input.name, input.blocks(), { lists: ['userGrants'] })) {
      const { orgId: org } = item.org;
      if (item.kind === 'batch') {
        for (const entry of entriesIn(input.name, item)) waiting.push(readUserGrant(entry, org));
      }
      if (org === '' && item.kind !== 'end') continue;
      for (const grant of waiting) yield { ...grant, org };
      waiting = [];
    }
  }
}

export function readUserGrant(entry: JsonObject, org: string) {
  return {
    org,
    userId: memberText(entry, 'userId'),
    projectId: memberText(entry, 'projectId'),
    projectGrantId: memberText(entry, 'projectGrantId'),
    roleKeys: readKeys(entry),
  };
}

function readKeys(entry: JsonObject) {
  const keys = memberOf(entry, 'roleKeys');
  return Array.isArray(keys) ? keys.filter(isText) : [];
}
