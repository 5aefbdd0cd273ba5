/**
 * Compiles a mapping into a reader, which makes a row, or the rows of one user, into the same record that every other source
 * makes.
 */
import { hashText } from '../../../compact/key-table.ts';
import { isObject, type JsonObject, typeName } from '../../../lib/json-value.ts';
import {
  type Note,
  type Origin,
  type ReadResult,
  type UserRecord,
  addNote,
  deriveId,
  reject,
  startUser,
  addMemberships,
} from '../../../records/user.ts';
import { finishMachine, finishUser } from '../../../records/finish-user.ts';
import type { Reader } from '../../source.ts';
import { furtherRowsOf } from '../../raw-record.ts';
import type { TableOptions, Mapping, UserMapping } from './schema.ts';
import { describeColumns } from './columns.ts';
import { compileCondition, compileText } from './values.ts';
import {
  MappingProblem,
  type NamedColumn,
  type Scope,
  type Setting,
  withoutColumns,
  isRounded,
} from './paths.ts';
import { compileUser } from './user.ts';

/** A row as the mapping reads it, and what its source knows about it besides its columns. */
export interface PreparedRow extends Pick<Scope, 'extra'> {
  readonly row: JsonObject;
  readonly notes?: readonly Note[];
  /** Reasons why the record is rejected. */
  readonly problems?: string[];
}

type Prepare<Context> = (row: JsonObject, context: Context, place: number) => PreparedRow;

/** Throws `MappingProblem`. */
export function createReader<Context>(options: TableOptions, prepare?: Prepare<Context>) {
  return compileMapping(options, prepare).read;
}

/** Returns the columns that a mapping reads. Throws `MappingProblem`. */
export function columnsOf(mapping: Mapping) {
  // No column depends on the other options.
  const options = { mapping, secrets: {}, now: 0 } as unknown as TableOptions;
  return describeColumns(mapping, compileMapping(options).named);
}

function compileMapping<Context>(
  options: TableOptions,
  prepare: Prepare<Context> = (row) => ({ row }),
): { read: Reader<Context>; named: readonly NamedColumn[] } {
  const { mapping } = options;
  const setting: Setting = { now: options.now, columns: [] };
  const rules = (mapping.where ?? []).map((rule, at) => ({
    ...rule,
    test: compileCondition(rule.when, `where[${at}].when`, setting),
  }));
  const wrong = rules.findIndex(({ skip, machine }) => (skip === undefined) === (machine === undefined));
  if (wrong !== -1) throw new MappingProblem(`where[${wrong}]`, 'a rule has either skip or machine');
  const fills = compileUser(options, setting);
  const place = placeReader(mapping.user, setting);
  const shared = createSharedCheck();
  const fillUser = (scope: Scope, origin: Origin) => {
    const draft = startUser(origin);
    for (const fill of fills) fill(draft, scope);
    return draft;
  };
  const read: Reader<Context> = (value, { input, index }, context, at): ReadResult => {
    shared.moveTo(index);
    if (!isObject(value))
      return reject({ origin: { input, index, id: '' } }, 'record:not-an-object', typeName(value));
    const { row, extra, notes = [], problems = [] } = prepare(value, context, at);
    const ruled = [row, ...furtherRowsOf(row)].map((one) => {
      const scope: Scope = { row: one, key: '', problems, extra };
      return { scope, rule: rules.find(({ test }) => test(scope)) };
    });
    const origin = { input, index, id: place(ruled[0]!.scope) };
    const kept = ruled.filter((one) => one.rule?.skip === undefined);
    const { scope, rule } = kept[0] ?? ruled[0]!;
    if (rule?.skip !== undefined) return reject({ origin }, 'user-skipped:by-mapping', rule.skip);
    const draft = fillUser(scope, origin);
    draft.notes.push(...notes);
    if (kept.length > 1)
      mergeRows(
        draft,
        kept.slice(1).map((other) => fillUser(other.scope, origin)),
      );
    if (ruled.length > 1) addNote(draft, 'rows:joined', describeRows(ruled));
    if (problems.length > 0) return reject(draft, 'record:malformed', [...new Set(problems)].join('; '));
    const problem = completeKeys(draft, mapping.name ?? 'table');
    if (problem !== undefined) return reject(draft, 'record:malformed', problem);
    if (rule?.machine === true) return finishMachine(draft);
    notePassword(draft, mapping);
    const first = shared.findFirst(draft.passwordHash, draft.userName || origin.id);
    if (first !== undefined) addNote(draft, 'password:shared', `the same as ${first}`);
    return finishUser(draft, options);
  };
  return { read, named: setting.columns };
}

function describeRows(
  rows: readonly { readonly rule: { readonly skip?: string | undefined } | undefined }[],
) {
  const skips = rows.flatMap(({ rule }) => rule?.skip ?? []);
  const left = skips.length === 0 ? '' : `, ${skips.length} left out: ${[...new Set(skips)].join(', ')}`;
  return `${rows.length} rows${left}`;
}

/** Maximum number of hashes to remember. A batch has fewer users. */
const maxHashes = 10_000;

/**
 * Finds the first user of the batch with the same hash. With a salt in the hash, that is no coincidence. Looks only
 * within a batch, so that the result does not depend on the number of threads.
 */
function createSharedCheck() {
  // Keeps hashes as numbers, and a new map for each batch, because their texts would keep the whole batch in memory.
  let firsts = new Map<number, string>();
  let last = -1;
  const words = new Uint32Array(2);
  return {
    // An index that does not grow means a new batch, whose first row may be broken and is not read then.
    moveTo(index: number) {
      if (index <= last || firsts.size >= maxHashes) firsts = new Map();
      last = index;
    },
    findFirst(hash: string, name: string) {
      if (!hash.startsWith('$')) return undefined;
      hashText(hash, 0, words, 0);
      const key = words[0]! * 2 ** 20 + (words[1]! >>> 12);
      const first = firsts.get(key);
      if (first === undefined) firsts.set(key, name);
      return first;
    },
  };
}

