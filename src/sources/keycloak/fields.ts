/** Reads the loosely typed fields of an export; an unreadable field is added to the problems by name. */
import { isObject, isText, type JsonObject, readJsonId, tryParseJson } from '../../lib/json-value.ts';

/** What is read of a user. */
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

/** What is read of a credential. */
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

/** Absent and null are the empty string; numbers and other types are a problem. */
export function readText(source: User, field: keyof User, problems: string[]): string {
  const value = source[field];
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  problems.push(`${field} is not a string`);
  return '';
}

/** Absent and null are the empty string. */
export function readId(source: User, problems: string[]): string {
  const id = readJsonId(source.id ?? '');
  if (id !== undefined) return id;
  problems.push('id must be a string or a safe integer');
  return '';
}

/** Booleans, and the words that hand-written files use for them. */
export function readFlag(source: User, field: keyof User, problems: string[]): boolean | undefined {
  const value = source[field];
  if (typeof value === 'boolean') return value;
  if (value === undefined || value === null) return undefined;
  if (value === 'true') return true;
  if (value === 'false') return false;
  problems.push(`${field} is not true or false`);
  return undefined;
}

const none: readonly unknown[] = [];

/** Absent and null are the empty list. */
export function readList(source: User, field: keyof User, problems: string[]): readonly unknown[] {
  const value = source[field];
  if (value === undefined || value === null) return none;
  if (Array.isArray(value)) return value;
  problems.push(`${field} is not a list`);
  return none;
}

const noTexts: readonly string[] = [];

/** The texts of a list or a single text; everything else is left out. Attributes come in both forms. */
export function readTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value) || value.length === 0) return noTexts;
  return value.every(isText) ? value : value.filter(isText);
}

/**
 * `secretData` or `credentialData`: JSON in a string, or an object in files written by hand. A line break or another
 * control character inside such a string is not JSON; the hash in it still counts.
 */
export function readData(
  credential: Credential,
  field: 'secretData' | 'credentialData',
): JsonObject | undefined {
  const value = credential[field];
  if (isObject(value)) return value;
  if (typeof value !== 'string') return undefined;
  const parsed = tryParseJson(value) ?? tryParseJson(escapeControls(value));
  return isObject(parsed) ? parsed : undefined;
}

/** Only in strings: between them a line break is a blank. */
function escapeControls(json: string) {
  return json.replace(/"(?:[^"\\]|\\.)*"/gs, (text) =>
    text.replace(
      /[\u0000-\u001f]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  );
}

/** The REST interface shows which credentials a user has, and never what is secret in them. */
export function isSecretWithheld(credential: Credential): boolean {
  const { credentialData, secretData, hashedSaltedValue, value } = credential;
  return (
    [secretData, hashedSaltedValue, value].every((secret) => (secret ?? '') === '') &&
    (credentialData ?? '') !== ''
  );
}
