/** Reads the loosely typed fields of an export. The names of unreadable fields are added to the problems. */
import { isObject, isText, readJsonId, tryParseJson } from '../../lib/json-value.ts';

/** The fields of a user that are read. */
export type User = Readonly<
  Partial<
    Record<
      | 'id'
      | 'username'
      | 'enabled'
      | 'totp'
      | 'emailVerified'
      | 'firstName'
      | 'lastName'
      | 'email'
      | 'federationLink'
      | 'serviceAccountClientId'
      | 'attributes'
      | 'credentials'
      | 'requiredActions'
      | 'realmRoles'
      | 'clientRoles'
      | 'applicationRoles'
      | 'groups'
      | 'clientConsents'
      | 'federatedIdentities'
      | 'socialLinks',
      unknown
    >
  >
>;

/** The fields of a credential that are read. */
export type Credential = Readonly<
  Partial<
    Record<
      | 'type'
      | 'temporary'
      | 'priority'
      | 'secretData'
      | 'credentialData'
      | 'value'
      | 'hashedSaltedValue'
      | 'salt'
      | 'algorithm'
      | 'hashIterations'
      | 'subType'
      | 'digits'
      | 'period'
      | 'secretEncoding',
      unknown
    >
  >
>;

/** Returns an empty string if the field is absent or null. Numbers and other types are a problem. */
export function readText(source: User, field: keyof User, problems: string[]) {
  const value = source[field] ?? '';
  if (typeof value === 'string') return value;
  problems.push(`${field} is not a string`);
  return '';
}

/** Returns an empty string if the id is absent or null. */
export function readId(source: User, problems: string[]) {
  const id = readJsonId(source.id ?? '');
  if (id !== undefined) return id;
  problems.push('id must be a string or a safe integer');
  return '';
}

/**
 * Reads booleans and the words that hand-written files use for them. Undefined if the field is absent, null or
 * unreadable.
 */
export function readFlag(source: User, field: keyof User, problems: string[]) {
  const value = source[field] ?? undefined;
  if (value === undefined || typeof value === 'boolean') return value;
  if (value === 'true') return true;
  if (value === 'false') return false;
  problems.push(`${field} is not true or false`);
  return undefined;
}

/** Returns an empty list if the field is absent or null. */
export function readList(source: User, field: keyof User, problems: string[]): readonly unknown[] {
  const value = source[field] ?? [];
  if (Array.isArray(value)) return value;
  problems.push(`${field} is not a list`);
  return [];
}

/** Returns the texts of a list, or a single text as a list. Other values are left out. Attributes come in both forms. */
export function readTexts(value: unknown) {
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) return [];
  return value.filter(isText);
}

/**
 * Reads `secretData` or `credentialData`: JSON in a string, or an object in files written by hand. Control characters
 * such as line breaks inside such a string are not valid JSON, but the hash in it still counts.
 */
export function readData(credential: Credential, field: 'secretData' | 'credentialData') {
  const value = credential[field];
  if (isObject(value)) return value;
  if (typeof value !== 'string') return undefined;
  const parsed = tryParseJson(value) ?? tryParseJson(escapeControls(value));
  return isObject(parsed) ? parsed : undefined;
}

/** Escapes control characters within strings only. Between strings a line break is white space. */
function escapeControls(json: string) {
  return json.replace(/"(?:[^"\\]|\\.)*"/gs, (text) =>
    text.replace(
      /[\u0000-\u001f]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  );
}

/** Reports whether the secret is missing. The REST API shows which credentials a user has, but never their secrets. */
export function isSecretWithheld(credential: Credential) {
  const { credentialData, secretData, hashedSaltedValue, value } = credential;
  return (
    [secretData, hashedSaltedValue, value].every((secret) => (secret ?? '') === '') &&
    (credentialData ?? '') !== ''
  );
}
