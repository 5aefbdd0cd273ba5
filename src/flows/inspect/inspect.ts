/** Summarizes an export: what it contains, what the target accepts, what will not move. */
import { factorSection } from '../../records/sections.ts';
import { summarize, type Summary } from '../../records/summary.ts';
import { type Tally, count, type Counts } from '../../records/tally.ts';
import { BrokenRecord } from '../../sources/raw-record.ts';
import { loadProvider } from '../../sources/index.ts';
import type { Parts, ProviderPart, RolePart, RecordParts } from '../../sources/source.ts';
import { type OpenedSource, readRaw } from '../read/read-users.ts';
import { TextMarks } from '../../compact/key-table.ts';
import { isObject, type JsonObject } from '../../lib/json-value.ts';
import type { ReadResult } from '../../records/user.ts';

export interface Counted {
  readonly what: string;
  readonly count: number;
}

interface InspectRequest extends OpenedSource {
  readonly targetProfile: string;
  /** Counts of a conversion that writes nothing. */
  readonly tally: Tally;
}

const noParts: Parts = { organizations: [], roles: [], groups: [], applications: [], identityProviders: [] };

/** Document of `--format json`. */
export type Inspection = Awaited<ReturnType<typeof inspect>>;

/** Reads the inputs twice more. Throws `InputError`. */
export async function inspect(request: InspectRequest) {
  const { provider: name, options, inputs, tally, targetProfile } = request;
  const provider = await loadProvider(name);
  const parts = (await provider.parts?.(inputs, options)) ?? noParts;
  const counts = createRecordCounts();
  for await (const { raw, record } of readRaw(request)) {
    if (raw instanceof BrokenRecord) counts.add(undefined, record, undefined);
    else counts.add(raw, record, provider.partsOf?.(raw));
  }
  const summary = summarize(tally);
  const { read, written, withNotes, rejected, skipped, machines, inactive } = summary;
  return {
    /** Name of the provider: `keycloak`. */
    source: name,
    inputs: inputs.map(({ name }) => name),
    targetProfile,
    users: { read, written, withNotes, rejected, skipped, machines, inactive },
    passwords: passwordsOf(summary),
    secondFactors: factorSection(summary).rows.map(({ text: what, count = 0 }) => ({ what, count })),
    /** Fields of the source that at least one record has filled, in the order of the export. */
    fields: Array.from(counts.fields, ([name, filled]) => ({ name, filled })),
    duplicates: duplicatesOf(summary, counts),
    /** In roles, `users` is the number of users who have the role directly. */
    ...usedParts(parts, counts, summary),
    organizations: parts.organizations,
    applications: parts.applications,
    rejections: causesOf(summary.rejections),
    lost: lostOf(summary, parts),
  };
}

/** Returns the parts with their numbers of users. */
function usedParts({ roles, groups, identityProviders }: Parts, counts: RecordCounts, { aliases }: Summary) {
  const role = (key: string): RolePart => ({ key, description: '', includes: [] });
  const provider = (alias: string): ProviderPart => ({ alias, kind: '', isEnabled: true });
  // Only some sources count links by record. A conversion counts the users whose links it leaves out.
  const left = new Map(aliases.map(({ alias, count }) => [alias, count]));
  const links = counts.identityProviders.size > 0 ? counts.identityProviders : left;
  return {
    roles: withUnlisted(roles, ({ key }) => key, counts.roles, role),
    groups: withUnlisted(
      groups,
      ({ path }) => path,
      counts.groups,
      (path) => ({ path, roles: [] }),
    ),
    identityProviders: withUnlisted(identityProviders, ({ alias }) => alias, links, provider),
  };
}

/** Appends what users have and the export does not define, since lists of users define nothing. */
function withUnlisted<Part extends object>(
  parts: readonly Part[],
  nameOf: (part: Part) => string,
  counts: ReadonlyMap<string, number>,
  make: (name: string) => Part,
) {
  const listed = new Set(parts.map(nameOf));
  const others = [...counts.keys()].filter((name) => !listed.has(name)).map(make);
  return [...parts, ...others].map((part) => ({ ...part, users: counts.get(nameOf(part)) ?? 0 }));
}

