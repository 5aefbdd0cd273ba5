/** Compiles a mapping into the reader of a source: one row in, the same record that every other source gives out. */
import { hashText } from '../../../compact/hash-text.ts';
import { isObject, type JsonObject, typeName } from '../../../lib/json-value.ts';
import type { ReasonCode } from '../../../records/reasons.ts';
import type { MachineRecord, Note, Origin, ReadResult, UserRecord } from '../../../records/user.ts';
import { readGender } from '../../../records/gender.ts';
import { finishUser } from '../../../records/finish-user.ts';
import {
  addLink,
  addMemberships,
  addNote,
  deriveId,
  reject,
  startUser,
} from '../../../records/build-user.ts';
import type { Reader } from '../../source.ts';
import { furtherRowsOf } from '../../repeated-rows.ts';
import type { TableOptions, LinkMapping, Mapping, UserMapping } from './schema.ts';
import { mergeRow } from './merge-rows.ts';
import { describeColumns, type MappingColumns } from './columns.ts';
import { compileCondition, type Test } from './conditions.ts';
import {
  compileCell,
  containerOf,
  type NamedColumn,
  type Scope,
  type Setting,
  withoutColumns,
} from './paths.ts';
import { compileOtherFactors, compileOtp, compileRecoveryCodes, type Fill } from './factors.ts';
import { compilePassword } from './password.ts';
import { compileMetadata } from './metadata.ts';
import { MappingProblem } from './problem.ts';
import { isRounded, textOf } from './texts.ts';
import type { Value } from './value-schema.ts';
import { compileText, compileTexts, compileValue, elementsOf, type ReadText } from './values.ts';

/** A row as the mapping reads it, and what a source with files of its own knows of it besides its columns. */
export interface PreparedRow extends Pick<Scope, 'extra'> {
  readonly row: JsonObject;
  readonly notes?: readonly Note[];
  /** What costs the record. */
  readonly problems?: string[];
}

type Prepare<Context> = (row: JsonObject, context: Context, place: number) => PreparedRow;

/** Throws `MappingProblem`. */
export function createReader<Context>(options: TableOptions, prepare?: Prepare<Context>): Reader<Context> {
  return compileMapping(options, prepare).read;
}

/** Which columns a mapping reads depends on none of them. */
const anyOptions: Omit<TableOptions, 'mapping'> = {
  mappingName: '',
  isOwnMapping: true,
  nameFallback: 'username',
  emailFallback: 'skip',
  placeholderDomain: '',
  emailVerified: undefined,
  defaultRegion: undefined,
  disabled: 'keep',
  metadata: 'none',
  idps: {},
  plaintext: 'skip',
  pbkdf2Encoding: 'padded',
  secrets: {},
  now: 0,
};

/** The columns that a mapping reads. Throws `MappingProblem`. */
export function columnsOf(mapping: Mapping): MappingColumns {
  return describeColumns(mapping, compileMapping({ ...anyOptions, mapping }).named);
}

