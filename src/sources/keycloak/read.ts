/** Reads one element of `users` or `federatedUsers` into a user, a service account or a rejection. */
import { fieldRules, fits } from '../../records/field-rules.ts';
import {
  addNote,
  deriveId,
  finishUser,
  type UserDraft,
  reject,
  startDraft,
} from '../../records/user-draft.ts';
import type { MachineRecord, Origin, ReadResult } from '../../records/user.ts';
import type { Reader } from '../source.ts';
import { readAttributes } from './attributes.ts';
import { readCredentials } from './credentials.ts';
import { isObject } from '../../lib/json-value.ts';
import { readFlag, readList, readText, type User } from './fields.ts';
import { readLinks, readMemberships } from './memberships.ts';
import type { KeycloakContext, KeycloakOptions } from './options.ts';

export function createReader(options: KeycloakOptions): Reader<KeycloakContext> {
  return (value, place, context) => {
    if (!isObject(value)) return reject({ origin: place }, 'record:not-an-object', typeName(value));
    return readUser(value, place, context, options);
  };
}

function readUser(user: User, place: Origin, context: KeycloakContext, options: KeycloakOptions): ReadResult {
  const problems: string[] = [];
  const userName = readText(user, 'username', problems);
  const id = readText(user, 'id', problems);
  const draft = startDraft({ input: place.input, index: place.index, id: id || userName });
  if (context.federated || (userName === '' && id.startsWith('f:'))) {
    return reject(draft, 'user-skipped:federated-storage');
  }
  const credentials = readList(user, 'credentials', problems);
  if (isServiceAccount(user, userName, credentials)) {
    if (options.serviceAccounts === 'skip') return reject(draft, 'user-skipped:service-account', userName);
    return readServiceAccount(draft, user, userName, context);
  }

  draft.id = id;
  draft.userName = userName;
  draft.givenName = readText(user, 'firstName', problems);
  draft.familyName = readText(user, 'lastName', problems);
  draft.email = readText(user, 'email', problems);
  draft.emailVerified = readFlag(user, 'emailVerified', problems) ?? false;
  const enabled = readFlag(user, 'enabled', problems);
  if (problems.length > 0) return reject(draft, 'record:malformed', problems.join('; '));

  if (enabled === undefined) addNote(draft, 'state:assumed-enabled');
  draft.enabled = enabled ?? true;
  if (id === '' && userName !== '') {
    draft.id = deriveId(context.realm, userName);
    addNote(draft, 'id:derived');
  }
  readAttributes(draft, user.attributes, options);
  readCredentials(draft, credentials, options);
  readLinks(draft, user, options);
  readMemberships(draft, user, options);
  notePassword(draft, user);
  return finishUser(draft, options);
}

/** Says why there is no password, unless a credential said so already or a link makes one needless. */
function notePassword(draft: UserDraft, user: User): void {
  if (draft.passwordHash !== '' || draft.plainPassword !== '') return;
  if (draft.notes.some(({ code }) => code.startsWith('password:') && code !== 'password:history')) return;
  if (typeof user.federationLink === 'string') addNote(draft, 'password:federated');
  else if (draft.links.length === 0) addNote(draft, 'password:none');
}

function isServiceAccount(user: User, userName: string, credentials: readonly unknown[]): boolean {
  const client = user.serviceAccountClientId;
  if (typeof client === 'string' && client !== '') return true;
  return userName.startsWith('service-account-') && credentials.length === 0;
}

function readServiceAccount(
  draft: UserDraft,
  user: User,
  userName: string,
  context: KeycloakContext,
): MachineRecord | ReadResult {
  if (userName === '') return reject(draft, 'user-skipped:no-username');
  if (!fits(fieldRules.userName, userName)) return reject(draft, 'user-skipped:field-too-long', 'user name');
  const client = user.serviceAccountClientId;
  const name =
    typeof client === 'string' && client !== '' ? client : userName.replace(/^service-account-/, '');
  return {
    kind: 'machine',
    origin: draft.origin,
    id: typeof user.id === 'string' && user.id !== '' ? user.id : deriveId(context.realm, userName),
    userName,
    name: name || userName,
    description: '',
    state: user.enabled === false ? 'inactive' : 'active',
    metadata: [],
    notes: [],
  };
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
