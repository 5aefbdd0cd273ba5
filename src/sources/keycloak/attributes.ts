/** Reads phone, language, gender and names of a user from its attributes; all other attributes become metadata. */
import { isObject, type JsonObject } from '../../lib/json-value.ts';
import { formatCounted } from '../../lib/quantity.ts';
import { readPhone } from '../../records/phone.ts';
import { addMetadata, addNote, type UserDraft } from '../../records/user-draft.ts';
import { readTexts } from './fields.ts';
import type { KeycloakOptions } from './options.ts';

/** Fields of a user that Keycloak keeps as attributes, by the attribute names in the order in which they are tried. */
const fields = {
  phone: ['phoneNumber', 'phone', 'mobile', 'phone_number', 'telephone', 'phoneNumbers'],
  language: ['locale'],
  gender: ['gender'],
  nickName: ['nickname', 'nickName'],
  displayName: ['displayName'],
} as const;

const fieldNames: ReadonlySet<string> = new Set(Object.values(fields).flat());

/** Attributes of Keycloak itself, which no application reads. */
const internal: ReadonlySet<string> = new Set(['picture', 'is_temporary_admin']);

export function readAttributes(draft: UserDraft, value: unknown, options: KeycloakOptions): void {
  if (value === undefined || value === null) return;
  if (!isObject(value)) {
    addNote(draft, 'attribute:dropped', 'attributes is not an object');
    return;
  }
  const phone = chooseName(
    value,
    fields.phone,
    (text) => readPhone(text, options.defaultRegion) !== undefined,
  );
  const language = chooseName(value, fields.language);
  const gender = chooseName(value, fields.gender);
  const nickName = chooseName(value, fields.nickName);
  const displayName = chooseName(value, fields.displayName);
  draft.phone = first(value, phone);
  draft.language = first(value, language);
  draft.gender = first(value, gender);
  draft.nickName = first(value, nickName);
  draft.displayName = first(value, displayName);
  // It speaks of this attribute only: another number may never have been verified.
  draft.phoneVerified = phone === 'phoneNumber' && first(value, 'phoneNumberVerified') === 'true';
  if (first(value, 'is_temporary_admin') === 'true') addNote(draft, 'account:temporary-admin');

  /** Nothing of it is lost: its only text is in the record, or it has none. */
  const isSpent = (name: string, texts: unknown): boolean => {
    if (name === 'phoneNumberVerified') return phone === 'phoneNumber';
    if (!fieldNames.has(name)) return false;
    const isRead = [phone, language, gender, nickName, displayName].includes(name);
    return isRead ? readTexts(texts).length === 1 : first(value, name) === '';
  };
  let left = 0;
  for (const name in value) {
    if (options.metadata !== 'all' && (isSpent(name, value[name]) || internal.has(name))) continue;
    left++;
    if (options.metadata !== 'none') carry(draft, name, value[name]);
  }
  if (left > 0 && options.metadata === 'none') {
    addNote(draft, 'attribute:not-migrated', formatCounted(left, 'attribute'));
  }
}

/** The first of the names whose attribute has a text, if possible one that can be read; undefined where none has. */
function chooseName(
  attributes: JsonObject,
  names: readonly string[],
  isReadable: (text: string) => boolean = () => true,
): string | undefined {
  const found = names.filter((name) => attributes[name] !== undefined && first(attributes, name) !== '');
  return found.length > 1
    ? (found.find((name) => isReadable(first(attributes, name))) ?? found[0])
    : found[0];
}

/** One text stays a text, several become a JSON list; attributes without any text carry nothing. */
function carry(draft: UserDraft, name: string, value: unknown): void {
  const texts = readTexts(value);
  if (texts.length === 1) addMetadata(draft, name, texts[0] ?? '');
  else if (texts.length > 1) addMetadata(draft, name, JSON.stringify(texts));
}

function first(attributes: JsonObject, name: string | undefined): string {
  return name === undefined ? '' : (readTexts(attributes[name])[0] ?? '');
}
