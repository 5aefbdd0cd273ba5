/**
 * Finds organizations made by `--create-orgs` at the target by id, name or domain, and gives the source the ids they have there.
 */
import { isRefusal } from '../../api/api-error.ts';
import type { Client } from '../../api/client.ts';
import { UsageError } from '../../errors.ts';
import { type Emit, note } from '../../events.ts';
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import { formatCounted, formatNames, nameWithId } from '../../lib/format.ts';
import { deriveOrgId, type TargetOrg } from '../../records/resource.ts';
import { withOrgIds } from '../../sources/org-data/organizations.ts';
import { findMissingOrgs, ignoringCase, readOrg, searchOrg } from '../preflight/check-orgs.ts';
import type { OrgQueryInput } from '../../wire/organization.ts';
import { readUsers, type OpenedSource, type UserSource } from '../read/read-users.ts';
import { listCreated, type OrgSettings } from './choose-org.ts';

interface FoundOrg extends TargetOrg {
  /** Id at the target. */
  readonly id: string;
  /** How it was found: `name Acme`, `domain acme.example`. */
  readonly by: string;
}

const atOnce = 8;

/**
 * Matches organizations. Those whose id exists at the target need no look-up. Throws `UsageError` if a name and a domain belong
 * to two organizations, or if two organizations of the body would become one.
 */
export async function matchOrgs(
  client: Client,
  orgs: readonly TargetOrg[],
  emit: Emit,
  isRenamed: (orgId: string) => boolean = () => false,
) {
  const ids = new Map<string, string>();
  const found: FoundOrg[] = [];
  const moved: string[] = [];
  try {
    const missing = new Set(
      await findMissingOrgs(
        client,
        orgs.map(({ orgId }) => orgId),
      ),
    );
    const sought = orgs.filter(({ orgId }) => missing.has(orgId));
    await forEachConcurrent(sought, atOnce, async (org) => {
      const renamed = isRenamed(org.orgId);
      const own = await chooseId(client, org.orgId, org.name !== '' || renamed);
      // In other programs' bodies, and if the command gives the name, only the id counts.
      const isMade = org.name !== '' && org.orgId === deriveOrgId(org.name) && !renamed;
      const match = isMade ? await findMatch(client, org) : undefined;
      // A previous run may have created it.
      if (match !== undefined && match.id !== own) found.push(match);
      const id = match?.id ?? own;
      if (id === org.orgId) return;
      ids.set(org.orgId, id);
      if (match === undefined) moved.push(`${id} for ${nameWithId(org.name, org.orgId)}`);
    });
  } catch (error) {
    // A token that cannot look at the instance cannot create organizations either. The calls that follow report it.
    if (isRefusal(error)) return { ids: new Map<string, string>(), found: [] };
    throw error;
  }
  refuseTwice(found);
  if (moved.length > 0) {
    const text = `${formatCounted(moved.length, 'id')} of organizations deleted at the target ${moved.length === 1 ? 'stays' : 'stay'} taken: the import uses ${formatNames(moved, 3)}.`;
    emit(note('org:removed', text));
  }
  if (found.length > 0) {
    const each = found.map(({ id, name, by }) => `${name} is ${id} (by its ${by})`);
    const text = `${formatCounted(found.length, 'organization')} found at the target, and left as ${found.length === 1 ? 'it is' : 'they are'}: ${formatNames(each, shown)}.`;
    emit(note('org:found', text));
  }
  /** `ids`: different ids at the target, by those in the body, of found organizations and of those whose id is taken. */
  return { ids, found };
}

async function findMatch(client: Client, org: TargetOrg) {
  const { name, domains } = org;
  const method = ignoringCase;
  const found: FoundOrg[] = [];
  const look = async (by: string, query: OrgQueryInput) => {
    const id = await searchOrg(client, query);
    if (id !== undefined) found.push({ ...org, id, by });
  };
  await look(`name ${name}`, { nameQuery: { name: name.trim(), method } });
  for (const domain of domains) await look(`domain ${domain}`, { domainQuery: { domain, method } });
  const [first] = found;
  const other = found.find(({ id }) => id !== first?.id);
  if (first === undefined || other === undefined) return first;
  throw new UsageError(
    `organization ${name}: at the target ${first.id} has the ${first.by}, and ${other.id} the ${other.by}`,
    `Nothing was sent. ${chooseHint}`,
  );
}

const chooseHint = 'Convert again and name the right one: `idport migrate --org-map=map.csv`.';

/**
 * Returns the id, or if it belonged to a deleted organization, the next one of a fixed order, so that every run uses the same.
 * An organization without a name cannot be created: only a previous run may have made the next one.
 */
async function chooseId(client: Client, orgId: string, named: boolean) {
  for (let id = orgId, next = 2; ; id = deriveOrgId(`${orgId}\0${next++}`)) {
    const found = await readOrg(client, id);
    if (found !== 'removed') return named || found !== undefined ? id : orgId;
  }
}

function refuseTwice(found: readonly FoundOrg[]) {
  const byId = new Map<string, FoundOrg>();
  for (const org of found) {
    const other = byId.get(org.id);
    byId.set(org.id, org);
    if (other === undefined) continue;
    throw new UsageError(
      `${other.name} and ${org.name} would become one organization: ${org.id} has the ${other.by} and the ${org.by}`,
      `Nothing was sent. ${chooseHint}`,
    );
  }
}

const shown = 20;

/** Reports which organizations an import creates. */
export function reportCreated(
  orgs: readonly TargetOrg[],
  when: 'created' | 'will be created' | 'would be created',
  emit: Emit,
) {
  if (orgs.length === 0) return;
  const names = orgs.map(({ orgId, name }) => nameWithId(name, orgId));
  const text = `${formatCounted(orgs.length, 'organization')} ${when}: ${formatNames(names, shown)}.`;
  emit(note('org:created', text));
}

/** Returns the source with the target's ids of organizations. Throws `UsageError` if two could be meant. */
export async function matchSource<Opened extends Pick<OpenedSource, 'inputs'>, Org extends TargetOrg>(
  client: Client,
  source: Opened,
  orgs: readonly Org[],
  emit: Emit,
) {
  const { ids } = await matchOrgs(client, orgs, emit);
  return {
    source: { ...source, inputs: source.inputs.map((input) => withOrgIds(input, ids)) },
    orgs: withIds(orgs, ids),
  };
}

const withIds = <Org extends TargetOrg>(orgs: Iterable<Org>, ids: ReadonlyMap<string, string>) =>
  Array.from(orgs, (org) => ({ ...org, orgId: ids.get(org.orgId) ?? org.orgId }));

/** Does the same for the users of an export. With `settings`, reads them once to find their organizations. */
export async function placeUsers<Org extends TargetOrg>(
  client: Client,
  source: UserSource,
  orgs: readonly Org[],
  settings: OrgSettings | undefined,
  emit: Emit,
) {
  if (settings === undefined) return matchSource(client, source, orgs, emit);
  const placed = { ...source, orgs: settings };
  const seen = new Map(listCreated(settings).map((org) => [org.orgId, org]));
  for await (const { record } of readUsers(placed)) {
    const org = record.placement?.org;
    if (org !== undefined && record.kind !== 'rejected') seen.set(org.orgId, org);
  }
  const { ids } = await matchOrgs(client, [...seen.values()], emit);
  return {
    source: { ...placed, orgs: { ...settings, matched: Object.fromEntries(ids) } },
    orgs: withIds(seen.values(), ids),
  };
}
