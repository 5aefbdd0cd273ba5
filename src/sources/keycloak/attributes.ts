/** Reads phone, language, gender and names of a user from its attributes; all other attributes become metadata. */
import { isObject, isText, type JsonObject } from '../../lib/json-value.ts';
import { formatCounted } from '../../lib/quantity.ts';
import { readGender } from '../../records/gender.ts';
import { readLanguage } from '../../records/language.ts';
import { readPhone } from '../../records/phone.ts';
import { addMetadata, addNote, type UserDraft } from '../../records/user-draft.ts';
import type { KeycloakOptions } from './options.ts';

/** Fields of a user that Keycloak keeps as attributes, by the attribute names in the order in which they are tried. */
const fields = {
  phone: ['phoneNumber', 'phone', 'mobile', 'phone_number', 'telephone', 'phoneNumbers'],
  language: ['locale'],
  gender: ['gender'],
  nickName: ['nickname', 'nickName'],
  displayName: ['displayName'],
} as const;

/** Attributes of Keycloak itself, which have a note of their own. */
const internal: ReadonlySet<string> = new Set(['is_temporary_admin']);

export function readAttributes(draft: UserDraft, value: unknown, options: KeycloakOptions): void {
  if (value === undefined || value === null) return;
  if (!isObject(value)) {
    addNote(draft, 'attribute:dropped', 'attributes is not an object');
    return;
  }
  const { phoneAttribute, defaultRegion, metadata } = options;
  const phoneNames = phoneAttribute === undefined ? fields.phone : [phoneAttribute, ...fields.phone];
  const phone = choose(value, phoneNames, (text) => readPhone(text, defaultRegion) !== undefined);
  const language = choose(value, fields.language, (text) => readLanguage(text).tag !== '');
  const gender = choose(value, fields.gender, (text) => readGender(text) !== 'unspecified');
  const nickName = choose(value, fields.nickName);
  const displayName = choose(value, fields.displayName);
  draft.phone = textOf(draft, phone, metadata);
  draft.language = textOf(draft, language, metadata);
  draft.gender = gender?.text ?? '';
  draft.nickName = nickName?.text ?? '';
  draft.displayName = displayName?.text ?? '';
  // It speaks of this attribute only: another number may never have been verified.
  const isPhoneNumber = phone?.name === 'phoneNumber' && phone.isRead;
  draft.phoneVerified = isPhoneNumber && firstText(value, 'phoneNumberVerified') === 'true';
  if (firstText(value, 'is_temporary_admin') === 'true') addNote(draft, 'account:temporary-admin');
  if (metadata === 'all') {
    for (const name in value) if (!isEmpty(value[name])) carry(draft, name, value[name]);
    return;
  }

  /** Attributes of which nothing is left, because the record has their only text. */
  const spent: Set<string> = new Set(internal);
  if (isPhoneNumber && isOne(value['phoneNumberVerified'])) spent.add('phoneNumberVerified');
  for (const found of [phone, language, gender, nickName, displayName]) {
    // Without metadata, a phone or a language that cannot be read has a note of its own.
    const isGone = found !== undefined && (found.isRead || (metadata === 'none' && found !== gender));
    if (isGone && isOne(value[found.name])) spent.add(found.name);
  }
  const left = Object.keys(value).filter((name) => !spent.has(name) && !isEmpty(value[name]));
  if (metadata === 'attributes') for (const name of left) carry(draft, name, value[name]);
  else if (left.length > 0) addNote(draft, 'attribute:not-migrated', formatCounted(left.length, 'attribute'));
}

interface Found {
  readonly name: string;
  readonly text: string;
  /** False where the text is none of what the field holds. */
  readonly isRead: boolean;
}

/** Empty for one that cannot be read and becomes metadata. */
function textOf(draft: UserDraft, found: Found | undefined, metadata: KeycloakOptions['metadata']): string {
  if (found === undefined || found.isRead || metadata === 'none') return found?.text ?? '';
  addNote(draft, 'attribute:as-metadata', found.name);
  return '';
}

/** The first text that can be read, of the names in their order; else the first text; undefined where there is none. */
function choose(
  attributes: JsonObject,
  names: readonly string[],
  isReadable: (text: string) => boolean = () => true,
): Found | undefined {
  let first: Found | undefined;
  for (const name of names) {
    if (!Object.hasOwn(attributes, name)) continue;
    for (const text of readValues(attributes[name]).texts) {
      if (text === '') continue;
      if (isReadable(text)) return { name, text, isRead: true };
      first ??= { name, text, isRead: false };
    }
  }
  return first;
}

/** One text stays a text, several become a JSON list. */
function carry(draft: UserDraft, name: string, value: unknown): void {
  const { texts, isWhole } = readValues(value);
  if (!isWhole) addNote(draft, 'attribute:dropped', name);
  else if (texts.length === 1) addMetadata(draft, name, texts[0] ?? '');
  else addMetadata(draft, name, JSON.stringify(texts));
}

function isOne(value: unknown): boolean {
  return readValues(value).texts.length === 1;
}

function isEmpty(value: unknown): boolean {
  const { texts, isWhole } = readValues(value);
  return isWhole && texts.every((text) => text === '');
}

function firstText(attributes: JsonObject, name: string): string {
  return Object.hasOwn(attributes, name) ? (readValues(attributes[name]).texts[0] ?? '') : '';
}

interface Values {
  readonly texts: readonly string[];
  /** False where a value is none that an attribute can have. */
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

/** A larger number is not what the file says. */
function isScalar(value: unknown): value is string | number | boolean {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  return typeof value === 'string' || typeof value === 'boolean';
}
