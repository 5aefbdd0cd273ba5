/** Compiles what a mapping says about a user: fields, state, links, organizations, roles and metadata. */
import {
  type UserRecord,
  addLink,
  addMemberships,
  addNote,
  addMetadata,
  readGender,
} from '../../../records/user.ts';
import type { Keyed, TableOptions, LinkMapping, UserMapping } from './schema.ts';
import {
  compileCondition,
  compileElements,
  type Test,
  compileText,
  compileTexts,
  compileValue,
  elementsOf,
  type ReadText,
} from './values.ts';
import { plainColumns, describeColumns } from './columns.ts';
import {
  MappingProblem,
  containerOf,
  nul,
  type Scope,
  type Setting,
  withoutColumns,
  textOf,
} from './paths.ts';
import { compileOtherFactors, compileOtp, compileRecoveryCodes, type Fill } from './factors.ts';
import { compilePassword } from './password.ts';
import type { Value } from './value-schema.ts';
import { readTime } from './times.ts';
import { isObject } from '../../../lib/json-value.ts';
import { isSecretName } from '../../../lib/redact.ts';

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
  'phoneRegion',
] as const satisfies readonly (keyof UserMapping & keyof UserRecord)[];

/** Returns functions that fill a user from a row, in the order of the fields. */
export function compileUser(options: TableOptions, setting: Setting): readonly Fill[] {
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
  const { emailVerified = false, phoneVerified = false, gender = { value: '' } } = user;
  const genderOf = compileText(gender, 'user.gender', setting);
  const isVerified = compileCondition(
    emailVerified === 'unknown' ? false : emailVerified,
    'user.emailVerified',
    setting,
  );
  const isPhoneVerified = compileCondition(phoneVerified, 'user.phoneVerified', setting);
  const isInactive = compileState(user, setting);
  const readEnd = compileText(user.state?.until ?? { value: '' }, 'user.state.until', setting);
  const noteContacts = compileContacts(user, setting);
  fills.push((draft, scope) => {
    draft.emailVerified = draft.email !== '' && (options.emailVerified ?? isVerified(scope));
    draft.phoneVerified = isPhoneVerified(scope);
    draft.gender = readGender(genderOf(scope));
    noteContacts(draft, scope);
    if (!isInactive(scope)) return;
    draft.state = 'inactive';
    const end = readTime(readEnd(scope)) ?? 0;
    if (end > setting.now && end < setting.now + longestLock)
      addNote(draft, 'state:ends', new Date(end).toISOString());
  });
  for (const [at, link] of [user.links ?? []].flat().entries())
    fills.push(compileLink(link, `user.links[${at}]`, options, setting));
  fills.push(compileOtp([user.otp ?? []].flat(), setting));
  if (user.recoveryCodes !== undefined) fills.push(compileRecoveryCodes(user.recoveryCodes, setting));
  fills.push(compileOtherFactors(user.otherFactors ?? [], setting));
  if (user.organization !== undefined) {
    const keys = compileTexts(user.organization, undefined, 'user.organization', setting);
    fills.push((draft, scope) =>
      addMemberships(
        draft,
        keys(scope).map((key) => ({ key, roles: [] })),
      ),
    );
  }
  for (const keyed of [user.memberships ?? []].flat()) {
    const read = compileKeyed(keyed, 'user.memberships', setting);
    fills.push((draft, scope) => addMemberships(draft, read(scope)));
  }
  if (user.roles !== undefined) fills.push(compileRoles(user.roles, setting));
  if (user.requiredActions !== undefined) {
    const actions = compileTexts(user.requiredActions, undefined, 'user.requiredActions', setting);
    fills.push((draft, scope) => {
      const found = actions(scope).join(', ').slice(0, 200);
      if (found !== '') addNote(draft, 'required-action:not-migrated', found);
    });
  }
  const fillPassword = password === undefined ? [] : [compilePassword(password, setting, options)];
  // Joins compile these for themselves. Here, only errors and columns of the user are found.
  for (const [name, { key, where = true, pivot, on, into }] of Object.entries(tables)) {
    const inside = withoutColumns(setting);
    const place = `tables.${name}`;
    compileValue([key, pivot?.name ?? [], pivot?.value ?? []].flat(), `${place}.key`, inside);
    compileCondition(where, `${place}.where`, inside);
    if (on !== undefined) compileValue(on, `${place}.on`, into === undefined ? setting : inside);
  }
  // Metadata is compiled last, because the rest of the columns are those that nothing else has read.
  return [...fills, compileMetadata(options, setting), ...fillPassword];
}

