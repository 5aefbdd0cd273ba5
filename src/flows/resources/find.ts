/** Finds at the target what a source needs there: by its id, else by its name. */
import { ApiError } from '../../api/api-error.ts';
import type { Client } from '../../api/client.ts';
import { UsageError } from '../../errors.ts';
import { type Emit, note } from '../../events.ts';
import type { AddedPart } from '../../journal/lines.ts';
import { formatCounted } from '../../lib/quantity.ts';
import type { Resource, ResourceKind } from '../../records/resource.ts';
import { deriveProjectId } from '../../records/role.ts';
import { kinds, type Found, type Place } from './kinds.ts';

/** Projects come before what they have. */
const order: readonly ResourceKind[] = ['project', 'role', 'grant', 'app', 'idp'];

export const inOrder = (resources: readonly Resource[]): Resource[] =>
  order.flatMap((kind) => resources.filter((one) => one.kind === kind));

/** Those of one place. */
export interface Listed {
  /** A single call cannot give a resource the id that a body has: then the name counts, unless it is empty. */
  find(one: Pick<Resource, 'id' | 'name'>): Found | undefined;
}

export async function listResources(client: Client, kind: ResourceKind, place: Place): Promise<Listed> {
  const { key, list } = kinds[kind];
  const all = await list(client, place);
  const byId = new Map(all.map((found) => [found.id, found]));
  const byName = new Map(all.toReversed().map((found) => [key(found.name), found]));
  return { find: ({ id, name }) => byId.get(id) ?? (name === '' ? undefined : byName.get(key(name))) };
}

/** Each list is asked for once. Throws `ApiError`. */
export function createFinder(client: Client): (one: Resource) => Promise<Found | undefined> {
  const lists = new Map<string, Promise<Listed>>();
  return async (one) => {
    const place = [one.kind, one.org, one.parent].join('\n');
    const list = lists.get(place) ?? listResources(client, one.kind, one);
    lists.set(place, list);
    return (await list).find(one);
  };
}

/** `by id`: the bulk import gives a project the id of the body. `by name`: single calls cannot. */
export type ProjectMatch = 'by id' | 'by name';

/**
 * Those that are not at the target: the run adds them. `missing` are organizations that are not there either. Undefined where
 * the token may not look: then undo leaves them. Throws `UsageError` where another project has the name of one that
 * `migrate --roles` made.
 */
export async function findAdded(
  client: Client,
  wanted: readonly Resource[],
  missing: readonly string[],
  match: ProjectMatch,
): Promise<AddedPart[] | undefined> {
  const find = createFinder(client);
  const projects = new Map(wanted.map((one) => [`${one.kind} ${one.org} ${one.id}`, one]));
  const added: AddedPart[] = [];
  const findProject = async (org: string, id: string): Promise<Found | undefined> => {
    if (missing.includes(org)) return undefined;
    const { name = '' } = (match === 'by name' && projects.get(`project ${org} ${id}`)) || {};
    return find({ kind: 'project', org, parent: '', id, name, type: '', settings: {} });
  };
  try {
    for (const one of inOrder(wanted)) {
      const { kind, org, parent, id, name } = one;
      const isProject = kind === 'project';
      const project = await findProject(org, isProject ? id : parent);
      const found = isProject ? project : project && (await find({ ...one, parent: project.id }));
      if (found !== undefined) continue;
      if (isProject && match === 'by id' && !missing.includes(org))
        refuseTaken(one, await find({ ...one, id: '' }));
      // Roles and grants come with a project that is added.
      if (isProject || project !== undefined || kind === 'app') {
        added.push([kind, org, isProject ? id : (project?.id ?? parent), name]);
      }
    }
  } catch (error) {
    if (error instanceof ApiError && error.verdict === 'refused') return undefined;
    throw error;
  }
  return added;
}

/** The service would refuse the project, and with it all roles and grants. Other bodies have ids of their own. */
function refuseTaken({ org, id, name }: Resource, other: Found | undefined): void {
  if (other === undefined || id !== deriveProjectId(org, name)) return;
  throw new UsageError(`organization ${org} has another project named ${name} (${other.id})`, {
    hint: `Nothing was sent. Convert again with \`idport migrate --roles=project:${other.id}\`, or with another name.`,
  });
}

/** `1 project, role or project grant and 4 applications`; `parts` begin with their kind. */
export function countParts(parts: readonly AddedPart[]): string {
  const apps = parts.filter(([kind]) => kind === 'app').length;
  const others = parts.length - apps;
  const words = [
    others === 0
      ? ''
      : formatCounted(others, 'project, role or project grant', 'projects, roles and project grants'),
    apps === 0 ? '' : formatCounted(apps, 'application'),
  ];
  return words.filter(Boolean).join(' and ');
}

export function reportAdded(added: readonly AddedPart[], dryRun: boolean, emit: Emit): void {
  if (added.length === 0) return;
  emit(note('role:added', `${countParts(added)} ${dryRun ? 'would be added' : 'added'}.`));
}
