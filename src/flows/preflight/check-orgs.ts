/** Finds out before anything is sent which organizations of a body are missing at the target. */
import { get, search, searchAll, type Client } from '../../api/client.ts';
import { UsageError } from '../../errors.ts';
import type { OrgScan } from '../../sources/org-data/scan-body.ts';
import { getOrgResponse, listOrgsResponse, type OrgQueryInput, type Org } from '../../wire/organization.ts';
import { ownOrg } from '../reconcile/find-users.ts';
import type { TargetOrg } from '../../records/resource.ts';
import { readPair } from '../../lib/flag.ts';
import { formatNames, nameWithId } from '../../lib/format.ts';
import { noSuchOrg } from '../reconcile/look-up.ts';

/** Up to this number, organizations are read one by one, which needs no permission to list all. */
const oneByOne = 20;

/** Call that the look-ups prepare: a token that may import may also look up. */
const importing = '/admin/v1/import';

/** Returns the ids of missing organizations, in the order of the body. Throws `ApiError` if the role is missing. */
export async function findMissingOrgs(client: Client, orgIds: readonly string[]) {
  const ids = [...new Set(orgIds)];
  if (ids.length > oneByOne) {
    const there = await listOrgIds(client, importing);
    return ids.filter((id) => !there.has(id));
  }
  const missing: string[] = [];
  for (const id of ids) if ((await findOrg(client, id)) === undefined) missing.push(id);
  return missing;
}

/** Error ids if an organization does not exist: the current one, and that of older versions. */
const missingOrg = new Set(['QUERY-leq5Q', 'QUERY-iTTGJ']);

/** Returns undefined if the organization does not exist. */
export async function findOrg(client: Client, id: string) {
  const found = await readOrg(client, id);
  return found === 'removed' ? undefined : found;
}

/** Maps a removed organization, which the service still shows, without a state. Requests write into it all the same. */
export const orRemoved = (org: Org | undefined) => (org?.state === 'ORG_STATE_UNSPECIFIED' ? 'removed' : org);

/** Reads an organization. `removed` if it was deleted: then its id must not be used again. */
export async function readOrg(client: Client, id: string) {
  const path = `/admin/v1/orgs/${encodeURIComponent(id)}`;
  const end = await client.attempt(get(path, getOrgResponse, { prepares: importing }));
  if (end.ok) return orRemoved(end.value.org);
  // A 404 may also mean that the token has no role, or that the path is unknown.
  if (missingOrg.has(end.error.id ?? '')) return undefined;
  throw end.error;
}

/**
 * Reads an organization as its own members see it, which needs no role in the instance. Throws `ApiError`, also for a missing
 * organization without a name.
 */
export async function readOwnOrg(client: Client, { orgId: org, name }: Pick<TargetOrg, 'orgId' | 'name'>) {
  const end = await client.attempt(ownOrg(org));
  if (end.ok) return orRemoved(end.value.org);
  if (name !== '' && end.error.id === noSuchOrg) return undefined;
  throw end.error;
}

/** Returns the ids of all organizations of the instance. `prepares` is the path of the call that follows. */
export async function listOrgIds(client: Client, prepares: string) {
  const all = await searchAll(client, '/admin/v1/orgs/_search', listOrgsResponse, { prepares });
  return new Set(all.map(({ id }) => id));
}

/**
 * Returns names by id from `--create-org <name>` or `--create-org <id>=<name>`, for organizations without a name in the body.
 * Throws `UsageError` if a name alone could mean more than one.
 */
export function chooseCreates(flags: readonly string[], orgs: readonly OrgScan[]) {
  const creates = new Map<string, string>();
  for (const flag of flags) {
    const named = orgs.find(({ orgId }) => flag.startsWith(`${orgId}=`));
    const { orgId } = named ?? orgs[0]!;
    if (named === undefined && orgs.length > 1) {
      throw new UsageError(
        `--create-org ${flag}: the body has ${orgs.length} organizations`,
        `Say which one: --create-org=<id>=<name>. Their ids: ${formatNames(orgs.map(({ orgId }) => orgId))}.`,
      );
    }
    creates.set(orgId, named === undefined ? flag : flag.slice(orgId.length + 1));
  }
  for (const [id, name] of creates) {
    if (name.trim() === '') throw new UsageError(`--create-org: organization ${id} needs a name`);
  }
  return creates;
}

/** Throws `UsageError` for a missing organization whose name is not known. */
export function refuseNameless(missing: readonly TargetOrg[]) {
  const nameless = missing.filter(({ name }) => name === '').map(({ orgId }) => orgId);
  if (nameless.length === 0) return;
  const one = nameless.length === 1;
  throw new UsageError(
    `there is no organization ${formatNames(nameless)} at the target; the service would leave out all of ${one ? 'its' : 'their'} users`,
    `Check the id. Check --url. Or create it with the import: --create-org=${one ? '' : `${nameless[0]}=`}"<name>".`,
  );
}

/** Returns new names by id from `--rename-org <old>=<new>`. `old` is the name or the id of the organization in the body. */
export function chooseRenames(flags: readonly string[], orgs: readonly OrgScan[]) {
  const renames = new Map<string, string>();
  for (const flag of flags) {
    const hint = 'Write the name or the id that the organization has in the body, then its new name.';
    const [old, name] = readPair('--rename-org', flag, '<old>=<new>', hint);
    const named = orgs.filter((org) => org.orgId === old || org.name === old);
    if (named.length === 0) throw new UsageError(`--rename-org ${flag}: the body has no organization ${old}`);
    for (const { orgId } of named) renames.set(orgId, name.trim());
  }
  return renames;
}

/** Throws `UsageError` if a new organization has the name of another at the target. */
export async function refuseTakenNames(client: Client, missing: readonly TargetOrg[]) {
  const taken = await findTakenNames(client, missing);
  const [first] = taken;
  if (first === undefined) return;
  const one = taken.length === 1;
  throw new UsageError(
    `the target has another organization named ${listTaken(taken)}; the service would import nothing of ${one ? 'this one' : 'these'}`,
    `Give ${one ? 'it' : 'each'} another name: --rename-org "${first.name}=<new name>". Or leave it out with --exclude=<its id at the source>. Or convert again with its id in the file of --org-map. Nothing was sent.`,
  );
}

interface TakenName {
  readonly name: string;
  /** Id of the organization at the target that has the name. */
  readonly id: string;
}

/** Returns the names that another organization at the target has. */
export async function findTakenNames(client: Client, orgs: readonly TargetOrg[]) {
  const taken: TakenName[] = [];
  for (const name of new Set(orgs.map((org) => org.name))) {
    const nameQuery = { name: name.trim(), method: ignoringCase };
    const id = name === '' ? undefined : await searchOrg(client, { nameQuery });
    if (id !== undefined) taken.push({ name, id });
  }
  return taken;
}

/** Returns text such as `Acme (165617389845094785), Globex (165617389845094786) and 3 more`. */
export const listTaken = (taken: readonly TakenName[]) =>
  formatNames(taken.map(({ name, id }) => nameWithId(name, id)));

/** How the service compares names of organizations. */
export const ignoringCase = 'TEXT_QUERY_METHOD_EQUALS_IGNORE_CASE' as const;

/** Returns the id of the organization that a query finds. A domain counts only if it is verified. */
export async function searchOrg(client: Client, query: OrgQueryInput) {
  const { result } = await client.call(
    search('/admin/v1/orgs/_search', { query: { limit: 1 }, queries: [query] }, listOrgsResponse, {
      prepares: importing,
    }),
  );
  return result[0]?.id;
}