function compileMapping<Context>(
  options: TableOptions,
  prepare: Prepare<Context> = (row) => ({ row }),
): { read: Reader<Context>; named: readonly NamedColumn[] } {
  const { mapping } = options;
  const setting: Setting = { nulls: new Set(mapping.source?.null ?? []), now: options.now, columns: [] };
  const rules = (mapping.where ?? []).map((rule, at) => ({
    ...rule,
    test: compileCondition(rule.when, `where[${at}].when`, setting),
  }));
  const wrong = rules.findIndex(({ skip, machine }) => (skip === undefined) === (machine === undefined));
  if (wrong !== -1) throw new MappingProblem(`where[${wrong}]`, 'a rule has either skip or machine');
  const fills = compileUser(options, setting);
  const place = placeReader(mapping.user, setting);
  const shared = createSharedCheck();
  const fillUser = (scope: Scope, origin: Origin): UserRecord => {
    const draft = startUser(origin);
    for (const fill of fills) fill(draft, scope);
    return draft;
  };
  const read: Reader<Context> = (value, { input, index }, context, at): ReadResult => {
    shared.moveTo(index);
    if (!isObject(value))
      return reject({ origin: { input, index, id: '' } }, 'record:not-an-object', typeName(value));
    const { row, extra, notes = [], problems = [] } = prepare(value, context, at);
    const ruledRow = (one: unknown) => {
      const scope: Scope = { row: one, key: '', problems, extra };
      return { scope, rule: rules.find(({ test }) => test(scope)) };
    };
    const own = ruledRow(row);
    const origin = { input, index, id: place(own.scope) };
    const more = furtherRowsOf(row);
    const ruled = more.length === 0 ? [own] : [own, ...more.map(ruledRow)];
    const [{ scope, rule } = own, ...further] = ruled.filter((one) => one.rule?.skip === undefined);
    if (rule?.skip !== undefined) return reject({ origin }, 'user-skipped:by-mapping', rule.skip);
    const draft = fillUser(scope, origin);
    draft.notes.push(...notes);
    for (const other of further) mergeRow(draft, fillUser(other.scope, origin));
    if (ruled.length > 1) addNote(draft, 'rows:joined', describeRows(ruled));
    if (problems.length > 0) return reject(draft, 'record:malformed', [...new Set(problems)].join('; '));
    const problem = completeKeys(draft, mapping.name ?? 'table');
    if (problem !== undefined) return reject(draft, 'record:malformed', problem);
    if (rule?.machine === true) return toMachine(draft, origin);
    notePassword(draft, mapping);
    const first = shared.findFirst(draft.passwordHash, draft.userName || origin.id);
    if (first !== undefined) addNote(draft, 'password:shared', `the same as ${first}`);
    return finishUser(draft, options);
  };
  return { read, named: setting.columns };
}

function describeRows(
  rows: readonly { readonly rule: { readonly skip?: string | undefined } | undefined }[],
): string {
  const skips = rows.flatMap(({ rule }) => rule?.skip ?? []);
  const left = skips.length === 0 ? '' : `, ${skips.length} left out: ${[...new Set(skips)].join(', ')}`;
  return `${rows.length} rows${left}`;
}

/** A batch has fewer users. */
const maxHashes = 10_000;

/**
 * The first user of the batch with the same hash: with a salt in it, that is not by chance. Only within a batch, so that the
 * answer does not depend on the number of threads.
 */
function createSharedCheck() {
  // Hashes as numbers, and a new map for each batch: their texts would keep the whole batch in memory.
  let firsts = new Map<number, string>();
  let last = -1;
  const words = new Uint32Array(2);
  return {
    // The first row of a batch may be broken, and no row of a user.
    moveTo(index: number): void {
      if (index <= last || firsts.size >= maxHashes) firsts = new Map();
      last = index;
    },
    findFirst(hash: string, name: string): string | undefined {
      if (!hash.startsWith('$')) return undefined;
      hashText(hash, 0, words, 0);
      const key = words[0]! * 2 ** 20 + (words[1]! >>> 12);
      const first = firsts.get(key);
      if (first === undefined) firsts.set(key, name);
      return first;
    },
  };
}

/** What names the record in reports: its id, else its name or email. */
function placeReader({ id, userName, email }: UserMapping, setting: Setting): ReadText {
  const values = [id, userName, email].flat(2).filter((value) => value !== undefined);
  return compileText(values, 'user.id', withoutColumns(setting));
}

const texts = [
  'id',
  'userName',
  'email',
  'givenName',
  'familyName',
  'fullName',
  'nickName',
  'displayName',
  'language',
  'phone',
] as const satisfies readonly (keyof UserMapping & keyof UserRecord)[];

