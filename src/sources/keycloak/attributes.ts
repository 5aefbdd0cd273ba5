/** Reads phone, language, gender and names of a user from its attributes; all other attributes become metadata. */
import { isObject, isText, type JsonObject } from '../../lib/json-value.ts';
import { formatCounted } from '../../lib/format.ts';
import { readGender } from '../../records/gender.ts';
import { readLanguage } from '../../records/language.ts';
import { readPhone } from '../../records/phone.ts';
import { addMetadata, addNote, type UserRecord } from '../../records/user.ts';
import type { KeycloakOptions } from './options.ts';

/** Fields of a user that Keycloak keeps as attributes, by the attribute names in the order in which they are tried. */
const fields = {
  phone: ['phoneNumber', 'phone', 'mobile', 'phone_number', 'telephone', 'phoneNumbers'],
  language: ['locale'],
  gender: ['gender'],
  nickName: ['nickname', 'nickName'],
  displayName: ['displayName'],
} as const;
type Field = keyof typeof fields;

/** The field that an attribute may hold, and its place in the order of its names. */
interface Use {
  readonly field: Field;
  readonly rank: number;
}

const uses: ReadonlyMap<string, Use> = new Map(
  Object.entries(fields).flatMap(([field, names]) =>
    names.map((name, place) => [name, { field: field as Field, rank: place + 1 }] as const),
  ),
);
/** Of `--phone-attribute`: before the others. */
const askedPhone: Use = { field: 'phone', rank: 0 };

const isReadable: Readonly<Record<Field, (text: string, options: KeycloakOptions) => boolean>> = {
  phone: (text, { defaultRegion }) => readPhone(text, defaultRegion) !== undefined,
  language: (text) => readLanguage(text).tag !== '',
  gender: (text) => readGender(text) !== 'unspecified',
  nickName: () => true,
  displayName: () => true,
};

/** Keycloak writes attributes in hash order: metadata comes by name, so that two exports of a user give one body. */
export function readAttributes(draft: UserRecord, value: unknown, options: KeycloakOptions): void {
  if (value === undefined || value === null) return;
  if (!isObject(value)) return addNote(draft, 'attribute:dropped', 'attributes is not an object');
  const { metadata } = options;
  const { filled, found, verified, temporaryAdmin } = scanAttributes(value, options);
  const { phone, language, gender, nickName, displayName } = found;
  draft.phone = textOf(draft, phone, metadata);
  draft.language = textOf(draft, language, metadata);
  draft.gender = readGender(gender?.text ?? '');
  draft.nickName = nickName?.text ?? '';
  draft.displayName = displayName?.text ?? '';
  // It speaks of this attribute only: another number may never have been verified.
  const isPhoneNumber = phone?.name === 'phoneNumber' && phone.isRead;
  draft.phoneVerified = isPhoneNumber && verified?.texts[0] === 'true';
  if (temporaryAdmin?.texts[0] === 'true') addNote(draft, 'account:temporary-admin');
  if (metadata === 'all') {
    for (const name of filled.toSorted()) addAttribute(draft, name, value[name]);
    return;
  }

  /** Attributes of which nothing is left, because the record has their only text or there is a note of its own. */
  const spent = ['is_temporary_admin'];
  if (isPhoneNumber && verified?.texts.length === 1) spent.push('phoneNumberVerified');
  for (const each of [phone, language, gender, nickName, displayName]) {
    // Without metadata, a phone or a language that cannot be read has a note of its own.
    const isGone = each !== undefined && (each.isRead || (metadata === 'none' && each !== gender));
    if (isGone && each.isOnly) spent.push(each.name);
  }
  const left = filled.filter((name) => !spent.includes(name));
  if (metadata === 'attributes') for (const name of left.toSorted()) addAttribute(draft, name, value[name]);
  else if (left.length > 0) addNote(draft, 'attribute:not-migrated', formatCounted(left.length, 'attribute'));
}

interface Found {
  readonly name: string;
  readonly text: string;
  /** False where the text is not a value of the field. */
  readonly isRead: boolean;
  /** The attribute has no other text. */
  readonly isOnly: boolean;
  readonly rank: number;
}

/** One pass over the attributes, because a user has few of the many names that are known. */
function scanAttributes(attributes: JsonObject, options: KeycloakOptions) {
  /** Attributes that are not empty, in the order of the export. */
  const filled: string[] = [];
  const found: Partial<Record<Field, Found>> = {};
  let verified: Values | undefined;
  let temporaryAdmin: Values | undefined;
  for (const name in attributes) {
    const values = readValues(attributes[name]);
    if (isEmpty(values)) continue;
    filled.push(name);
    if (name === 'phoneNumberVerified') verified = values;
    if (name === 'is_temporary_admin') temporaryAdmin = values;
    if (name === options.phoneAttribute) considerCandidate(found, askedPhone, name, values, options);
    const use = uses.get(name);
    if (use !== undefined) considerCandidate(found, use, name, values, options);
  }
  return { filled, found, verified, temporaryAdmin };
}

/** Of a field counts the first text that can be read, in the order of the names; else the first text. */
function considerCandidate(
  found: Partial<Record<Field, Found>>,
  { field, rank }: Use,
  name: string,
  { texts }: Values,
  options: KeycloakOptions,
): void {
  const given = texts.filter((text) => text !== '');
  const readable = given.find((text) => isReadable[field](text, options));
  const text = readable ?? given[0];
  if (text === undefined) return;
  const isRead = readable !== undefined;
  const known = found[field];
  const isBetter = known === undefined || (known.isRead === isRead ? rank < known.rank : isRead);
  if (isBetter) found[field] = { name, text, isRead, isOnly: texts.length === 1, rank };
}

/** Empty for one that cannot be read and becomes metadata. */
function textOf(draft: UserRecord, found: Found | undefined, metadata: KeycloakOptions['metadata']): string {
  if (found === undefined || found.isRead || metadata === 'none') return found?.text ?? '';
  addNote(draft, 'attribute:as-metadata', found.name);
  return '';
}

/** One text stays a text, several become a JSON list. */
function addAttribute(draft: UserRecord, name: string, value: unknown): void {
  const { texts, isWhole } = readValues(value);
  if (!isWhole) addNote(draft, 'attribute:dropped', name);
  else if (texts.length === 1) addMetadata(draft, name, texts[0] ?? '');
  else addMetadata(draft, name, JSON.stringify(texts));
}

function isEmpty({ texts, isWhole }: Values): boolean {
  return isWhole && texts.every((text) => text === '');
}

interface Values {
  readonly texts: readonly string[];
  /** False if one of the values cannot be an attribute, such as an object. */
  readonly isWhole: boolean;
}

/** Keycloak writes lists of texts; files written by hand have single texts, numbers and truth values too. */
function readValues(value: unknown): Values {
  if (typeof value === 'string') return { texts: [value], isWhole: true };
  if (Array.isArray(value) && value.every(isText)) return { texts: value, isWhole: true };
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  const given = values.filter((item) => item !== null && item !== undefined);
  const texts = given.filter(isScalar).map(String);
  return { texts, isWhole: texts.length === given.length };
}

/** A larger number is not what the file holds. */
function isScalar(value: unknown): value is string | number | boolean {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  return typeof value === 'string' || typeof value === 'boolean';
}
