/** Finds the organization at the target for each record. Runs on every thread. */
import { findMemberships, type MembershipMemory } from '../../compact/membership-table.ts';
import { hashText } from '../../compact/hash-text.ts';
import { isObject } from '../../lib/json-value.ts';
import { deriveOrgId, type OrgRule, type SourceOrg, type TargetOrg } from '../../records/organization.ts';
import type { MachineRecord, Note, UserRecord } from '../../records/user.ts';
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
  readonly seed: number;
  /** By the indexes in the memory. */
  readonly orgs: readonly SourceOrg[];
}

export interface RecordPlace {
  readonly raw: unknown;
  readonly record: UserRecord | MachineRecord;
  /** Empty where the source knows none. */
  readonly realm: string;
  readonly parts: RecordParts | undefined;
}

export interface ChosenOrg {
  readonly org: TargetOrg;
  /** Those in which the user gets a user grant. */
  readonly granted: readonly TargetOrg[];
  readonly note: Note | undefined;
}

export type OrgChooser = (place: RecordPlace) => ChosenOrg;

export function createOrgChooser(settings: OrgSettings): OrgChooser {
  const { fallback } = settings;
  const known = new Map<string, TargetOrg | undefined>();
  const resolve = (org: SourceOrg): TargetOrg | undefined => {
    const [key = ''] = org.keys;
    if (!known.has(key)) known.set(key, toTarget(org, settings));
    return known.get(key);
  };
  const none: TargetOrg = { orgId: fallback, name: '', domains: [] };
  /** What becomes of users with just this key: most have one, and many have the same. */
  const byKey = new Map<string, ChosenOrg>();
  const choose = (place: RecordPlace): ChosenOrg => {
    const found = findOrgs(place, settings);
    const [first, ...others] = found;
    if (first === undefined) return { org: none, granted: [], note: { code: 'org:none' } };
    const org = resolve(first);
    if (org === undefined)
      return { org: none, granted: [], note: { code: 'org:unmapped', detail: first.keys[0] ?? '' } };
    const { granted, left } = chooseGranted(org, others, place.record.id !== '');
    const further = left.map(({ keys: [key = ''] }) => key).join(', ');
    return { org, granted, note: further === '' ? undefined : { code: 'org:further', detail: further } };
  };
  /** Two of the source may be one at the target. A grant names its user by id. */
  const chooseGranted = (home: TargetOrg, others: readonly SourceOrg[], hasId: boolean) => {
    const granted = new Map<string, TargetOrg>();
    const left: SourceOrg[] = [];
    for (const other of others) {
      const org = hasId && settings.further === 'grants' ? resolve(other) : undefined;
      if (org === undefined) left.push(other);
      else if (org.orgId !== home.orgId) granted.set(org.orgId, org);
    }
    return { granted: [...granted.values()], left };
  };
  const { rule, members } = settings;
  if (members !== undefined) return choose;
  return (place) => {
    const [key = '', ...others] = keysOf(place, rule);
    if (others.length > 0) return choose(place);
    let chosen = byKey.get(key);
    if (chosen === undefined) byKey.set(key, (chosen = choose(place)));
    return chosen;
  };
}

/** Organizations of the source that are to be at the target even where no user lives in them. */
export function listCreated(settings: OrgSettings): TargetOrg[] {
  const { create, members } = settings;
  if (!create || members === undefined) return [];
  return members.orgs.flatMap((org) => toTarget(org, settings) ?? []).filter(({ name }) => name !== '');
}

/** Undefined for one that is neither in the map nor to be created. */
function toTarget(
  { keys, name, domains }: SourceOrg,
  { ids, create, matched = {} }: OrgSettings,
): TargetOrg | undefined {
  const mapped = keys.find((key) => Object.hasOwn(ids, key));
  if (mapped !== undefined) return { orgId: ids[mapped]!, name: '', domains: [] };
  if (!create) return undefined;
  const short = name.slice(0, 200);
  const orgId = deriveOrgId(short);
  return { orgId: matched[orgId] ?? orgId, name: short, domains };
}

function findOrgs(place: RecordPlace, { rule, members }: OrgSettings): readonly SourceOrg[] {
  if (members !== undefined) return findMembers(place, members);
  const keys = new Set(keysOf(place, rule).filter((key) => key !== ''));
  return [...keys].map((key) => ({ keys: [key], name: key, domains: rule.by === 'domain' ? [key] : [] }));
}

/** By the id that the source has for the user, and by the user name. */
function findMembers({ record }: RecordPlace, { memory, seed, orgs }: Members): SourceOrg[] {
  const words = new Uint32Array(2);
  const found = new Set<number>();
  for (const name of new Set([memberId(record.origin.id), memberName(record.userName)])) {
    hashText(name, seed, words, 0);
    for (const index of findMemberships(memory, words[0]!, words[1]!)) found.add(index);
  }
  return [...found].map((index) => orgs[index]!);
}

/** What is hashed for a member that is known by id, and by name: so that a name is never taken for an id. */
export const memberId = (id: string): string => `id ${id}`;
export const memberName = (name: string): string => `name ${name.toLowerCase()}`;

function keysOf({ raw, record, realm, parts }: RecordPlace, rule: OrgRule): readonly string[] {
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
    case 'organization':
      return record.organizations ?? [];
  }
}

/** `/customers/acme/staff` has the key `acme` under `/customers/*`; empty where the path does not begin so. */
function keyInGroup(path: string, pattern: readonly string[]): string {
  const steps = path.split('/').filter((step) => step !== '');
  if (!pattern.every((step, at) => step === '*' || steps[at] === step)) return '';
  return steps[pattern.indexOf('*')] ?? '';
}

/** Objects in which sources keep what the users of a system have added. */
const attributeHolders = ['attributes', 'app_metadata', 'user_metadata', 'public_metadata', 'metadata'];

/** The first place that has it: the record itself, a path with dots, then the holders of attributes. */
function attributeOf(raw: unknown, name: string): readonly string[] {
  if (!isObject(raw)) return [];
  const holders = attributeHolders.map((holder) => raw[holder]).filter(isObject);
  for (const holder of [raw, ...holders]) {
    const texts = textsOf(Object.hasOwn(holder, name) ? holder[name] : valueAt(holder, name.split('.')));
    if (texts.length > 0) return texts;
  }
  return [];
}

function valueAt(holder: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>(
    (value, step) => (isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined),
    holder,
  );
}

function textsOf(value: unknown): string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values
    .filter((one) => typeof one === 'string' || Number.isSafeInteger(one))
    .map((one) => String(one).trim())
    .filter((text) => text !== '');
}
