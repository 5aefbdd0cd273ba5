/** Creates, changes and removes organizations. A new one has a generated domain and the caller as its owner. */
import { lowerCase } from '../lib/strings.ts';
import { addOrgMember } from './accounts.ts';
import type { ServerState } from './method.ts';
import { existing, requireStorable, refuseIf, requireUnique } from './errors.ts';
import type { OrgRow } from './store/rows.ts';
import { removeUser } from './users/change.ts';

/** Default of a new instance: users get an email when their password was changed. */
export const defaultNotification = { passwordChange: true };

interface RequestedOrg {
  readonly id: string;
  readonly name: string;
  /** Id of the user who becomes the owner. */
  readonly owner: string;
  readonly active?: boolean;
}

/**
 * Creates an organization. Throws if its id, its name or its generated domain is taken, checked in that order. The id
 * of a removed organization can be used again.
 */
export function createOrg(state: ServerState, requested: RequestedOrg) {
  const { store } = state;
  refuseIf(store.orgs.has(requested.id), 'ORG-lapo2n');
  refuseIf(requested.id === '', 'ORG-4Mlfs');
  const name = requested.name.trim();
  refuseIf(name === '', 'COMM-deLSk');
  // Domains of long names are cut after 63 bytes, before letters become small: equal names can have two.
  const taken =
    store.orgs.by('name', lowerCase(name)).length > 0 ||
    store.orgs.by('verified', generatedDomain(name, store.instance.domain)).length > 0;
  requireUnique(taken, 'Org');
  requireStorable(requested.id, name);
  const org = store.orgs.put({ ...newOrg(state, requested.id, name), active: requested.active ?? true });
  addOrgMember(state, org.id, requested.owner, ['ORG_OWNER']);
  return org;
}

/** Returns an organization as it is right after its creation: active, with the generated domain as the primary one. */
export function newOrg(state: ServerState, id: string, name: string) {
  const now = state.store.now();
  return {
    id,
    orgId: id,
    name,
    active: true,
    created: now,
    changed: now,
    sequence: 4 + (state.store.goneOrgs.get(id)?.sequence ?? 0),
    domains: [
      { domainName: generatedDomain(name, state.store.instance.domain), isVerified: true, isPrimary: true },
    ],
    texts: {},
  };
}

export const primaryDomain = (org: OrgRow | undefined) =>
  org?.domains.find((domain) => domain.isPrimary)?.domainName ?? '';

/**
 * `Acme Inc.` -> `acme-inc.localhost`. Letters of every script stay; the label has at most 63 bytes (Z:internal/domain/org_domain.go,
 * NewIAMDomainName). Throws if no letter, digit or hyphen is left.
 */
function generatedDomain(orgName: string, instanceDomain: string) {
  const kept = orgName.replaceAll(' ', '-').replaceAll(/[^\p{L}\p{M}\d-]/gu, '');
  const label = Buffer.from(kept).toString('utf8', 0, 63).replaceAll(/^-|-$/g, '');
  refuseIf(label === '', 'ORG-RrfXY');
  return lowerCase(`${label}.${instanceDomain}`);
}

export function updateOrg({ store }: ServerState, org: OrgRow, change: Partial<OrgRow>) {
  const { orgs, goneOrgs } = store;
  const row = { ...org, ...change, changed: store.now(), sequence: org.sequence + 1 };
  return (orgs.has(org.id) ? orgs : goneOrgs).put(row);
}

export function addDomain(state: ServerState, org: OrgRow, domainName: string) {
  refuseIf(domainName === '', 'ORG-r3h4J');
  refuseIf(
    org.domains.some((domain) => domain.domainName === domainName),
    'V2-e1wse',
  );
  const mustProve = org.domainPolicy?.validateOrgDomains === true;
  // Unless a policy asks for proof, a new domain is verified at once.
  if (!mustProve) requireUnverified(state, domainName);
  return updateOrg(state, org, {
    domains: [...org.domains, { domainName, isVerified: !mustProve, isPrimary: false }],
  });
}

/** Throws if any organization of the instance has verified the domain. */
export function requireUnverified({ store }: ServerState, domainName: string) {
  requireUnique(store.orgs.by('verified', domainName.toLowerCase()).length > 0, 'Org.Domain');
}

/** What an organization has, other than users. */
const ownedTables = [
  'projects',
  'roles',
  'apps',
  'appKeys',
  'projectGrants',
  'userGrants',
  'members',
  'idps',
  'machineKeys',
  'scripts',
  'triggers',
] as const;

/** Removes an organization with everything in it. It and its users can still be read, and the users' ids stay taken. */
export function removeOrg(state: ServerState, id: string) {
  const { store } = state;
  const org = existing(store.orgs.get(id), 'COMMA-aps2n');
  refuseIf(id === store.instance.defaultOrgId, 'COMMA-wG9p1');
  for (const user of store.users.by('org', id)) {
    removeUser(state, user);
    store.goneUsers.put(user);
    store.removed.delete(user.id);
  }
  for (const table of ownedTables) store[table].deleteBy('org', id);
  store.orgs.delete(id);
  const removed = state.store.now();
  return store.goneOrgs.put({ ...org, removed, changed: removed, sequence: org.sequence + 1 });
}
