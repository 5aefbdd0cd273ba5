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
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, 4096)).toString('latin1');
  return yamlStart.test(text) ? 'yaml' : 'realm';
}

const records = ['users', 'federatedUsers'];

/** Where users, organizations and the realm's name stand in each shape that the scanner reads. */
export const layouts: Readonly<Record<Exclude<Form, 'yaml'>, ScanOptions>> = {
  realm: {
    arrays: [['users'], ['federatedUsers'], ['organizations']],
    fields: [['realm']],
    repeats: true,
    records,
  },
  realms: {
    arrays: [
      ['*', 'users'],
      ['*', 'federatedUsers'],
      ['*', 'organizations'],
    ],
    fields: [['*', 'realm']],
    repeats: true,
    records,
  },
  users: { arrays: [[]], records: true },
  sequence: { arrays: 'values', records: true },
  resource: {
    arrays: [
      ['spec', 'realm', 'users'],
      ['spec', 'realm', 'organizations'],
    ],
    fields: [['spec', 'realm', 'realm']],
    repeats: true,
    records,
  },
};