const accepted = { isAccepted: true, problem: '', remedy: '' } as const;

/**
 * Counts users who are migrated. `none` are those without a password, `placeholder` those with the placeholder password. A
 * refused hash also counts for its algorithm, whether kept or dropped, so it is subtracted there.
 */
function passwordsOf({ hashes, refusals, signIn }: Summary) {
  const placeholders = signIn.find(({ kind }) => kind === 'placeholder')?.count ?? 0;
  const refused = refusals.map(({ algorithm, problem, remedy, count }) => ({
    algorithm,
    users: count,
    isAccepted: false,
    problem,
    remedy,
  }));
  const accept = (algorithm: string, users: number) => ({ algorithm, users, ...accepted });
  const others = hashes.map(({ algorithm, before }) => {
    const ofAlgorithm = refused.filter((one) => one.algorithm === algorithm).map(({ users }) => users);
    return accept(algorithm, before - sum(ofAlgorithm) - (algorithm === 'none' ? placeholders : 0));
  });
  return [...[...others, accept('placeholder', placeholders)].filter(({ users }) => users > 0), ...refused];
}

const causesOf = (reasons: Summary['rejections']) =>
  reasons.map(({ cause: what, count }) => ({ what, count }));

function duplicatesOf({ rejections, skips }: Summary, { sameEmail }: RecordCounts) {
  const byCode = [...rejections, ...skips].filter(({ code }) => code.includes('duplicate'));
  return [...causesOf(byCode), { what: 'The email address of an earlier user.', count: sameEmail }].filter(
    ({ count }) => count > 0,
  );
}

function lostOf({ notMigrated, aliases }: Summary, parts: Parts) {
  const ofUsers = notMigrated.map(({ kind, codes, count }) => ({
    what: `users with ${kind} (${codes.join(', ')})`,
    count,
  }));
  const beside: readonly (readonly [string, number])[] = [
    ['organizations', parts.organizations.length],
    ['memberships in organizations', sum(parts.organizations.map(({ members }) => members))],
    ['definitions of roles', parts.roles.length],
    ['definitions of groups', parts.groups.length],
    ['applications', parts.applications.length],
    ['identity providers', Math.max(parts.identityProviders.length, aliases.length)],
  ];
  return [...ofUsers, ...beside.map(([what, count]) => ({ what, count }))].filter(({ count }) => count > 0);
}

function sum(numbers: readonly number[]) {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Limit for names, because inputs could contain any number of them. */
const mostNames = 10_000;

type RecordCounts = ReturnType<typeof createRecordCounts>;

function createRecordCounts() {
  const emails = new TextMarks();
  const counts = {
    fields: new Map() as Counts,
    roles: new Map() as Counts,
    groups: new Map() as Counts,
    identityProviders: new Map() as Counts,
    /** Number of users with an address that an earlier user has. */
    sameEmail: 0,
    add(raw: unknown, record: ReadResult, parts: RecordParts | undefined) {
      if (isObject(raw)) for (const name of filledFields(raw)) add(counts.fields, name);
      for (const kind of ['roles', 'groups', 'identityProviders'] as const) {
        for (const name of new Set(parts?.[kind])) add(counts[kind], name);
      }
      if (record.kind !== 'human' || record.email === '') return;
      if (emails.add(record.email.toLowerCase()) !== -1) counts.sameEmail++;
    },
  };
  return counts;
}

function add(counts: Counts, name: string) {
  if (counts.has(name) || counts.size < mostNames) count(counts, name);
}

/** Yields names such as `email`, and each key of an object: `attributes.locale`. */
function* filledFields(raw: JsonObject) {
  for (const [name, value] of Object.entries(raw)) {
    if (isEmpty(value)) continue;
    if (!isObject(value)) yield name;
    else for (const [inner, part] of Object.entries(value)) if (!isEmpty(part)) yield `${name}.${inner}`;
  }
}

function isEmpty(value: unknown) {
  return (
    value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
  );
}
