/** Reads one Auth0 user, with the joined values of other files, into a record or a rejection. */
import { readGender } from '../../records/gender.ts';
import { finishUser } from '../../records/finish-user.ts';
import { addLink, addNote, deriveId, reject, startUser } from '../../records/build-user.ts';
import type { Origin, ReadResult, UserRecord } from '../../records/user.ts';
import type { Reader } from '../source.ts';
import { withCanonicalFields } from './columns.ts';
import { readFactors } from './factors.ts';
import { isObject, type JsonObject, typeName } from '../../lib/json-value.ts';
import { readFlag, readText } from './fields.ts';
import { hasDatabaseAccountOnly, mayBeDatabase, readIdentities } from './identities.ts';
import { readMetadata } from './metadata.ts';
import type { Auth0Context, Auth0Options, JoinedBatch } from './options.ts';
import { readPassword } from './password.ts';

export function createReader(options: Auth0Options): Reader<Auth0Context> {
  return (value, origin, { joined }, place) => {
    if (!isObject(value)) return reject({ origin }, 'record:not-an-object', typeName(value));
    return readUser(withCanonicalFields(value), origin, joined, place, options);
  };
}

function readUser(
  user: JsonObject,
  { input, index }: Origin,
  joined: JoinedBatch | undefined,
  place: number,
  options: Auth0Options,
): ReadResult {
  const problems: string[] = [];
  const id = readText(user, 'user_id', problems);
  const email = readText(user, 'email', problems);
  const nickName = readText(user, 'nickname', problems);
  const draft = startUser({ input, index, id: id || email });
  draft.id = options.ids === 'keep' ? id : id.slice(id.indexOf('|') + 1);
  draft.userName = readText(user, 'username', problems) || email || nickName || id;
  draft.givenName = readText(user, 'given_name', problems);
  draft.familyName = readText(user, 'family_name', problems);
  draft.nickName = nickName;
  draft.email = email;
  draft.emailVerified = readFlag(user, 'email_verified', problems) ?? false;
  draft.phone = readText(user, 'phone_number', problems);
  draft.phoneVerified = readFlag(user, 'phone_verified', problems) ?? false;
  draft.language = readText(user, 'locale', problems);
  draft.gender = readGender(readText(user, 'gender', problems));
  if (readFlag(user, 'blocked', problems) === true) draft.state = 'inactive';
  const name = readText(user, 'name', problems);
  if (problems.length > 0) return reject(draft, 'record:malformed', problems.join('; '));

  if (id === '' && draft.userName !== '') {
    draft.id = deriveId('auth0', draft.userName);
    addNote(draft, 'id:derived');
  }
  if (isName(name)) {
    draft.fullName = name;
    draft.displayName = name;
  }
  readLinks(draft, user, options);
  readMetadata(draft, user, options);
  readPassword(draft, user, joined, place, options);
  readFactors(draft, user, joined?.factors.get(place) ?? []);
  notePassword(draft);
  return finishUser(draft, options);
}

/** Auth0 writes the address where it knows no name. */
function isName(name: string): boolean {
  return name !== '' && !name.includes('@');
}

/** Says why there is no password, unless something said so already or a link makes one needless. */
function notePassword(draft: UserRecord): void {
  if (draft.passwordHash !== '' || draft.links.length > 0) return;
  if (!draft.notes.some(({ code }) => code.startsWith('password:'))) addNote(draft, 'password:none');
}

/** `--idp` names a connection, or the strategy behind it (`google-oauth2`) for all its connections. */
function readLinks(draft: UserRecord, user: JsonObject, options: Auth0Options): void {
  if (hasDatabaseAccountOnly(user)) return;
  for (const identity of readIdentities(user)) {
    if (mayBeDatabase(identity)) continue;
    const { connection, provider, userId, displayName } = identity;
    const alias =
      connection === '' || (!isMapped(options, connection) && isMapped(options, provider))
        ? provider
        : connection;
    addLink(draft, options, alias, userId, displayName);
  }
}

function isMapped({ idps }: Auth0Options, name: string): boolean {
  return Object.hasOwn(idps, name);
}
