/** Reads a user's phone, language, gender and names from its attributes. All other attributes become metadata. */
import { isObject, type JsonObject } from '../../lib/json-value.ts';
import { formatCounted } from '../../lib/format.ts';
import { readGender, addMetadata, addNote, type UserRecord } from '../../records/user.ts';
import { readLanguage } from '../../records/language.ts';
import { readPhone } from '../../records/phone.ts';
import type { KeycloakOptions } from './options.ts';

/** Fields of a user that Keycloak stores as attributes, with the attribute names in the order in which they are tried. */
const fields = {
  phone: ['phoneNumber', 'phone', 'mobile', 'phone_number', 'telephone', 'phoneNumbers'],
  language: ['locale'],
  gender: ['gender'],
  nickName: ['nickname', 'nickName'],
  displayName: ['displayName'],
} as const;
type Field = keyof typeof fields;

/** Other fields take any text. */
const isReadable: Readonly<Partial<Record<Field, (text: string, options: KeycloakOptions) => boolean>>> = {
  phone: (text, { defaultRegion }) => readPhone(text, defaultRegion) !== undefined,
  language: (text) => readLanguage(text).tag !== '',
  gender: (text) => readGender(text) !== 'unspecified',
};

/**
 * Reads the attributes. Keycloak writes them in hash order, so metadata is sorted by name: two exports of a user give
 * the same body. A machine user has no phone, language, gender or further names, so they are attributes like others.
 */
export function readAttributes(
  draft: UserRecord,
  value: unknown,
  options: KeycloakOptions,
  isMachine = false,
) {
  if (value === undefined || value === null) return;
  if (!isObject(value)) return addNote(draft, 'attribute:dropped', 'attributes is not an object');
  const { metadata, phoneAttribute = '' } = options;
  const filled = readFilled(value);
  if (filled.size === 0) return;
  const isTrue = (name: string) => filled.get(name)?.texts[0] === 'true';
  const find = (field: Field, names: readonly string[] = fields[field]) =>
    isMachine ? undefined : findText(filled, names, (text) => isReadable[field]?.(text, options) ?? true);
  const phone = find('phone', [phoneAttribute, ...fields.phone]);
  const [language, gender] = [find('language'), find('gender')];
  const [nickName, displayName] = [find('nickName'), find('displayName')];
  draft.phone = textOf(draft, phone, metadata);
  draft.language = textOf(draft, language, metadata);
  draft.gender = readGender(gender?.text ?? '');
  draft.nickName = nickName?.text ?? '';
  // Missing names are taken from it.
  draft.displayName = draft.fullName = displayName?.text ?? '';
  // `phoneNumberVerified` is about this attribute only. Another number may never have been verified.
  const isPhoneNumber = phone?.name === 'phoneNumber' && phone.isRead;
  draft.phoneVerified = isPhoneNumber && isTrue('phoneNumberVerified');
  if (isTrue('is_temporary_admin')) addNote(draft, 'account:temporary-admin');
  // Attributes that need no metadata or note: the record has their only text, or they have their own note.
  if (metadata !== 'all') {
    filled.delete('is_temporary_admin');
    if (isPhoneNumber && filled.get('phoneNumberVerified')?.texts.length === 1)
      filled.delete('phoneNumberVerified');
    for (const each of [phone, language, gender, nickName, displayName]) {
      // Without metadata, a phone or a language that cannot be read has its own note.
      const isGone = each !== undefined && (each.isRead || (metadata === 'none' && each !== gender));
      if (isGone && each.isOnly) filled.delete(each.name);
    }
  }
  const { size } = filled;
  if (metadata === 'none') {
    if (size > 0) addNote(draft, 'attribute:not-migrated', formatCounted(size, 'attribute'));
    return;
  }
  const sorted = [...filled].sort(([one], [other]) => (one < other ? -1 : 1));
  // A single text stays a text, several become a JSON list.
  for (const [name, { texts, isWhole }] of sorted)
    if (!isWhole) addNote(draft, 'attribute:dropped', name);
    else addMetadata(draft, name, texts.length === 1 ? texts[0]! : JSON.stringify(texts));
}

type Filled = Map<string, Values>;

/** Returns the attributes that are not empty, in the order of the export. */
function readFilled(attributes: JsonObject): Filled {
  const filled = new Map<string, Values>();
  for (const name in attributes) {
    const values = readValues(attributes[name]);
    if (!values.isWhole || values.texts.some((text) => text !== '')) filled.set(name, values);
  }
  return filled;
}

interface Found {
  readonly name: string;
  readonly text: string;
  /** Whether the text is a value of the field. */
  readonly isRead: boolean;
  /** Whether the attribute has no other text. */
  readonly isOnly: boolean;
}

/** Returns the first text under these names that can be read, or else the first text. */
function findText(filled: Filled, names: readonly string[], isReadable: (text: string) => boolean) {
  let first: Found | undefined;
  for (const name of names) {
    const texts = filled.get(name)?.texts ?? [];
    for (const text of texts) {
      if (text === '') continue;
      const isRead = isReadable(text);
      const found = { name, text, isRead, isOnly: texts.length === 1 };
      if (isRead) return found;
      first ??= found;
    }
  }
  return first;
}

/** Returns an empty string for a text that cannot be read and becomes metadata. */
function textOf(draft: UserRecord, found: Found | undefined, metadata: KeycloakOptions['metadata']) {
  if (found === undefined || found.isRead || metadata === 'none') return found?.text ?? '';
  addNote(draft, 'attribute:as-metadata', found.name);
  return '';
}

interface Values {
  readonly texts: readonly string[];
  /** False if a value cannot be an attribute, such as an object. */
  readonly isWhole: boolean;
}

/**
 * Reads the values of an attribute. Keycloak writes lists of texts; files written by hand may also have single texts,
 * numbers and booleans.
 */
function readValues(value: unknown): Values {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  const texts = values.filter(isScalar).map(String);
  return { texts, isWhole: values.every((item) => isScalar(item) || (item ?? undefined) === undefined) };
}

/**
 * Reports whether a value is a scalar. A number beyond the safe integers is not, because it differs from the one in the
 * file.
 */
function isScalar(value: unknown): value is string | number | boolean {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  return typeof value === 'string' || typeof value === 'boolean';
}
