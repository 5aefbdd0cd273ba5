/** Finds the organization at the target for each record. Runs on every thread. */
import { memoized } from '../../lib/strings.ts';
import { findMemberships, type MembershipMemory } from '../../compact/membership-table.ts';
import { isObject, readJsonId } from '../../lib/json-value.ts';
import {
  deriveOrgId,
  orgById,
  type OrgRule,
  type SourceOrg,
  type TargetOrg,
} from '../../records/resource.ts';
import { cut } from '../../records/text.ts';
import { type Membership, mergeRoles, type Note, type AcceptedRecord } from '../../records/user.ts';
import type { RecordParts } from '../../sources/source.ts';

/** Can be cloned to threads. */
export interface OrgSettings {
  readonly rule: OrgRule;
  /** Ids by key, from `--org-map`. */
  readonly ids: Readonly<Record<string, string>>;
  /** Whether organizations that are not in the map are created. */
  readonly create: boolean;
  /** Id of the organization for users without one. */
  readonly fallback: string;
  /** What to do with a user's organizations besides the first: name them in the report, or write user grants. */
  readonly further: 'report' | 'grants';
  /** Ids at the target by those made from names, where they differ. */
  readonly matched?: Readonly<Record<string, string>>;
  /** Set with the rule `organization` if the source lists members. Otherwise each record names its own organizations. */
  readonly members?: Members;
}

export interface Members {
  readonly memory: MembershipMemory;
  readonly orgs: readonly SourceOrg[];
  /** Memberships by their index in the memory. */
  readonly places: readonly OrgMembership[];
  /** SHA-256 of all memberships. Equal if all users have equal memberships. */
  readonly digest: string;
}

/** An organization of the source, and a member's roles in it. */
export interface OrgMembership {
  readonly org: SourceOrg;
  readonly roles: readonly string[];
}

interface RecordToPlace {
  readonly raw: unknown;
  readonly record: AcceptedRecord;
  /** Empty if the source has no realms. */
  readonly realm: string;
  readonly parts: RecordParts | undefined;
}

interface ChosenOrg {
  readonly org: TargetOrg;
  /** Memberships of this organization in the source. Empty for a user without one. */
  readonly home: readonly Membership[];
  /** Organizations in which the user gets a user grant, with the roles of the source. */
  readonly granted: readonly { readonly org: TargetOrg; readonly roles: readonly string[] }[];
  /** Memberships of organizations in which the user gets nothing. */
  readonly left: readonly Membership[];
  readonly note: Note | undefined;
}

export function createOrgChooser(settings: OrgSettings) {
  const { fallback } = settings;
  const resolve = memoized((_, org: SourceOrg) => toTarget(org, settings), Infinity);
  const none = orgById(fallback);
  const choose = (found: readonly OrgMembership[], hasId: boolean): ChosenOrg => {
    const places = found.map((place) => ({ place, target: resolve(place.org.keys[0] ?? '', place.org) }));
    const org = places.find(({ target }) => target !== undefined)?.target;
    const memberships = (some: typeof places) =>
      some.map(({ place: { org, roles } }) => ({ key: org.keys[0] ?? '', roles }));
    if (org === undefined) {
      const left = memberships(places);
      const note: Note =
        left.length === 0 ? { code: 'org:none' } : { code: 'org:unmapped', detail: keysIn(left) };
      return { org: none, home: [], granted: [], left, note };
    }
    // Two organizations of the source may be one at the target.
    const isHome = ({ target }: (typeof places)[number]) => target?.orgId === org.orgId;
    const further = places.filter((each) => !isHome(each));
    // A grant names its user by id.
    const isGranted = ({ target }: (typeof places)[number]) =>
      hasId && settings.further === 'grants' && target !== undefined;
    const granted = new Map<string, { readonly org: TargetOrg; readonly roles: string[] }>();
    for (const { target, place } of further.filter(isGranted)) {
      const same = granted.get(target!.orgId)?.roles ?? [];
      granted.set(target!.orgId, { org: target!, roles: [...new Set([...same, ...place.roles])] });
    }
    const left = memberships(further.filter((each) => !isGranted(each)));
    const note: Note | undefined =
      left.length === 0 ? undefined : { code: 'org:further', detail: keysIn(left) };
    return { org, home: memberships(places.filter(isHome)), granted: [...granted.values()], left, note };
  };
  /** Results for users with one key and no roles: most users have one key, and many share it. */
  const chooseByKey = memoized((_, found: readonly OrgMembership[]) => choose(found, true), Infinity);
  return (place: RecordToPlace) => {
    const found = findPlaces(place, settings);
    const [first] = found;
    if (found.length > 1 || (first !== undefined && first.roles.length > 0)) {
      return choose(found, place.record.id !== '');
    }
    return chooseByKey(first?.org.keys[0] ?? '', found);
  };
}

const keysIn = (memberships: readonly Membership[]) => memberships.map(({ key }) => key).join(', ');

