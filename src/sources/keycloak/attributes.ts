/** The custom attributes of a user in; phone, language, gender, names and metadata out. */
import { addMetadata, addNote, type UserDraft } from '../../records/user-draft.ts';
import { isObject } from '../../lib/json-value.ts';
import { readTexts } from './fields.ts';
import type { KeycloakOptions } from './options.ts';

/** Attributes that have a place of their own in a record. Of several names for one place the first one counts. */
type Place = 'phone' | 'language' | 'gender' | 'nickName' | 'displayName';
const places: ReadonlyMap<string, Place> = new Map<string, Place>([
  ...['phoneNumber', 'phone', 'mobile', 'phone_number', 'telephone', 'phoneNumbers'].map(
    (name) => [name, 'phone'] as const,
  ),
  ['locale', 'language'],
  ['gender', 'gender'],
  ['nickname', 'nickName'],
  ['nickName', 'nickName'],
  ['displayName', 'displayName'],
]);

/** Not worth carrying as metadata either. */
const consumed = new Set([...places.keys(), 'phoneNumberVerified', 'picture', 'is_temporary_admin']);

export function readAttributes(draft: UserDraft, value: unknown, options: KeycloakOptions): void {
  if (value === undefined || value === null) return;
  if (!isObject(value)) {
    addNote(draft, 'attribute:dropped', 'attributes is not an object');
    return;
  }
  let left = 0;
  let phoneVerified = false;
  let temporaryAdmin = false;
  for (const name in value) {
    const texts = value[name];
    const place = places.get(name);
    if (place !== undefined && draft[place] === '') draft[place] = first(texts);
    else if (name === 'phoneNumberVerified') phoneVerified = first(texts) === 'true';
    else if (name === 'is_temporary_admin') temporaryAdmin = first(texts) === 'true';
    if (options.metadata !== 'all' && consumed.has(name)) continue;
    left++;
    if (options.metadata !== 'none') carry(draft, name, texts);
  }
  draft.phoneVerified = phoneVerified && draft.phone !== '';
  if (temporaryAdmin) addNote(draft, 'account:temporary-admin');
  if (left > 0 && options.metadata === 'none') {
    addNote(draft, 'attribute:not-migrated', left === 1 ? '1 attribute' : `${left} attributes`);
  }
}

/** One text stays a text, several become a JSON list; attributes without any text carry nothing. */
function carry(draft: UserDraft, name: string, value: unknown): void {
  const texts = readTexts(value);
  if (texts.length === 1) addMetadata(draft, name, texts[0] ?? '');
  else if (texts.length > 1) addMetadata(draft, name, JSON.stringify(texts));
}

function first(value: unknown): string {
  return readTexts(value)[0] ?? '';
}