function compileUser(options: TableOptions, setting: Setting): readonly Fill[] {
  const { user, password, tables = {} } = options.mapping;
  const fills: Fill[] = [];
  for (const field of texts) {
    const value = user[field];
    if (value === undefined) continue;
    const read = compileText(value, `user.${field}`, setting);
    fills.push((draft, scope) => {
      draft[field] = read(scope);
    });
  }
  if (user.gender !== undefined) {
    const read = compileText(user.gender, 'user.gender', setting);
    fills.push((draft, scope) => {
      draft.gender = readGender(read(scope));
    });
  }
  const { emailVerified = false, phoneVerified = false } = user;
  const isVerified = compileCondition(
    emailVerified === 'unknown' ? false : emailVerified,
    'user.emailVerified',
    setting,
  );
  const isPhoneVerified = compileCondition(phoneVerified, 'user.phoneVerified', setting);
  const isInactive = compileState(user, setting);
  fills.push((draft, scope) => {
    draft.emailVerified = draft.email !== '' && (options.emailVerified ?? isVerified(scope));
    draft.phoneVerified = isPhoneVerified(scope);
    if (isInactive(scope)) draft.state = 'inactive';
  });
  for (const [at, link] of listOf(user.links).entries())
    fills.push(compileLink(link, `user.links[${at}]`, options, setting));
  if (user.otp !== undefined) fills.push(compileOtp(listOf(user.otp), setting));
  if (user.recoveryCodes !== undefined) fills.push(compileRecoveryCodes(user.recoveryCodes, setting));
  if (user.otherFactors !== undefined) fills.push(compileOtherFactors(user.otherFactors, setting));
  if (user.organization !== undefined) {
    const keys = compileTexts(user.organization, undefined, 'user.organization', setting);
    fills.push((draft, scope) =>
      addMemberships(
        draft,
        keys(scope).map((key) => ({ key, roles: [] })),
      ),
    );
  }
  if (user.memberships !== undefined) fills.push(compileMemberships(user.memberships, setting));
  if (user.roles !== undefined) fills.push(compileRoles(user.roles, setting));
  if (user.requiredActions !== undefined) {
    const actions = compileTexts(user.requiredActions, undefined, 'user.requiredActions', setting);
    fills.push((draft, scope) => {
      const found = actions(scope).join(', ').slice(0, 200);
      if (found !== '') addNote(draft, 'required-action:not-migrated', found);
    });
  }
  const fillPassword = password === undefined ? [] : [compilePassword(password, setting, options)];
  for (const [name, { on }] of Object.entries(tables))
    if (on !== undefined) compileValue(on, `tables.${name}.on`, setting);
  // Last: what is left is what nothing else has read.
  return [...fills, compileMetadata(options, setting), ...fillPassword];
}

function listOf<Item>(items: Item | Item[] | undefined): readonly Item[] {
  if (items === undefined) return [];
  return Array.isArray(items) ? items : [items];
}

function compileState({ state }: UserMapping, setting: Setting): Test {
  if (state?.inactive !== undefined && state.active !== undefined) {
    throw new MappingProblem('user.state', 'there is both inactive and active');
  }
  if (state?.inactive !== undefined) return compileCondition(state.inactive, 'user.state.inactive', setting);
  if (state?.active === undefined) return () => false;
  const isActive = compileCondition(state.active, 'user.state.active', setting);
  return (scope) => !isActive(scope);
}

function compileLink(link: LinkMapping, place: string, options: TableOptions, setting: Setting): Fill {
  const inside = link.each === undefined ? setting : withoutColumns(setting);
  const alias = compileAlias(link.alias, `${place}.alias`, options, inside);
  const externalUserId = compileText(link.externalUserId, `${place}.externalUserId`, inside);
  const displayName = compileText(link.displayName ?? { value: '' }, `${place}.displayName`, inside);
  const test = compileCondition(link.where ?? true, `${place}.where`, inside);
  const add: Fill = (draft, scope) => {
    const name = alias(scope);
    const id = externalUserId(scope);
    // A row without the column has no such link; an element of a list is one, even if its id is missing.
    if (!test(scope) || name === '' || (link.each === undefined && id === '')) return;
    addLink(draft, options, name, id, displayName(scope));
  };
  if (link.each === undefined) return add;
  const each = compileValue(link.each, `${place}.each`, setting);
  // A join in the export puts the columns of the table into the rows of the users.
  const mayStandInRow = Object.hasOwn(options.mapping.tables ?? {}, link.each);
  return (draft, scope) => {
    const found = each(scope);
    if (found === undefined) {
      if (mayStandInRow && externalUserId(scope) !== '') add(draft, scope);
      return;
    }
    for (const [key, row] of elementsOf(found)) add(draft, { row, key, problems: scope.problems });
    // A plain column holds no list: its row is the one link. The word null means no list.
    if (containerOf(found) !== undefined || /^\s*(?:null\s*)?$/i.test(textOf(found, scope, place))) return;
    if (!test(scope)) return;
    if (alias(scope) !== '' && externalUserId(scope) !== '') add(draft, scope);
    else addNote(draft, 'idp:missing-id', `${link.each} holds no list`);
  };
}

