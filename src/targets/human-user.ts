/**
 * Writes a record as its JSON element of the import body. Writing users in pieces is several times faster than JSON.stringify of
 * an object. Each text is scanned once, to escape it and to measure it. Defaults are omitted, as in the service's own exports.
 */
import { JsonWriter } from '../json/writer.ts';
import { entrySize, lengthDelimited } from '../wire/import-size.ts';
import type {
  AcceptedRecord,
  Gender,
  IdpLink,
  MachineRecord,
  MetadataEntry,
  UserRecord,
  UserState,
} from '../records/user.ts';

/** Writes an element of `humanUsers`. Returns the bytes that it adds to an import request as protobuf. */
export function writeHumanUser(out: JsonWriter, user: UserRecord) {
  let size = user.state === 'active' ? 0 : flag;
  if (user.id === '') {
    out.put('{"user":');
  } else {
    size += writeText(out, '{"userId":"', user.id);
    out.put('","user":');
  }
  size += nested(writeImportRecord(out, user));
  out.put(states[user.state]);
  return nested(size);
}

/** Returns the import record of a human user: the body of a single import, and the `user` in an element of `humanUsers`. */
export function encodeImportRecord(user: UserRecord) {
  const out = new JsonWriter();
  writeImportRecord(out, user);
  return out.toString();
}

function writeImportRecord(out: JsonWriter, user: UserRecord) {
  let size = writeText(out, '{"userName":"', user.userName);
  size += nested(writeProfile(out, user));
  const email = writeText(out, '},"email":{"email":"', user.email);
  out.put(user.emailVerified ? '","isEmailVerified":true}' : '"}');
  size += nested(email + (user.emailVerified ? flag : 0));
  if (user.phone !== '') {
    const phone = writeText(out, ',"phone":{"phone":"', user.phone);
    out.put(user.phoneVerified ? '","isPhoneVerified":true}' : '"}');
    size += nested(phone + (user.phoneVerified ? flag : 0));
  }
  if (user.passwordHash !== '') {
    size += nested(writeText(out, ',"hashedPassword":{"value":"', user.passwordHash));
    out.put('"}');
  }
  if (user.requestsPasskey) {
    out.put(',"requestPasswordlessRegistration":true');
    size += flag;
  }
  if (user.otpSecret !== '') {
    size += writeText(out, ',"otpCode":"', user.otpSecret);
    out.put('"');
  }
  if (user.links.length > 0) size += writeList(out, ',"idps":[', user.links, writeLink);
  if (user.recoveryCodeHashes.length + user.recoveryCodes.length > 0) {
    const codes = [
      ...user.recoveryCodeHashes.map((text) => ['{"hash":"', text] as const),
      ...user.recoveryCodes.map((text) => ['{"raw":"', text] as const),
    ];
    size += writeList(out, ',"recoveryCodes":[', codes, (_, [before, text]) => writeText(out, before, text));
  }
  out.put('}');
  return size;
}

function writeProfile(out: JsonWriter, user: UserRecord) {
  let size = writeText(out, '","profile":{"firstName":"', user.givenName);
  size += writeText(out, '","lastName":"', user.familyName);
  if (user.nickName !== '') size += writeText(out, '","nickName":"', user.nickName);
  if (user.displayName !== '') size += writeText(out, '","displayName":"', user.displayName);
  if (user.language !== '') size += writeText(out, '","preferredLanguage":"', user.language);
  out.put(genders[user.gender]);
  return user.gender === 'unspecified' ? size : size + flag;
}

/** Writes a text without the closing quote, which is part of what follows. Returns its size as protobuf. */
function writeText(out: JsonWriter, before: string, text: string) {
  out.put(before);
  return textSize(out.text(text));
}

function writeList<Item>(
  out: JsonWriter,
  before: string,
  items: readonly Item[],
  write: (out: JsonWriter, item: Item) => number,
) {
  let size = 0;
  out.put(before);
  items.forEach((item, place) => {
    if (place > 0) out.put(',');
    size += nested(write(out, item));
    out.put('"}');
  });
  out.put(']');
  return size;
}

function writeLink(out: JsonWriter, { configId, externalUserId, displayName }: IdpLink) {
  let size = writeText(out, '{"configId":"', configId);
  size += writeText(out, '","externalUserId":"', externalUserId);
  if (displayName !== '') size += writeText(out, '","displayName":"', displayName);
  return size;
}

/** Returns an element of `machineUsers`. */
export const encodeMachineUser = (machine: MachineRecord) => JSON.stringify(entryOf(machine));

/** Returns the bytes that the element adds to an import request as protobuf. */
export const measureMachineUser = (machine: MachineRecord) => entrySize('machineUsers', entryOf(machine));

/** Returns the body of the call that creates a service account. */
export const machineFields = ({ userName, name, description }: MachineRecord) => ({
  userName,
  name,
  ...(description !== '' && { description }),
});

/** Repeats the id inside `user`, because the service reads it only there. */
function entryOf(machine: MachineRecord) {
  const id = machine.id === '' ? {} : { userId: machine.id };
  return {
    ...id,
    user: { ...machineFields(machine), ...id },
    ...(machine.state !== 'active' && { state: stateNames[machine.state] }),
  };
}

/** Returns elements of `userMetadata` with commas between them; empty if there is no metadata. */
export function encodeMetadata(user: AcceptedRecord) {
  if (user.metadata.length === 0) return '';
  return user.metadata
    .map((entry) => JSON.stringify({ id: user.id, ...encodeMetadataEntry(entry) }))
    .join(',');
}

export const encodeMetadataEntry = ({ key, value, base64 }: MetadataEntry) => ({
  key,
  value: base64 ?? Buffer.from(value, 'utf8').toString('base64'),
});

/** Returns the bytes that the elements of `userMetadata` of one record add to an import request as protobuf. */
export function measureMetadata({ id, metadata }: AcceptedRecord) {
  let size = 0;
  // The field number of the list is above 15, so its tag takes a second byte.
  for (const { key, value } of metadata) size += lengthDelimited(2, sizeOf(id) + sizeOf(key) + sizeOf(value));
  return size;
}

/** Returns the size of a string field of this many bytes, with its tag and length. Empty strings are not sent. */
const textSize = (bytes: number) => (bytes === 0 ? 0 : nested(bytes));
const sizeOf = (text: string) => textSize(Buffer.byteLength(text));

/** Size of a true flag or of an enum. */
const flag = 2;

/** Returns the size of a field with a length and a tag of one byte. */
const nested = (content: number) => lengthDelimited(1, content);

const stateNames: Readonly<Record<UserState, string>> = {
  active: 'USER_STATE_ACTIVE',
  inactive: 'USER_STATE_INACTIVE',
  locked: 'USER_STATE_LOCKED',
};

/** Each ends with the closing bracket of the element. */
const states: Readonly<Record<UserState, string>> = {
  active: '}',
  inactive: `,"state":"${stateNames.inactive}"}`,
  locked: `,"state":"${stateNames.locked}"}`,
};

/** Each starts with the closing quote of the text before it. */
const genders: Readonly<Record<Gender, string>> = {
  unspecified: '"',
  female: '","gender":"GENDER_FEMALE"',
  male: '","gender":"GENDER_MALE"',
  diverse: '","gender":"GENDER_DIVERSE"',
};