/** Compiles what names the record in reports: its id, else its user name or email. */
function placeReader({ id, userName, email }: UserMapping, setting: Setting) {
  const values = [id, userName, email].flat(2).filter((value) => value !== undefined);
  return compileText(values, 'user.id', withoutColumns(setting));
}

/**
 * Completes id and names. Returns what is wrong, or undefined. An id or a phone number that a spreadsheet has rounded is
 * lost.
 */
function completeKeys(draft: UserRecord, name: string) {
  draft.id = draft.id.trim();
  if (isRounded(draft.id)) return `the id ${draft.id} was rounded by a spreadsheet`;
  if (isRounded(draft.phone.trim())) {
    draft.phone = '';
    addNote(draft, 'phone:dropped', 'it was rounded by a spreadsheet');
  }
  if (draft.userName.trim() === '') draft.userName = draft.email || draft.phone || draft.id;
  if (draft.id === '' && draft.userName.trim() !== '') {
    draft.id = deriveId(name, draft.userName.trim());
    addNote(draft, 'id:derived');
  }
  if (draft.displayName.trim() === '') draft.displayName = draft.fullName;
  return undefined;
}

/** Notes why there is no password, unless a note says so already or a link makes a password unnecessary. */
function notePassword(draft: UserRecord, mapping: Mapping) {
  if (draft.passwordHash + draft.plainPassword !== '' || draft.links.length > 0) return;
  if (mapping.password === undefined) addNote(draft, 'password:none', 'the mapping names none');
  else if (!draft.notes.some(({ code }) => code.startsWith('password:'))) addNote(draft, 'password:none');
}

const texts = [
  ['userName', 'user name'],
  ['email', 'email'],
  ['givenName', 'first name'],
  ['familyName', 'last name'],
  ['fullName', 'full name'],
  ['nickName', 'nick name'],
  ['displayName', 'display name'],
  ['language', 'language'],
  ['phone', 'phone'],
  ['passwordHash', 'password'],
  ['plainPassword', 'password'],
  ['otpSecret', 'TOTP secret'],
] as const satisfies readonly (readonly [keyof UserRecord, string])[];

/** Takes the first value of a field that is not empty. A note names the fields in which rows differ from it. */
function mergeRows(draft: UserRecord, rows: readonly UserRecord[]) {
  const all = [draft, ...rows];
  const differing = new Set<string>();
  mergePasswordNotes(all);
  for (const row of rows) {
    mergeFlags(draft, row, differing);
    for (const [field, name] of texts) {
      if (draft[field] === '') draft[field] = row[field];
      else if (row[field] !== '' && row[field] !== draft[field]) differing.add(name);
    }
  }
  mergeMetadata(draft, rows, differing);
  draft.links = unique(
    all.flatMap(({ links }) => links),
    (link) => JSON.stringify([link.configId, link.externalUserId]),
  );
  draft.recoveryCodes = unique(all.flatMap(({ recoveryCodes }) => recoveryCodes));
  const roles = unique(all.flatMap((row) => row.roles ?? []));
  if (roles.length > 0) draft.roles = roles;
  addMemberships(
    draft,
    rows.flatMap(({ organizations = [] }) => organizations),
  );
  draft.notes = unique(
    all.flatMap(({ notes }) => notes),
    (note) => JSON.stringify(note),
  );
  if (differing.size > 0) addNote(draft, 'rows:differ', [...differing].join(', '));
}

/** If a row has a usable password, drops the notes of others about theirs. */
function mergePasswordNotes(all: readonly UserRecord[]) {
  const without = all.filter(({ passwordHash, plainPassword }) => passwordHash + plainPassword === '');
  if (without.length === all.length) return;
  for (const row of without) {
    row.notes = row.notes.filter(({ code }) => !code.startsWith('password:'));
    row.sourceForm = undefined;
  }
}

/** Merges flags. If rows differ, the safer value counts. */
function mergeFlags(draft: UserRecord, row: UserRecord, differing: Set<string>) {
  for (const field of ['email', 'phone'] as const) {
    const flag = `${field}Verified` as const;
    if (draft[field] === '') draft[flag] = row[flag];
    else if (row[field] !== '' && draft[flag] !== row[flag]) {
      differing.add(`whether the ${field} is verified`);
      draft[flag] = false;
    }
  }
  if (draft.phone === '') draft.phoneRegion = row.phoneRegion ?? '';
  if (draft.state !== row.state) {
    differing.add('state');
    draft.state = 'inactive';
  }
  if (draft.gender === 'unspecified') draft.gender = row.gender;
  else if (row.gender !== 'unspecified' && row.gender !== draft.gender) differing.add('gender');
}

function mergeMetadata(draft: UserRecord, rows: readonly UserRecord[], differing: Set<string>) {
  const known = new Map(draft.metadata.map(({ key, value }) => [key, value]));
  for (const entry of rows.flatMap(({ metadata }) => metadata)) {
    const { key, value } = entry;
    const first = known.get(key);
    if (first === undefined) draft.metadata.push(entry);
    else if (value !== first) differing.add(`metadata ${key}`);
    known.set(key, first ?? value);
  }
}

/** Returns the items without those whose key an earlier one has. */
function unique<Item>(items: readonly Item[], keyOf: (item: Item) => unknown = (item) => item) {
  const firsts = new Map<unknown, Item>();
  for (const item of items) {
    const key = keyOf(item);
    if (!firsts.has(key)) firsts.set(key, item);
  }
  return [...firsts.values()];
}