/** Ten years in milliseconds. A user who is locked for longer counts as disabled. */
const longestLock = 3650 * 86_400_000;

/** Notes addresses and phone numbers that are left behind, because a user has one of each at the target. */
function compileContacts({ email, phone, contacts = [] }: UserMapping, setting: Setting): Fill {
  // If the email or the phone is a list, its first element counts.
  const kept = [email, phone].filter((value) => value !== undefined);
  const reads = [...kept, ...contacts].map((value) =>
    compileTexts(value, undefined, 'user.contacts', setting),
  );
  const own = kept.map((value) => compileValue(value, 'user.contacts', setting));
  const fold = (text: string) => text.trim().toLowerCase();
  return (draft, scope) => {
    if (contacts.length === 0 && !own.some((get) => Array.isArray(containerOf(get(scope))))) return;
    const others = new Map(reads.flatMap((read) => read(scope)).map((text) => [fold(text), text]));
    for (const kept of [draft.email, draft.phone]) others.delete(fold(kept));
    const named = [...others.values()].slice(0, 10).join(', ').slice(0, 200);
    if (named !== '') addNote(draft, 'contact:not-migrated', named);
  };
}

function compileState({ state: { inactive, active } = {} }: UserMapping, setting: Setting): Test {
  if (active === undefined)
    return compileCondition(inactive ?? false, 'user.state.inactive', { ...setting, mayBlock: true });
  if (inactive !== undefined) throw new MappingProblem('user.state', 'there is both inactive and active');
  const isActive = compileCondition(active, 'user.state.active', setting);
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
    // A row without the column has no such link. An element of a list is a link, even if its id or its provider is missing.
    if (!test(scope) || (link.each === undefined ? name === '' || id === '' : name + id === '')) return;
    addLink(draft, options, name, id, displayName(scope));
  };
  if (link.each === undefined) return add;
  const each = compileValue(link.each, `${place}.each`, setting);
  // A join in the export puts the columns of the table into the rows of the users.
  const { tables = {}, user } = options.mapping;
  const isOwnId = plainColumns(link.externalUserId).every((name) => plainColumns(user.id).includes(name));
  const mayStandInRow = Object.hasOwn(tables, link.each) && !isOwnId;
  return (draft, scope) => {
    const found = each(scope);
    if (found === undefined) {
      if (mayStandInRow && externalUserId(scope) !== '') add(draft, scope);
      return;
    }
    for (const [key, row] of elementsOf(found)) add(draft, { row, key, problems: scope.problems });
    // A plain column holds no list, so its row is the only link. The word null means that there is no list.
    if (containerOf(found) !== undefined || /^\s*(?:null\s*)?$/i.test(textOf(found, scope, place))) return;
    if (alias(scope) + externalUserId(scope) !== '') add(draft, scope);
    else if (test(scope)) addNote(draft, 'idp:missing-id', `${link.each} holds no list`);
  };
}

/** Compiles an alias: the first that `--idp` names, else the first that is not empty. */
function compileAlias(value: Value, place: string, { idps }: TableOptions, setting: Setting): ReadText {
  if (!Array.isArray(value)) return compileText(value, place, setting);
  const reads = value.map((one) => compileText(one, place, { ...setting, isAlternative: true }));
  return (scope) => {
    const names = reads.map((read) => read(scope)).filter(Boolean);
    return names.find((name) => Object.hasOwn(idps, name)) ?? names[0] ?? '';
  };
}

