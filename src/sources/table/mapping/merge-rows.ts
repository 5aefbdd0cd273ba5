/** Merges the rows of one user: each further row is added to the user that the first row gave. */
import { addMemberships, addNote, type UserRecord } from '../../../records/user.ts';

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

/** Takes the first value of a field that is not empty. A note names the fields in which the row differs from it. */
export function mergeRow(draft: UserRecord, row: UserRecord) {
  const differing = new Set<string>();
  mergePassword(draft, row);
  mergeFlags(draft, row, differing);
  for (const [field, name] of texts) {
    if (draft[field] === '') draft[field] = row[field];
    else if (row[field] !== '' && row[field] !== draft[field]) differing.add(name);
  }
  mergeMetadata(draft, row, differing);
  draft.links = union(draft.links, row.links, (link) => JSON.stringify([link.configId, link.externalUserId]));
  draft.recoveryCodeHashes = union(draft.recoveryCodeHashes, row.recoveryCodeHashes);
  draft.recoveryCodes = union(draft.recoveryCodes, row.recoveryCodes);
  if (row.roles !== undefined) draft.roles = union(draft.roles ?? [], row.roles);
  addMemberships(draft, row.organizations ?? []);
  draft.notes = union(draft.notes, row.notes, (note) => JSON.stringify(note));
  if (differing.size > 0) addNote(draft, 'rows:differ', [...differing].join(', '));
}

/** If only one of the two has a usable password, drops the other's notes about passwords. */
function mergePassword(draft: UserRecord, row: UserRecord) {
  const has = ({ passwordHash, plainPassword }: UserRecord) => passwordHash + plainPassword !== '';
  const isPassword = ({ code }: UserRecord['notes'][number]) => code.startsWith('password:');
  if (has(row) === has(draft)) return;
  const without = has(row) ? draft : row;
  without.notes = without.notes.filter((note) => !isPassword(note));
  if (has(row)) draft.sourceForm = undefined;
}

/** Merges flags. If rows differ, the safer value counts. */
function mergeFlags(draft: UserRecord, row: UserRecord, differing: Set<string>) {
  const take = (flag: 'emailVerified' | 'phoneVerified', name: string) => {
    if (draft[flag] !== row[flag]) differing.add(name);
    draft[flag] &&= row[flag];
  };
  if (draft.email === '') draft.emailVerified = row.emailVerified;
  else if (row.email !== '') take('emailVerified', 'whether the email is verified');
  if (draft.phone === '') {
    draft.phoneVerified = row.phoneVerified;
    draft.phoneRegion = row.phoneRegion ?? '';
  } else if (row.phone !== '') take('phoneVerified', 'whether the phone is verified');
  if (draft.state !== row.state) {
    differing.add('state');
    draft.state = 'inactive';
  }
  if (draft.gender === 'unspecified') draft.gender = row.gender;
  else if (row.gender !== 'unspecified' && row.gender !== draft.gender) differing.add('gender');
}

function mergeMetadata(draft: UserRecord, row: UserRecord, differing: Set<string>) {
  const known = new Map(draft.metadata.map(({ key, value }) => [key, value]));
  for (const entry of row.metadata) {
    const value = known.get(entry.key);
    if (value === undefined) draft.metadata.push(entry);
    else if (value !== entry.value) differing.add(`metadata ${entry.key}`);
  }
}

function union<Item>(
  one: readonly Item[],
  other: readonly Item[],
  keyOf: (item: Item) => unknown = (item) => item,
) {
  const known = new Set(one.map(keyOf));
  return [...one, ...other.filter((item) => !known.has(keyOf(item)))];
}
