/**
 * Computes fingerprints of records, which show which users have changed since a previous run, and of their parts, which show what has
 * changed: each part is a text that is the same in the source and at the service.
 */
import { hash, randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Input } from '../../lib/input.ts';
import type { AcceptedRecord, UserRecord } from '../../records/user.ts';
import type { JournalHeader } from '../../journal/lines.ts';
import { State, type JournalProgress } from '../../journal/load.ts';
import { findJournal, findUndo, type JournalOptions } from '../runs/open-journal.ts';
import {
  encodeImportRecord,
  encodeMachineUser,
  encodeMetadata,
  encodeMetadataEntry,
} from '../../targets/human-user.ts';
import { ColumnTable } from '../../compact/columns.ts';
import { TextTable } from '../../compact/key-table.ts';
import { type JsonObject, parseObject, firstText, sortKeys } from '../../lib/json-value.ts';
import { camelCase, renamed } from '../../wire/member-names.ts';
import { readEntries } from '../../sources/org-data/organizations.ts';
import { isRealHash } from '../../records/placeholder-password.ts';
import { statesSet } from '../../wire/import.ts';
import type { UserV2 } from '../../wire/user.ts';

/** Characters of the fingerprint of a record. In a journal, those of its parts follow. */
export const fingerprintLength = 11;

/** What previous runs left of a user. */
export interface PreviousState {
  readonly userName: string;
  /** Key of the user's fingerprints. */
  readonly key: string;
  /** Fingerprint of the record. Empty if only the parts are known. */
  readonly fingerprint: string;
  /** Fingerprints from `fingerprintParts`. Empty after a bulk import. */
  readonly parts: string;
  /**
   * After a request without an answer, which may have written `parts`: the parts before it, oldest first. An empty text stands for a
   * user that did not exist.
   */
  readonly older: readonly string[];
  /** Id at the target, if it differs from that of the source. Otherwise empty. */
  readonly id: string;
  /** When the request that created the user was sent, on the service's clock, in milliseconds. */
  readonly createdSince?: number;
  /** When a run last wrote the user, on the clock that stamps users, in milliseconds, if known. */
  readonly writtenAt?: number | undefined;
}

/**
 * Chooses the key of a run's fingerprints, the same for all runs that are compared with each other. It is kept in the journal.
 * `shared` is the key that all shards of a run have, so that their journals belong together.
 */
export async function chooseKey(
  previous: { readonly keys: readonly string[] } | undefined,
  { path, resume, fresh = false }: JournalOptions,
  shared?: string,
) {
  const journal = await findJournal(path);
  const resumed =
    resume || (!fresh && journal?.finished === false) ? journal && keyOf(journal.header) : undefined;
  const renamed = fresh ? await findNewIds(path, journal) : undefined;
  const key = previous?.keys[0] ?? resumed ?? shared ?? renamed ?? randomBytes(16).toString('base64url');
  return {
    key,
    /** Whether the new ids are those of a previous run that is not continued. */
    sameIds: key === renamed,
  };
}

/** Returns the key of the previous run if it gave new ids and was not rolled back: its users still have these ids. */
async function findNewIds(path: string, journal: JournalProgress | undefined) {
  if (journal?.header.settings['ids'] !== 'new') return undefined;
  const follows = (journal.header.follows ?? []).map((name) => join(dirname(path), name));
  for (const each of [path, ...follows]) {
    const found = await findJournal(each);
    const undone = found && (await findUndo(found));
    if ((undone?.states.count(State.created) ?? 0) > 0) return undefined;
  }
  return keyOf(journal.header);
}

/** Returns undefined for a journal without fingerprints. */
export const keyOf = ({ settings }: JournalHeader) => settings['fingerprints'];

export type Fingerprints = ReturnType<typeof createFingerprints>;

/** `relatedOf` returns what belongs to a user besides its record. */
export function createFingerprints(key: string, relatedOf: (id: string) => string = () => '') {
  return {
    key,
    /**
     * Returns 66 bits. `text` is the whole record and must not contain anything that could be guessed. `by` is the key of this run or
     * of a previous one.
     */
    of: (id: string, text: string, by = key) =>
      hash('sha256', `${by}\n${text}${relatedOf(id)}`, 'base64url').slice(0, fingerprintLength),
  };
}