/** Compiles the elements of a list, each with its key and the roles in it. */
function compileKeyed({ each: path, key, roles = { value: '' } }: Keyed, place: string, setting: Setting) {
  const elements = compileElements(path, place, setting);
  const inside = withoutColumns(setting);
  const keyOf = compileText(key, `${place}.key`, inside);
  const rolesOf = compileTexts(roles, undefined, `${place}.roles`, inside);
  return (scope: Scope) =>
    elements(scope).map((inner) => ({ key: keyOf(inner).trim(), roles: rolesOf(inner) }));
}

function compileRoles(from: NonNullable<UserMapping['roles']>, setting: Setting): Fill {
  const reads = [from].flat().map((one) => {
    if ('from' in one) return compileTexts(one.from, one.split, 'user.roles', setting);
    const read = compileKeyed(one, 'user.roles', setting);
    return (scope: Scope) =>
      read(scope).flatMap(({ key, roles }) =>
        roles.length === 0 || key === ''
          ? [key, roles].flat().filter(Boolean)
          : roles.map((role) => `${key}:${role}`),
      );
  });
  return (draft, scope) => {
    const roles = reads.flatMap((read) => read(scope));
    if (roles.length === 0) return;
    draft.roles = roles;
    addNote(draft, 'role:not-migrated', roles.slice(0, 10).join(', ').slice(0, 200));
  };
}

/** Maximum number of columns. More are a mistake, and each costs memory. */
const maxColumns = 10_000;

/** Compiles metadata. A mapping of the user's own carries what it names. A built-in one carries what `--metadata` chooses. */
function compileMetadata(options: TableOptions, setting: Setting): Fill {
  const { mapping } = options;
  const { '*': rest, ...named } = mapping.user.metadata ?? {};
  if (rest !== undefined && rest !== 'rest' && rest !== 'none' && !Array.isArray(rest)) {
    throw new MappingProblem('user.metadata["*"]', 'rest, none or a list of columns is expected');
  }
  const reads = Object.entries(named).map(([key, value]) => ({
    key,
    read: compileValue(value, `user.metadata.${key}`, setting),
  }));
  const carries = options.isOwnMapping || options.metadata !== 'none';
  const { known } = describeColumns(mapping, setting.columns);
  const carriesRest = rest === 'rest' || options.metadata === 'all';
  return (draft, scope) => {
    let left = 0;
    const add = (key: string, value: unknown) => {
      const text = metadataText(value, key, scope);
      if (text === '') return;
      if (!carries) left++;
      else if (text === undefined) addNote(draft, 'attribute:dropped', key.slice(0, 60));
      else addMetadata(draft, key, text);
    };
    for (const { key, read } of reads) {
      const value = read(scope);
      if (!key.endsWith('.*')) add(key, value);
      else for (const [name, inner] of elementsOf(value)) add(key.slice(0, -1) + name, inner);
    }
    if (carriesRest && isObject(scope.row)) {
      const columns = Array.isArray(rest)
        ? rest.map(String)
        : Object.keys(scope.row).filter((column) => !isSecretName(column));
      if (columns.length > maxColumns) scope.problems.push(`it has more than ${maxColumns} columns`);
      else for (const column of columns) if (!known.has(column)) add(column, scope.row[column]);
    }
    if (left > 0) addNote(draft, 'attribute:not-migrated', left === 1 ? '1 attribute' : `${left} attributes`);
  };
}

/**
 * Returns a text unchanged, and everything else as JSON. An empty list or object is empty, also as the text of a cell.
 * Undefined if the value contains a number that was rounded.
 */
function metadataText(value: unknown, key: string, { problems }: Scope) {
  if ((value ?? nul) === nul) return '';
  const inside = containerOf(value);
  if (inside !== undefined && Object.keys(inside).length === 0) return '';
  if (typeof value === 'string') return value;
  let isExact = true;
  try {
    const text = JSON.stringify(value, (_, inner: unknown) => {
      if (typeof inner === 'number' && Math.abs(inner) > Number.MAX_SAFE_INTEGER) isExact = false;
      return inner;
    });
    return isExact ? text : undefined;
  } catch {
    problems.push(`${key} is nested too deeply`);
    return '';
  }
}
