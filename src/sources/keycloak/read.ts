/** Reads one element of `users` or `federatedUsers` into a user, a service account or a rejection. */
import { finishMachine, finishUser } from '../../records/finish-user.ts';
import {
  addNote,
  deriveId,
  reject,
  startUser,
  type Origin,
  type ReadResult,
  type UserRecord,
  variable,
} from '../../records/user.ts';
import type { Reader } from '../source.ts';
import { readAttributes } from './attributes.ts';
import { readCredentials } from './credentials.ts';
import { isObject, isText, objectsIn, typeName } from '../../lib/json-value.ts';
import { readFlag, readId, readList, readText, type User } from './fields.ts';
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
  const id = readId(user, problems);
  const draft = startUser({ input: place.input, index: place.index, id: id || userName });
  draft.userName = userName;
  draft.id = id;
  const enabled = readFlag(user, 'enabled', problems);
  if (enabled === false) draft.state = 'inactive';
  if (context.federated || (userName === '' && id.startsWith('f:'))) {
    return reject(draft, 'user-skipped:federated-storage');
  }
  if (isServiceAccount(user)) {
    if (options.serviceAccounts === 'skip') return reject(draft, 'user-skipped:service-account', userName);
    if (problems.length > 0) return reject(draft, 'record:malformed', problems.join('; '));
    return readServiceAccount(draft, user, context, options);
  }

  draft.givenName = readText(user, 'firstName', problems);
  draft.familyName = readText(user, 'lastName', problems);
  draft.email = readText(user, 'email', problems);
  draft.emailVerified = readFlag(user, 'emailVerified', problems) ?? false;
  const credentials = readList(user, 'credentials', problems);
  if (variable.test(userName) || variable.test(draft.email))
    problems.push('username or email has a variable in it');
  if (problems.length > 0) return reject(draft, 'record:malformed', problems.join('; '));

  if (enabled === undefined) addNote(draft, 'state:assumed-enabled');
  if (enabled === false && isFederated(user)) addNote(draft, 'state:directory-disabled');
  if (id === '' && userName !== '') {
    draft.id = deriveId(context.realm, userName);
    addNote(draft, 'id:derived');
  }
  readAttributes(draft, user.attributes, options);
  readCredentials(draft, credentials, options);
  readLinks(draft, user, options);
  readMemberships(draft, user, options);
  noteNotExported(draft, user);
  notePassword(draft, user);
  return finishUser(draft, options);
}

/** Reports whether a directory has the password. */
const isFederated = ({ federationLink }: User) => !isBlank(federationLink);

/**
 * Notes what an export leaves out. Without `credentials`, it does not show whether there is a password. `totp` shows
 * that there is a secret.
 */
function noteNotExported(draft: UserRecord, user: User) {
  if ((user.credentials ?? undefined) === undefined) addNote(draft, 'password:not-exported');
  const isKnown = draft.otpSecret !== '' || draft.notes.some(({ code }) => code.startsWith('otp:'));
  if (user.totp === true && !isKnown) addNote(draft, 'otp:not-exported');
}

/** Notes why there is no password, unless a credential has done so or a link makes a password unnecessary. */
function notePassword(draft: UserRecord, user: User) {
  if (draft.passwordHash !== '' || draft.plainPassword !== '') return;
  if (draft.notes.some(({ code }) => code.startsWith('password:') && code !== 'password:history')) return;
  if (isFederated(user)) addNote(draft, 'password:federated');
  else if (draft.links.length === 0) addNote(draft, 'password:none');
}

const clientOf = ({ serviceAccountClientId: id }: User) => (isText(id) ? id : '');

/**
 * Reports whether a user is a service account. A client shows it, or else the name, if the record has no data of a
 * human user.
 */
export function isServiceAccount(user: User) {
  if (clientOf(user) !== '') return true;
  const { username: name } = user;
  if (typeof name !== 'string' || !name.startsWith('service-account-')) return false;
  // Early versions gave service accounts an email address.
  const isEmailOwn = user.email !== `${name}@placeholder.org` && !isBlank(user.email);
  const isNamed = !isBlank(user.firstName) || !isBlank(user.lastName);
  return !isEmailOwn && !isNamed && objectsIn(user.credentials).length === 0;
}

const isBlank = (value: unknown) => (value ?? '') === '';

function readServiceAccount(
  draft: UserRecord,
  user: User,
  context: KeycloakContext,
  options: KeycloakOptions,
): ReadResult {
  readAttributes(draft, user.attributes, options, true);
  readMemberships(draft, user, options);
  draft.displayName = clientOf(user) || draft.userName.replace(/^service-account-/, '');
  const machine = finishMachine(draft);
  return machine.kind === 'machine' && machine.id === ''
    ? { ...machine, id: deriveId(context.realm, machine.userName) }
    : machine;
}