/**
 * Reads the entries in these lists of a body. The result returns a text of those of a user, which differs if any of them differs,
 * regardless of their order, and is empty for a user without any. Entries that are not JSON are left out.
 */
export async function readRelatedEntries(input: Input, lists: readonly string[]) {
  const owners = new TextTable();
  // Sums of the hashes of a user's entries, because a sum does not depend on the order.
  const sums = new ColumnTable(['sum', 'sum too']);
  for await (const { list, text } of lists.length === 0 ? [] : readEntries(input, lists)) {
    const entry = renamed(parseObject(text), camelCase) as JsonObject;
    // Metadata names its owner `id`, all other lists `userId`.
    const owner = firstText(entry, list === 'userMetadata' ? 'id' : 'userId');
    if (owner === '') continue;
    const bits = hash('sha256', `${list}\n${JSON.stringify(entry, sortKeys)}`, 'buffer');
    const known = owners.find(owner);
    const row = known === -1 ? owners.add(owner) : known;
    sums.set(row, 'sum', sums.get(row, 'sum') + bits.readUInt32BE(0));
    sums.set(row, 'sum too', sums.get(row, 'sum too') + bits.readUInt32BE(4));
  }
  return (id: string) => {
    const row = id === '' ? -1 : owners.find(id);
    return row === -1 ? '' : `${sums.get(row, 'sum')} ${sums.get(row, 'sum too')}`;
  };
}

/**
 * Returns everything of a record that is sent. Leaves out a plain password, because the fingerprint in the journal could be used
 * to try passwords. Hashes have a salt that cannot be guessed.
 */
export function textOf(record: AcceptedRecord) {
  const { grants = '', orgId = '' } = record;
  const metadata = `${encodeMetadata(record)}${grants}${orgId}`;
  if (record.kind === 'machine') return `${encodeMachineUser(record)}${metadata}`;
  const plain = record.plainPassword === '' ? '' : 'plain';
  const head = `[${JSON.stringify(record.id)},"${record.state}","${plain}"]`;
  return `${head}${encodeImportRecord(record)}${metadata}`;
}

export const partNames = [
  'user name',
  'profile',
  'email',
  'phone',
  'password',
  'TOTP secret',
  'linked logins',
  'metadata',
  'state',
  'roles',
  'organization',
] as const;
export type Part = (typeof partNames)[number];

/** Characters of base64url: 24 bits distinguish two values of one part. */
const digits = 4;

/** `key` is that of the fingerprints. All plain passwords have the same fingerprint. */
export function fingerprintParts(key: string, record: AcceptedRecord) {
  const texts = textsOf(record);
  return partNames.map((part) => fingerprintPart(key, part, texts[part])).join('');
}

const fingerprintPart = (key: string, part: Part, text: string) =>
  hash('sha256', `${key}\n${part}\n${text}`, 'base64url').slice(0, digits);

/** Returns the fingerprint of one part from what `fingerprintParts` returned. */
function pickPart(parts: string, part: Part) {
  const at = partNames.indexOf(part) * digits;
  return parts.slice(at, at + digits);
}

/** Returns the fingerprints of a user whose state has changed. */
export const withState = ({ key, parts }: PreviousState, state: string) =>
  partNames
    .map((part) => (part === 'state' ? fingerprintPart(key, part, state) : pickPart(parts, part)))
    .join('');

/** Returns the fingerprint of a record and its parts, with which the next run compares the user again: these parts were not written. */
export function withUnwritten(fingerprint: string, unwritten: readonly Part[], { parts }: PreviousState) {
  if (unwritten.length === 0) return fingerprint;
  const known = fingerprint.slice(fingerprintLength);
  const left = partNames.map((part) =>
    unwritten.includes(part) ? pickPart(parts, part).padEnd(digits) : pickPart(known, part),
  );
  return ''.padEnd(fingerprintLength) + left.join('');
}

