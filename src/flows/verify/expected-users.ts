/** Holds what is expected of each user at the target as hashes and numbers, without texts. */
import { randomInt } from 'node:crypto';
import { ColumnTable, FlagTable, NumberList, IdColumn } from '../../compact/columns.ts';
import { hashText, TextTable } from '../../compact/key-table.ts';
import { signInAt, signInKinds, type SignInKind } from '../../records/sign-in.ts';
import { count, type Counts } from '../../records/tally.ts';
import { foldName } from '../../records/text.ts';
import type { ListEnd } from '../reconcile/list-lag.ts';
import {
  detailFields,
  fields,
  initialState,
  listedFields,
  statePlace,
  stateTexts,
  type DetailField,
} from './fields.ts';

/** What the source says of a user, and how the user was met. */
const userFlags = [
  'found',
  'machine',
  /** The list shows since when a user has a password. It shows nothing for users without one, and older services never do. */
  'has password',
  /** The password was changed after the user was created. */
  'changed password',
  /** The address is verified in the source and may arrive unverified. */
  'may be unverified',
  /** An export of the target contains the user. */
  'exported',
  'other state',
  'listed otherwise',
  /** The user is in the initial state at the target. */
  'initial',
  /** Something is unknown because a list of details lags. */
  'not yet known',
] as const;
/** For each detail: the source has something to compare, it differs, it cannot be known. */
const detailFlags = detailFields.flatMap(
  (field) => [`wants ${field}`, `differs ${field}`, `unknown ${field}`] as const,
);
type Flag = (typeof userFlags)[number] | (typeof detailFlags)[number] | `expected ${string}`;

/** Flags of users whose list entry is not as expected. */
export const listDiffers = ['listed otherwise', 'other state'] as const;

/** Stands for the user number if the user of the target is not in the source. */
const extraUser = 2 ** 32 - 1;

