/**
 * Finds organizations made by `--create-orgs` at the target by id, name or domain, and gives the source the ids they have there. Creates
 * those that users of a one-by-one import go to and that the target lacks.
 */
import { isRefusal, ApiError } from '../../api/api-error.ts';
import type { Client } from '../../api/client.ts';
import { UsageError } from '../../errors.ts';
import { type Emit, note } from '../../events.ts';
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import { formatCounted, formatNames, nameWithId } from '../../lib/format.ts';
import { deriveOrgId, type TargetOrg, type Resource } from '../../records/resource.ts';
import { withOrgIds } from '../../sources/org-data/organizations.ts';
import {
  findMissingOrgs,
  ignoringCase,
  readOrg,
  searchOrg,
  findTakenNames,
  listTaken,
  readOwnOrg,
} from '../preflight/check-orgs.ts';
import type { OrgQueryInput } from '../../wire/organization.ts';
import { readUsers, type OpenedSource, type UserSource } from '../source/read-users.ts';
import { listCreated, type OrgSettings } from './choose-org.ts';
import { warning, type Notify } from '../../notice.ts';
import type { ListContext } from '../reconcile/list-lag.ts';
import { createSome } from '../resources/create.ts';

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
  try {
    const all = orgs.map(({ orgId }) => orgId);
    const missing = new Set<string>(await findMissingOrgs(client, all));
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
      if (match !== undefined) return;
      const text = `Organization ${nameWithId(org.name, org.orgId)} was deleted at the target, and its id stays taken: the import uses the id ${id}.`;
      emit(note('org:removed', text));
    });
  } catch (error) {
    // A token that cannot look at the instance cannot create organizations either. The calls that follow report it.
    if (isRefusal(error)) return { ids: new Map<string, string>(), found: [] };
    throw error;
  }
  refuseTwice(found);
  reportFound(found, emit);
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

function reportFound(found: readonly FoundOrg[], emit: Emit) {
  if (found.length === 0) return;
  const each = found.slice(0, shown).map(({ id, name, by }) => `${name} is ${id} (by its ${by})`);
  const more = found.length > shown ? `; and ${found.length - shown} more` : '';
  const text = `${formatCounted(found.length, 'organization')} found at the target, and left as ${found.length === 1 ? 'it is' : 'they are'}: ${each.join('; ')}${more}.`;
  emit(note('org:found', text));
}

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

/**
 * Returns the missing organizations that have a name and can be created. Also reads the service's clock. Before anything is sent,
 * throws `ApiError` for a missing one without a name, and `UsageError` for an inactive one or a taken name.
 */
export async function findOrgsToCreate(client: Client, orgs: readonly TargetOrg[]) {
  const missing: TargetOrg[] = [];
  for (const org of orgs) if (!(await isThere(client, org))) missing.push(org);
  const taken = await findTakenNames(client, missing);
  if (taken.length > 0) throw nameTaken(listTaken(taken));
  return missing;
}

export async function createOrgs(context: ListContext, orgs: readonly TargetOrg[], notify: Notify) {
  for (const org of orgs) {
    await createOrg(context, org);
    for (const domain of org.domains) await addDomain(context.client, org.orgId, domain, notify);
  }
}

/** Adds a domain. As in bulk, it is verified at once if the service's policy requires no proof. */
async function addDomain(client: Client, org: string, domain: string, notify: Notify) {
  const path = '/management/v1/orgs/me/domains';
  const end = await client.attempt({ method: 'POST', path, org, body: { domain } });
  if (end.ok || end.error.id === alreadyThere) return;
  if (end.error.verdict !== 'refused') throw end.error;
  const text = `Organization ${org} gets no domain ${domain}: ${end.error.text}.`;
  notify(warning('org:domain', text));
}

/** Error id if the organization has the domain. A call with a lost answer may have added it. */
const alreadyThere = 'V2-e1wse';

async function isThere(client: Client, target: TargetOrg) {
  const { orgId } = target;
  const org = await readOwnOrg(client, target);
  if (org === undefined) return false;
  if (org !== 'removed' && org.state === 'ORG_STATE_ACTIVE') return true;
  if (org === 'removed') {
    throw new UsageError(
      `organization ${orgId} was deleted at the target`,
      'Users in it could neither sign in nor be seen. Give another --org.',
    );
  }
  throw new UsageError(
    `organization ${orgId} is not active`,
    'Its users could not sign in. Activate it first, or give another --org.',
  );
}

async function createOrg(context: ListContext, org: TargetOrg) {
  const { orgId, name } = org;
  const expected: Resource = { kind: 'org', org: orgId, parent: '', id: orgId, name, type: '', settings: {} };
  await createSome({ ...context, wait: { left: 0 } }, [expected], expected).catch((error: unknown) => {
    // The name was taken after the look-up, or the service's log has it and its list does not.
    if (error instanceof ApiError && error.status === 409) throw nameTaken(name);
    throw error;
  });
}

function nameTaken(names: string) {
  return new UsageError(
    `the target has another organization named ${names}`,
    'Convert again with its id in the file of --org-map. No user was sent.',
  );
}