/** The first that `--idp` names, else the first that is not empty. */
function compileAlias(value: Value, place: string, { idps }: TableOptions, setting: Setting): ReadText {
  if (!Array.isArray(value)) return compileText(value, place, setting);
  const reads = value.map((one) => compileText(one, place, { ...setting, isAlternative: true }));
  return (scope) => {
    const names = reads.map((read) => read(scope)).filter((name) => name !== '');
    return names.find((name) => Object.hasOwn(idps, name)) ?? names[0] ?? '';
  };
}

function compileMemberships(
  { each: path, key, roles }: NonNullable<UserMapping['memberships']>,
  setting: Setting,
): Fill {
  const each = compileCell(path, 'user.memberships.each', setting);
  const inside = withoutColumns(setting);
  const keyOf = compileText(key, 'user.memberships.key', inside);
  const rolesOf = compileTexts(roles ?? { value: '' }, undefined, 'user.memberships.roles', inside);
  return (draft, scope) => {
    const scopes = elementsOf(each(scope)).map(([name, row]) => ({ ...scope, row, key: name }));
    const found = scopes.map((inner) => ({ key: keyOf(inner).trim(), roles: rolesOf(inner) }));
    addMemberships(draft, found);
  };
}

function compileRoles({ from, split }: NonNullable<UserMapping['roles']>, setting: Setting): Fill {
  const read = compileTexts(from, split, 'user.roles', setting);
  return (draft, scope) => {
    const roles = read(scope);
    if (roles.length === 0) return;
    draft.roles = roles;
    addNote(draft, 'role:not-migrated', roles.slice(0, 10).join(', ').slice(0, 200));
  };
}

/** What is wrong, or undefined: an id or a phone number that a spreadsheet has rounded is lost. */
function completeKeys(draft: UserRecord, name: string): string | undefined {
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
  if (draft.displayName.trim() === '' && draft.fullName.trim() !== '') draft.displayName = draft.fullName;
  return undefined;
}

/** Says why there is no password, unless something said so already or a link makes one needless. */
function notePassword(draft: UserRecord, mapping: Mapping): void {
  if (draft.passwordHash !== '' || draft.plainPassword !== '') return;
  const codes: ReasonCode[] = draft.notes.map(({ code }) => code);
  if (mapping.password === undefined && draft.links.length === 0)
    addNote(draft, 'password:none', 'the mapping names none');
  else if (draft.links.length === 0 && !codes.some((code) => code.startsWith('password:')))
    addNote(draft, 'password:none');
}

function toMachine(draft: UserRecord, origin: Origin): ReadResult {
  const { id, userName, displayName, fullName, state, notes } = draft;
  const machine: MachineRecord = {
    kind: 'machine',
    origin,
    id,
    userName: userName.trim(),
    name: displayName.trim() || fullName.trim() || userName.trim(),
    description: '',
    state,
    organizations: draft.organizations,
    metadata: draft.metadata,
    notes: notes.filter(({ code }) => !code.startsWith('password:')),
  };
  return machine.userName === '' ? reject(draft, 'user-skipped:no-username') : machine;
}