/** Users are numbered from 0 in the order of the source. Each takes 80 to 125 bytes, up to 190 with a new id. */
export class ExpectedUsers {
  size = 0;
  found = 0;
  readonly #seed = randomInt(2 ** 32);
  readonly #names = new TextTable();
  readonly #ids = new TextTable();
  /** Ids at the target that differ from the source: of the id map, of users found by name, of extra users. */
  readonly #others = new TextTable();
  readonly #otherUsers = new NumberList();
  readonly #targetIds = new IdColumn();
  readonly #flags = new FlagTable<Flag>([
    ...userFlags,
    ...detailFlags,
    ...stateTexts.map((state) => `expected ${state}` as const),
  ]);
  /**
   * A hash of what the list should show, in two words; the place in `#shown`; sums of details; the organization; how the user
   * signs in according to the source, as an index of `signInKinds`.
   */
  readonly #numbers = new ColumnTable([
    'listed',
    'listed too',
    'shown',
    'metadata',
    'links',
    'grants',
    'org',
    'sign in',
  ]);
  /** Sums of the details that an export and the list of grants show in their own order. */
  readonly #seen = new ColumnTable(detailFields);
  /** For users whose list entry differs: a hash of each field that the list shows. */
  readonly #shown = new NumberList();
  /** Users with something unknown because the service's list has lost it. They are few. */
  readonly unlisted = new Set<number>();
  readonly #scratch = new Uint32Array(2);

  /** `id` may be empty. `names` is that of the record. */
  add(id: string, userName: string, listed: readonly string[], names = '') {
    const user = this.size++;
    this.#names.add(names + foldName(userName));
    if (id === '') this.#ids.skip();
    else this.#ids.add(id);
    this.#numbers.set(user, 'listed', this.#hash(joinTexts(listed)));
    this.#numbers.set(user, 'listed too', this.#scratch[1]!);
    this.mark(user, `expected ${listed[statePlace]}`);
    return user;
  }

  has(user: number, flag: Flag) {
    return this.#flags.has(user, flag);
  }

  mark(user: number, flag: Flag, isRaised = true) {
    this.#flags.set(user, flag, isRaised);
  }

  /** Yields the users who have any of the flags. */
  *with(...flags: readonly Flag[]) {
    for (let user = 0; user < this.size; user++) if (flags.some((flag) => this.has(user, flag))) yield user;
  }

  any(...flags: readonly Flag[]) {
    return this.with(...flags).next().done !== true;
  }

  count(...flags: readonly Flag[]) {
    let count = 0;
    for (const _ of this.with(...flags)) count += 1;
    return count;
  }

  byId(id: string) {
    return this.#ids.find(id);
  }

  /** Finds a user by the id map, else by the id of the source, then by user name. Returns -1 if there is none. */
  #find(targetId: string, userName: string, org = '') {
    const other = this.#byOther(targetId);
    if (other !== undefined && other !== extraUser) return other;
    const known = this.byId(targetId);
    if (known !== -1) return known;
    const name = foldName(userName);
    const own = this.#names.find(`${org}\n${name}`);
    return own === -1 ? this.#names.find(name) : own;
  }

  /** Records that the user with this id (or user name) in the source has the id `newId` at the target. */
  alias(oldId: string, newId: string) {
    const byId = this.byId(oldId);
    const user = byId === -1 ? this.#names.find(foldName(oldId)) : byId;
    if (user === -1 || newId === '') return;
    this.#addOther(newId, user);
    this.#targetIds.set(user, newId);
  }

  /** Returns the id at the target, as far as known, of a user whose id in the source is `id`. */
  targetId(user: number, id: string) {
    return this.#targetIds.get(user) ?? id;
  }

  /** Returns -1 for a user that was not listed or is not in the source. */
  byTargetId(id: string) {
    const user = this.#byOther(id) ?? this.byId(id);
    return user !== extraUser && user !== -1 && this.#isFoundAs(user, id) ? user : -1;
  }

  /** Reports whether this user is expected but was not listed. */
  isMissing(targetId: string, userName: string) {
    const user = this.#find(targetId, userName);
    return user !== -1 && !this.has(user, 'found');
  }

  /** Records a listed user. Pages overlap if users are added meanwhile, so no user counts twice. */
  meet(targetId: string, userName: string, org: number, orgId?: string) {
    const other = this.#byOther(targetId);
    if (other === extraUser) return 'again';
    const user = this.#find(targetId, userName, orgId);
    if (user !== -1 && this.#isFoundAs(user, targetId)) return 'again';
    if (user === -1 || this.has(user, 'found')) {
      this.#addOther(targetId, extraUser);
      return 'extra';
    }
    this.found += 1;
    this.mark(user, 'found');
    this.#numbers.set(user, 'org', org);
    const isOwnId = this.byId(targetId) === user;
    if (!isOwnId && other === undefined) this.#addOther(targetId, user);
    if (!isOwnId || this.#targetIds.get(user) !== undefined) this.#targetIds.set(user, targetId);
    return 'expected';
  }

  /** Returns the index of the organization in which the user was found. */
  orgOf(user: number) {
    return this.#numbers.get(user, 'org');
  }

  /** `shown` has, for each field, all texts that would be right: several for the state and for an unverified address. */
  compare(user: number, shown: readonly (readonly string[])[]) {
    const states = shown[statePlace] ?? [];
    if (!states.some((state) => this.has(user, `expected ${state}`))) this.mark(user, 'other state');
    if (this.has(user, 'expected active') && states.includes(initialState)) this.mark(user, 'initial');
    const which = this.has(user, 'may be unverified') ? -1 : 0;
    const texts = shown.map((each) => each.at(which) ?? '');
    const isSame =
      this.#hash(joinTexts(texts)) === this.#numbers.get(user, 'listed') &&
      this.#scratch[1] === this.#numbers.get(user, 'listed too');
    if (isSame) return;
    this.mark(user, 'listed otherwise');
    this.#numbers.set(user, 'shown', this.#shown.push(...texts.map((text) => this.#hash(text))));
  }

  setSignIn(user: number, kind: SignInKind) {
    this.#numbers.set(user, 'sign in', signInKinds.indexOf(kind));
  }

  /** Counts the users who were found, without service accounts. */
  countSignIn(counts: Counts, mayBePlaceholder: boolean) {
    for (const user of this.with('found')) {
      if (!this.has(user, 'machine')) count(counts, this.#signIn(user, mayBePlaceholder));
    }
  }

  #signIn(user: number, mayBePlaceholder: boolean) {
    const isActive = this.blockedBy(user) === '';
    const blocked = this.has(user, 'initial') ? 'initial' : 'not active';
    const shown = this.has(user, 'has password') ? 'set' : 'not known';
    return signInAt(signInKinds[this.#numbers.get(user, 'sign in')] ?? 'password', {
      state: isActive ? 'as expected' : blocked,
      password: this.has(user, 'differs password') ? 'none' : shown,
      isChanged: this.has(user, 'changed password'),
      mayBePlaceholder,
    });
  }

  /** Returns why a user who is active in the source cannot sign in at the target. Empty if no reason is known. */
  blockedBy(user: number) {
    if (this.has(user, 'initial')) return 'cannot sign in: initial, has to answer an email first';
    if (!this.has(user, 'other state') || !this.has(user, 'expected active')) return '';
    return 'cannot sign in: locked or deactivated at the target';
  }

  /** Resets a user to not met, because the list lagged. */
  unmeet(user: number) {
    this.found -= 1;
    for (const flag of ['found', 'initial', ...listDiffers] as const) this.mark(user, flag, false);
  }

  /** Adds an expected entry, in any order. A password or TOTP secret counts as one entry, whatever its value. */
  expect(user: number, field: DetailField, entry: string) {
    this.mark(user, `wants ${field}`);
    if (isSingle(field)) return;
    this.#numbers.set(user, field, this.#numbers.get(user, field) + this.#hash(entry));
  }

  /** Adds an entry that was seen. To be called for all entries before `compareSeen`. */
  see(user: number, field: DetailField, entry: string) {
    this.#seen.set(user, field, this.#seen.get(user, field) + this.#hash(entry));
  }

  /** Discards what was seen before the details of a user are read again. A broken-off list or export does not count. */
  forget(user: number, seen: readonly DetailField[]) {
    for (const field of seen) this.#seen.set(user, field, 0);
  }

  /**
   * Compares fields once all their entries were seen. Passwords and second factors are compared only by whether there is one, so
   * one that was set later is no difference.
   */
  compareSeen(user: number, fields: readonly DetailField[]) {
    for (const field of fields) {
      const seen = this.#seen.get(user, field);
      const isKnown = field === 'password' && this.has(user, 'has password');
      const same = isSingle(field)
        ? seen !== 0 || isKnown || !this.has(user, `wants ${field}`)
        : seen === this.#numbers.get(user, field);
      this.mark(user, `differs ${field}`, !same);
    }
  }

  /** `entries` must be complete. */
  compareDetail(user: number, field: DetailField, entries: readonly string[]) {
    this.forget(user, [field]);
    for (const entry of entries) this.see(user, field, entry);
    this.compareSeen(user, [field]);
  }

  /** Marks a field for which it cannot be known whether it is as expected. */
  markUnknown(user: number, field: DetailField) {
    this.mark(user, `differs ${field}`, false);
    this.mark(user, `unknown ${field}`);
  }

  /** Withdraws differences that may not be real, because the wait for a list ended too early. */
  withdrawDifferences(field: DetailField, state: ListEnd['state']) {
    for (const user of this.with(`differs ${field}`)) {
      if (state === 'late' || state === 'unknown') this.markUnknown(user, field);
      if (state === 'late') this.mark(user, 'not yet known');
    }
  }

  /** Reports whether all users were found, nothing differs and nothing is unknown. */
  areAllSame() {
    const problems = detailFlags.filter((flag) => !flag.startsWith('wants '));
    return this.found === this.size && !this.any(...problems, ...listDiffers, 'initial');
  }

  /** Returns the names of the fields that differ. `listed` is what the list should show, read from the source again. */
  differences(user: number, listed: () => readonly string[]) {
    const ofList = this.has(user, 'listed otherwise') ? this.#listedDifferences(user, listed()) : [];
    const state = this.has(user, 'other state') ? [fields[statePlace]] : [];
    const details = detailFields.filter((field) => this.has(user, `differs ${field}`));
    const all = new Set<string | undefined>([...ofList, ...state, ...details]);
    return fields.filter((field) => all.has(field));
  }

  unknown(user: number) {
    return detailFields.filter((field) => this.has(user, `unknown ${field}`));
  }

  #listedDifferences(user: number, expected: readonly string[]) {
    const place = this.#numbers.get(user, 'shown');
    return listedFields.filter(
      (_, at) => at !== statePlace && this.#shown.get(place + at) !== this.#hash(expected[at] ?? ''),
    );
  }

  #byOther(targetId: string) {
    const at = this.#others.find(targetId);
    return at === -1 ? undefined : this.#otherUsers.get(at);
  }

  #addOther(targetId: string, user: number) {
    this.#others.add(targetId);
    this.#otherUsers.push(user);
  }

  #isFoundAs(user: number, targetId: string) {
    if (!this.has(user, 'found')) return false;
    const known = this.#targetIds.get(user);
    return known === undefined ? this.byId(targetId) === user : known === targetId;
  }

  /** Returns the first word of the hash. The second one stays in `#scratch`. */
  #hash(text: string) {
    hashText(text, this.#seed, this.#scratch, 0);
    return this.#scratch[0]!;
  }
}

const isSingle = (field: DetailField): field is 'password' | 'TOTP' =>
  field === 'password' || field === 'TOTP';

/** Joins texts so that different lists of texts give different results. */
function joinTexts(listed: readonly string[]) {
  let text = '';
  for (const [at, field] of listed.entries()) if (at !== statePlace) text += `${field.length} ${field}`;
  return text;
}
