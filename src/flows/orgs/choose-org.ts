/** Finds the organization at the target for each record. Runs on every thread. */
import { findMemberships, type MembershipMemory } from '../../compact/membership-table.ts';
import { isObject, readJsonId } from '../../lib/json-value.ts';
import {
  deriveOrgId,
  type Membership,
  type OrgRule,
  type SourceOrg,
  type TargetOrg,
} from '../../records/organization.ts';
import { cut } from '../../records/text.ts';
import { type MachineRecord, mergeRoles, type Note, type UserRecord } from '../../records/user.ts';
import type { RecordParts } from '../../sources/parts.ts';

/** Survives a structured clone. */
export interface OrgSettings {
  readonly rule: OrgRule;
  /** Of `--org-map`: ids by key. */
  readonly ids: Readonly<Record<string, string>>;
  /** Organizations that are not in the map are created. */
  readonly create: boolean;
  /** For users of no organization. */
  readonly fallback: string;
  /** What becomes of a user's organizations beside the first: named in the report, or user grants. */
  readonly further: 'report' | 'grants';
  /** At the target, by the ids that were made from names, where they differ. */
  readonly matched?: Readonly<Record<string, string>>;
  /** With the rule `organization`, where the source lists members; else each record names its own. */
  readonly members?: Members;
}

export interface Members {
  readonly memory: MembershipMemory;
  readonly orgs: readonly SourceOrg[];
  /** By the indexes in the memory. */
  readonly places: readonly OrgMembership[];
  /** SHA-256 of all memberships: the same where every user has the same. */
  readonly digest: string;
}

/** An organization of the source, and the roles of a member of it. */
export interface OrgMembership {
  readonly org: SourceOrg;
  readonly roles: readonly string[];
}

export interface RecordToPlace {
  readonly raw: unknown;
  readonly record: UserRecord | MachineRecord;
  /** Empty where the source knows none. */
  readonly realm: string;
  readonly parts: RecordParts | undefined;
}

interface ChosenOrg {
  readonly org: TargetOrg;
  /** The user's memberships of it in the source; none for a user of no organization. */
  readonly home: readonly Membership[];
  /** Those in which the user gets a user grant, with the roles of the source. */
  readonly granted: readonly { readonly org: TargetOrg; readonly roles: readonly string[] }[];
  /** Memberships of organizations in which the user gets nothing. */
  readonly left: readonly Membership[];
  readonly note: Note | undefined;
}

/** One that exists: nothing else has to be known of it. */
export const orgById = (orgId: string): TargetOrg => ({ orgId, name: '', domains: [] });

export function createOrgChooser(settings: OrgSettings) {
  const { fallback } = settings;
  const known = new Map<string, TargetOrg | undefined>();
  const resolve = (org: SourceOrg) => {
    const [key = ''] = org.keys;
    if (!known.has(key)) known.set(key, toTarget(org, settings));
    return known.get(key);
  };
  const none = orgById(fallback);
  const choose = (found: readonly OrgMembership[], hasId: boolean): ChosenOrg => {
    const places = found.map((place) => ({ place, target: resolve(place.org) }));
    const org = places.find(({ target }) => target !== undefined)?.target;
    const memberships = (some: typeof places): Membership[] =>
      some.map(({ place: { org, roles } }) => ({ key: org.keys[0] ?? '', roles }));
    if (org === undefined) {
      const left = memberships(places);
      const note: Note =
        left.length === 0 ? { code: 'org:none' } : { code: 'org:unmapped', detail: keysIn(left) };
      return { org: none, home: [], granted: [], left, note };
    }
    // Two of the source may be one at the target.
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
  /** What becomes of users with just this key: most have one, and many have the same. */
  const byKey = new Map<string, ChosenOrg>();
  return (place: RecordToPlace) => {
    const found = findPlaces(place, settings);
    const [first] = found;
    if (found.length > 1 || (first !== undefined && first.roles.length > 0)) {
      return choose(found, place.record.id !== '');
    }
    const key = first?.org.keys[0] ?? '';
    let chosen = byKey.get(key);
    if (chosen === undefined) byKey.set(key, (chosen = choose(found, true)));
    return chosen;
  };
}

const keysIn = (memberships: readonly Membership[]) => memberships.map(({ key }) => key).join(', ');

/** Of the roles in organizations for which the user gets no user grant; `hasGrants`: those of the home are granted. */
export function noteRolesLeft(
  { organizations = [] }: UserRecord | MachineRecord,
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

/** Organizations of the source that are to be at the target even where no user lives in them. */
export function listCreated(settings: OrgSettings): TargetOrg[] {
  const { create, members } = settings;
  if (!create || members === undefined) return [];
  return members.orgs.flatMap((org) => toTarget(org, settings) ?? []).filter(({ name }) => name !== '');
}

/** Undefined for one that is neither in the map nor to be created. */
function toTarget({ keys, name, domains }: SourceOrg, { ids, create, matched = {} }: OrgSettings) {
  const mapped = keys.find((key) => Object.hasOwn(ids, key));
  if (mapped !== undefined) return orgById(ids[mapped]!);
  if (!create) return undefined;
  const short = cut(name, 200);
  const orgId = deriveOrgId(short);
  return { orgId: matched[orgId] ?? orgId, name: short, domains };
}

/** Each organization once. */
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

/** By the id that the source has for the user, and by the user name. */
function findMembers({ record }: RecordToPlace, { memory, places }: Members) {
  const names = [memberId(record.origin.id), memberName(record.userName)];
  const found = new Set(names.flatMap((name) => findMemberships(memory, name)));
  return [...found].map((index) => places[index]!);
}

/** What is hashed for a member that is known by id, and by name: so that a name is never taken for an id. */
export const memberId = (id: string): string => `id ${id}`;
export const memberName = (name: string): string => `name ${name.toLowerCase()}`;

function membershipsOf(place: RecordToPlace, rule: OrgRule) {
  if (rule.by === 'organization') return place.record.organizations ?? [];
  return keysOf(place, rule).map((key) => ({ key, roles: [] }));
}

function keysOf(
  { raw, record, realm, parts }: RecordToPlace,
  rule: Exclude<OrgRule, { by: 'organization' }>,
): readonly string[] {
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

/** `/customers/acme/staff` has the key `acme` under `/customers/*`; empty where the path does not begin so. */
function keyInGroup(path: string, pattern: readonly string[]) {
  const steps = path.split('/').filter((step) => step !== '');
  if (!pattern.every((step, at) => step === '*' || steps[at] === step)) return '';
  return steps[pattern.indexOf('*')] ?? '';
}

/** Objects in which sources keep what the users of a system have added. */
const attributeHolders = [
  'attributes',
  'app_metadata',
  'user_metadata',
  'public_metadata',
  'metadata',
  'claims',
];

/** The first place that has it: the record itself, a path with dots, then the holders of attributes. */
function attributeOf(raw: unknown, name: string): readonly string[] {
  if (!isObject(raw)) return [];
  const holders = attributeHolders.map((holder) => raw[holder]).filter(isObject);
  for (const holder of [raw, ...holders]) {
    const steps = Object.hasOwn(holder, name) ? [name] : name.split('.');
    const texts = textsOf(steps.reduce<unknown>(own, holder));
    if (texts.length > 0) return texts;
  }
  return [];
}

const own = (value: unknown, key: string): unknown =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;

const textsOf = (value: unknown) => [value].flat().flatMap((one) => readJsonId(one)?.trim() || []);