/**
 * Reports whether a part differs from what the previous run left or may have left. True for an unknown part. A user who exists
 * although its creation had no answer was created whole, and was active at first.
 */
export function isNewPart({ key, parts, older }: PreviousState, record: AcceptedRecord, part: Part) {
  const now = fingerprintPart(key, part, textsOf(record)[part]);
  const left = part === 'state' ? older : older.filter((one) => one !== '');
  return [parts, ...left].some((one) => pickPart(one, part) !== now);
}

/**
 * Reports whether a part is as a previous run left it or may have left it. Users whom it may have created were active at first.
 */
export function isLeftPart({ key, parts, older }: PreviousState, part: Part, text: string) {
  if (part === 'state' && text === 'active' && older.includes('')) return true;
  const found = fingerprintPart(key, part, text);
  return [parts, ...older].some((one) => pickPart(one, part) === found);
}

export function textsOf(record: AcceptedRecord): Readonly<Record<Part, string>> {
  const { userName, state } = record;
  const rest = {
    'user name': userName.trim(),
    metadata: metadataText(record.metadata.map(encodeMetadataEntry)),
    state,
    roles: record.grants ?? '',
    organization: record.orgId ?? '',
  };
  if (record.kind === 'machine') {
    const { name, description } = record;
    const none = { email: '', phone: '', password: '', 'TOTP secret': '', 'linked logins': '' };
    return { ...rest, ...none, profile: JSON.stringify([name, description]) };
  }
  const { givenName, familyName, displayName, phone, links } = record;
  return {
    ...rest,
    profile: JSON.stringify([
      givenName,
      familyName,
      record.nickName,
      displayName || `${givenName} ${familyName}`,
      record.language || unknownLanguage,
      `GENDER_${record.gender.toUpperCase()}`,
    ]),
    email: stateText(record.email.trim(), record.emailVerified),
    phone: stateText(phone, record.phoneVerified),
    password: passwordText(record),
    'TOTP secret': record.otpSecret,
    'linked logins': links
      .map(({ configId, externalUserId }) => JSON.stringify([configId, externalUserId]))
      .toSorted()
      .join('\n'),
  };
}

/** Returns the same text for all plain passwords, whose hash is made anew each time. A placeholder is no password of the user. */
function passwordText({ passwordHash, plainPassword }: UserRecord) {
  if (plainPassword !== '') return 'plain';
  return isRealHash(passwordHash) ? passwordHash : '';
}

/** Returns the parts that `GET /v2/users` shows, which are all but secrets and lists. */
export function shownTexts({
  username,
  state,
  human,
  machine,
}: UserV2): Readonly<Partial<Record<Part, string>>> {
  const shared = { 'user name': username.trim(), state: statesSet[state] ?? 'active' };
  if (machine !== undefined)
    return { ...shared, profile: JSON.stringify([machine.name, machine.description]) };
  const { profile, email, phone } = human ?? {};
  const {
    givenName = '',
    familyName = '',
    nickName = '',
    displayName = '',
    preferredLanguage = '',
    gender = 'GENDER_UNSPECIFIED',
  } = profile ?? {};
  return {
    ...shared,
    profile: JSON.stringify([
      givenName,
      familyName,
      nickName,
      displayName,
      preferredLanguage || unknownLanguage,
      gender,
    ]),
    email: stateText(email?.email ?? '', email?.isVerified ?? false),
    phone: stateText(phone?.phone ?? '', phone?.isVerified ?? false),
  };
}

/** The service shows a language that it does not know as undetermined. */
const unknownLanguage = 'und';

/** Without an address or a number there is nothing to verify. */
const stateText = (text: string, isVerified: boolean) =>
  text === '' ? '' : `${text} ${isVerified ? 'verified' : 'unverified'}`;

/** Values are in base64. */
export const metadataText = (metadata: readonly { readonly key: string; readonly value: string }[]) =>
  metadata
    .map(({ key, value }) => JSON.stringify([key, value]))
    .toSorted()
    .join('\n');