/**
 * Notes roles in organizations for which the user gets no user grant. `hasGrants`: roles in the home organization are granted.
 */
export function noteRolesLeft(
  { organizations = [] }: AcceptedRecord,
  chosen: ChosenOrg | undefined,
  settings: OrgSettings | undefined,
  hasGrants: boolean,
): Note[] {
  const { home = [], left = [] } = chosen ?? {};
  const isRead = settings?.rule.by === 'organization' && settings.members === undefined;
  const all = [...(hasGrants ? [] : home), ...left, ...(isRead ? [] : organizations)];
  const texts = all
    .filter(({ roles }) => roles.length > 0)
    .map(({ key, roles }) => `${key}: ${roles.join(', ')}`);
  return texts.length === 0
    ? []
    : [{ code: 'org:role-not-migrated', detail: texts.join('; ').slice(0, 200) }];
}

/** Returns organizations of the source that should exist at the target even without users. */
export function listCreated(settings: OrgSettings) {
  const { create, members } = settings;
  if (!create || members === undefined) return [];
  return members.orgs.flatMap((org) => toTarget(org, settings) ?? []).filter(({ name }) => name !== '');
}

/** Returns undefined for an organization that is neither in the map nor to be created. */
function toTarget({ keys, name, domains }: SourceOrg, { ids, create, matched = {} }: OrgSettings) {
  const mapped = keys.find((key) => Object.hasOwn(ids, key));
  if (mapped !== undefined) return orgById(ids[mapped]!);
  if (!create) return undefined;
  const short = cut(name, 200);
  const orgId = deriveOrgId(short);
  return { orgId: matched[orgId] ?? orgId, name: short, domains };
}

/** Returns the memberships with each organization once. */
function findPlaces(place: RecordToPlace, { rule, members }: OrgSettings) {
  const keyOf = ({ org }: OrgMembership) => org.keys[0] ?? '';
  if (members !== undefined) return mergeRoles(findMembers(place, members), keyOf);
  const found = membershipsOf(place, rule).filter(({ key }) => key !== '');
  return mergeRoles(
    found.map(({ key, roles }) => ({
      org: { keys: [key], name: key, domains: rule.by === 'domain' ? [key] : [] },
      roles,
    })),
    keyOf,
  );
}

/** Finds memberships by the user's id in the source, and by user name. */
function findMembers({ record }: RecordToPlace, { memory, places }: Members) {
  const names = [memberId(record.origin.id), memberName(record.userName)];
  const found = new Set(names.flatMap((name) => findMemberships(memory, name)));
  return [...found].map((index) => places[index]!);
}

/** Text that is hashed for a member known by id. The prefix keeps names from being mistaken for ids. */
export const memberId = (id: string) => `id ${id}`;
export const memberName = (name: string) => `name ${name.toLowerCase()}`;

function membershipsOf(place: RecordToPlace, rule: OrgRule) {
  if (rule.by === 'organization') return place.record.organizations ?? [];
  return keysOf(place, rule).map((key) => ({ key, roles: [] }));
}

function keysOf(
  { raw, record, realm, parts }: RecordToPlace,
  rule: Exclude<OrgRule, { by: 'organization' }>,
) {
  switch (rule.by) {
    case 'realm':
      return [realm];
    case 'domain':
      return [
        record.kind === 'human' ? record.email.slice(record.email.lastIndexOf('@') + 1).toLowerCase() : '',
      ];
    case 'group':
      return (parts?.groups ?? []).map((path) => keyInGroup(path, rule.path));
    case 'attribute':
      return attributeOf(raw, rule.name);
  }
}

/** Returns the key of a group path: `acme` for `/customers/acme/staff` under `/customers/*`. Empty if the path does not match. */
function keyInGroup(path: string, pattern: readonly string[]) {
  const steps = path.split('/').filter((step) => step !== '');
  if (!pattern.every((step, at) => step === '*' || steps[at] === step)) return '';
  return steps[pattern.indexOf('*')] ?? '';
}

/** Objects in which sources keep custom attributes. */
const attributeHolders = [
  'attributes',
  'app_metadata',
  'user_metadata',
  'public_metadata',
  'metadata',
  'claims',
];

/** Reads the first place that has the attribute: the record itself, also by a dotted path, then the objects above. */
function attributeOf(raw: unknown, name: string) {
  if (!isObject(raw)) return [];
  const holders = attributeHolders.map((holder) => raw[holder]).filter(isObject);
  for (const holder of [raw, ...holders]) {
    const steps = Object.hasOwn(holder, name) ? [name] : name.split('.');
    const texts = textsOf(steps.reduce<unknown>(own, holder));
    if (texts.length > 0) return texts;
  }
  return [];
}

const own = (value: unknown, key: string) =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;

const textsOf = (value: unknown) => [value].flat().flatMap((one) => readJsonId(one)?.trim() || []);
