/** The loosely typed fields of an export in, texts and lists out; what cannot be read is a problem by name. */
import type { Oddities } from '../../lib/stencil-samples.ts';

export type Json = Readonly<Record<string, unknown>>;

/** All that is read of a credential, and of the user around it. */
const credentialKeys = {
  type: true,
  temporary: true,
  priority: true,
  secretData: 'secret',
  credentialData: true,
  value: true,
  hashedSaltedValue: true,
  salt: true,
  algorithm: true,
  hashIterations: true,
  subType: true,
  digits: true,
  period: true,
  secretEncoding: true,
} as const;

export const wantedKeys = {
  id: 'word',
  username: 'userName',
  enabled: true,
  emailVerified: true,
  firstName: 'name',
  lastName: 'name',
  email: 'address',
  federationLink: true,
  serviceAccountClientId: true,
  attributes: true,
  credentials: credentialKeys,
  requiredActions: true,
  realmRoles: true,
  clientRoles: true,
  applicationRoles: true,
  groups: true,
  federatedIdentities: { identityProvider: true, userId: true, userName: true },
  socialLinks: { socialProvider: true, socialUserId: true, socialUsername: true },
} as const;

/** Service accounts have such names; some one-time passwords are told from others by their letters. */
export const oddities: Oddities = {
  userName: ['service-account-x', 'service-account-'],
  secret: ['ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 'abcdefghijklmnopqrstuvwxyz', '0189'],
};

export type User = Readonly<Record<keyof typeof wantedKeys, unknown>>;
export type Credential = Readonly<Record<keyof typeof credentialKeys, unknown>>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Absent and null are the empty string; numbers and other types are a problem. */
export function readText(source: User, field: keyof User, problems: string[]): string {
  const value = source[field];
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  problems.push(`${field} is not a string`);
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

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** The texts of a list or a single text; everything else is left out. Attributes come in both forms. */
export function readTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value) || value.length === 0) return noTexts;
  return value.every(isText) ? value : value.filter(isText);
}

/** `secretData` or `credentialData`: JSON in a string, or an object in files written by hand. */
export function readData(credential: Credential, field: 'secretData' | 'credentialData'): Json | undefined {
  const value = credential[field];
  if (isObject(value)) return value;
  if (typeof value !== 'string') return undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
