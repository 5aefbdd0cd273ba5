/** Recognises the form of a Keycloak input by its first bytes; version and file name do not matter. */
import { peekShape } from '../../json/shape.ts';
import type { ScanOptions } from '../../json/scan.ts';

export type Form =
  /** One realm object, or the users half of a folder export. */
  | 'realm'
  /** A list of realm objects: an export without `--realm`. */
  | 'realms'
  /** A list of users, as the REST interface answers. */
  | 'users'
  /** A single user, or users one after the other (a rejects file is one a line). */
  | 'sequence'
  /** The operator's custom resource as JSON. */
  | 'resource'
  /** The operator's custom resource, or a realm, as YAML. */
  | 'yaml';

const yamlStart = /^(?:\s|#[^\n]*\n|---[^\n]*\n)*(?:apiVersion|kind|metadata|spec|realm|id|users)\s*:/;

export function recogniseForm(head: Uint8Array): Form {
  const { root, keys } = peekShape(head);
  const isUser = keys.includes('username') && !keys.includes('users');
  if (root === 'array') return isUser ? 'users' : 'realms';
  if (root === 'object') {
    if (isUser) return 'sequence';
    return keys.includes('spec') && keys.includes('kind') ? 'resource' : 'realm';
  }
  const text = Buffer.from(head.subarray(0, 4096)).toString('latin1');
  return yamlStart.test(text) ? 'yaml' : 'realm';
}

/** The path to a realm in each form that has one. */
const realmPaths = { realm: [], realms: ['*'], resource: ['spec', 'realm'] } as const;
export type RealmForm = keyof typeof realmPaths;

/** Where lists and names of realms stand, and these `members`, which are lists but for the roles. */
export function layoutOf(form: RealmForm, members: readonly string[] = []): ScanOptions {
  const at = (...names: readonly string[]): string[][] => names.map((name) => [...realmPaths[form], name]);
  const records = ['users', 'federatedUsers'];
  const isList = (name: string): boolean => name !== 'roles';
  return {
    arrays: at(...records, 'organizations', ...members.filter(isList)),
    fields: at('realm'),
    values: at(...members.filter((name) => !isList(name))),
    repeats: true,
    records,
  };
}
