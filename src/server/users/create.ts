/** Creates users: humans (version 2, and the import of version 1) and service users. */
import { randomBytes, randomInt } from 'node:crypto';
import { emailAtImport } from '../../records/messages.ts';
import type { AddHumanUser, ImportHumanUser } from '../../wire/create-user.ts';
import type { ServiceErrorId } from '../../wire/service-errors.ts';
import type { Call, ServerState } from '../method.ts';
import { existing, requireStorable, refuseIf, requireUnique } from '../errors.ts';
import type { CodeRow, OrgRow, UserRow } from '../store/rows.ts';
import { type Store, findOrg, findById } from '../store/store.ts';
import { addUser, checkAddedLink, checkLinksAreFree, type NewUser, notify } from './change.ts';
import { readEmail, readLanguageTag, readPhoneNumber } from './contact.ts';
import { checkReservedDomain, findNameOwner } from './search.ts';
import { checkHash, hashNewPassword } from './password.ts';

function requireFreeId(store: Store, id: string, errorId: ServiceErrorId) {
  refuseIf(findById(store, id) !== undefined, errorId);
}

/** A human whose fields are checked. If `id` is '', the server generates one. `language` is as given in the request. */
type CheckedHuman = Omit<NewUser, 'orgId' | 'kind' | 'sequence' | 'language'> & {
  readonly language: string | undefined;
};

/**
 * Stores a human. Throws if its id, name or a link is taken. `events` counts events of the creation other than those of
 * the user itself, its email, phone and links.
 */
function storeHuman(
  state: ServerState,
  org: OrgRow,
  idTaken: ServiceErrorId,
  human: CheckedHuman,
  events: number,
) {
  const { store } = state;
  const { id, userName, firstName, lastName, email, nickName, displayName, phone, links = [] } = human;
  requireFreeId(store, id, idTaken);
  requireUnique(findNameOwner(store, org, userName) !== undefined, 'User');
  checkLinksAreFree(store, links);
  requireStorable(id, userName, firstName, lastName, email, nickName, displayName);
  return addUser(state, {
    ...human,
    id: id || store.nextId(),
    orgId: org.id,
    kind: 'human',
    sequence: 2 + links.length + (phone === undefined ? 0 : 1) + events,
    language: readLanguageTag(human.language ?? ''),
    nickName: nickName || undefined,
    displayName: displayName === `${firstName} ${lastName}` ? undefined : displayName || undefined,
    phoneVerified: phone === undefined ? undefined : human.phoneVerified,
    links: links.length === 0 ? undefined : links,
  });
}

type NewHuman = Omit<AddHumanUser, 'organization'>;

/**
 * Creates a human by version 2. Unlike the import, it never sends the initialization email, accepts an id, and keeps
 * `changeRequired` with a hash. `allow` throws if the caller may not do this in the organization. It is called once the
 * record itself is valid.
 */
export async function createHuman(call: Call, org: OrgRow, human: NewHuman, allow: () => void = () => {}) {
  const { store } = call;
  const { userId: id = '', totpSecret, email, metadata } = human;
  const { phone, ...names } = readHuman(call, human);
  allow();
  requireFreeId(store, id, 'COMMAND-7yiox1isql');
  checkReservedDomain(store, org, names.userName);
  const password = human.password?.password;
  const passwordHash =
    password === undefined
      ? (human.hashedPassword?.hash ?? '')
      : await hashNewPassword(call, org, password, 'v2');
  const links = human.idpLinks.map(({ idpId, userId, userName }) => ({
    idpId,
    externalUserId: userId,
    displayName: userName,
  }));
  for (const link of links) checkAddedLink(store, org.id, link);
  // The user and its codes get the same time, which keeps their events in order.
  const created = store.now();
  const code = (contact: { isVerified?: unknown; returnCode?: unknown }): CodeRow | undefined =>
    contact.isVerified === undefined
      ? { at: created, returned: contact.returnCode !== undefined }
      : undefined;
  const entries = metadata.map(
    ({ key, value }) => [key.trim(), { value, created, changed: created }] as const,
  );
  const { displayName = '', nickName, gender, preferredLanguage: language } = human.profile;
  const events = entries.length + (totpSecret === undefined ? 0 : 2);
  const checked: CheckedHuman = {
    ...names,
    id,
    created,
    editor: call.caller.user.id,
    emailVerified: email.isVerified === true,
    passwordHash,
    language,
    nickName,
    displayName: displayName.trim() && displayName,
    // Kept even if unspecified: the event then has no gender, while the event of an import has a number.
    gender,
    phone,
    phoneVerified: human.phone?.isVerified === true,
    emailCode: code(email),
    phoneCode: phone === undefined ? undefined : code(human.phone!),
    passwordChangeRequired: (human.password ?? human.hashedPassword)?.changeRequired || undefined,
    metadata: entries.length === 0 ? undefined : Object.fromEntries(entries),
    otpSecret: totpSecret,
    links,
  };
  const user = storeHuman(call, org, 'COMMAND-7yiox1isql', checked, events);
  return {
    user,
    emailCode: user.emailCode && sendCode(call, user, 'email'),
    phoneCode: user.phoneCode && sendCode(call, user, 'phone'),
  };
}

function readHuman(state: ServerState, human: NewHuman) {
  checkTemplate(human.email.sendCode);
  const email = readEmail(human.email.email);
  const userName = (human.username ?? human.email.email).trim();
  refuseIf(userName === '', 'V2-zzad3');
  const firstName = human.profile.givenName.trim();
  refuseIf(firstName === '', 'USER-UCej2');
  const lastName = human.profile.familyName.trim();
  refuseIf(lastName === '', 'USER-4hB7d');
  const phone = human.phone?.phone ? readPhoneNumber(human.phone.phone) : undefined;
  for (const { key, value } of human.metadata) {
    refuseIf(key.trim() === '', 'USER-Drght');
    refuseIf(value === '', 'USER-Dbgth');
  }
  if (human.password === undefined) checkHash(state, human.hashedPassword?.hash ?? '');
  return { userName, firstName, lastName, email, phone };
}

export const lettersAndDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
export const randomText = (length: number, alphabet: string) =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');

/** Sends a code by email or SMS, or returns it if the request asks for that. */
export function sendCode(state: ServerState, user: UserRow, way: 'email' | 'phone') {
  if (user[`${way}Code`]?.returned) return randomText(6, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789');
  if (way === 'email') notify(state, user, 'verify-email', 'verify');
  else notify(state, user, 'verify-phone', 'phone-unverified');
  return undefined;
}

/** Throws if a template has a placeholder that the service does not know. */
export function checkTemplate(sent: { urlTemplate?: string | undefined } | undefined) {
  const fields = sent?.urlTemplate?.match(/\{\{.*?\}\}/g) ?? [];
  const known = ['.UserID', '.OrgID', '.Code', '.CodeID'];
  refuseIf(!fields.every((field) => known.includes(field.slice(2, -2).trim())), 'DOMAIN-ieYa7');
}

interface ImportTarget {
  readonly orgId: string;
  /** Id of the caller. */
  readonly editor: string;
  /** If '', the server generates one. */
  readonly userId: string;
  /** State that the import sets after it has created the user. */
  readonly state?: 'active' | 'inactive' | 'locked' | undefined;
  /** Set by a seed, whose users keep their state. */
  readonly isInitial?: boolean | undefined;
}

/**
 * Creates a human by the import of version 1, with the emails that the service would send. Checks are in the service's
 * order: organization, id, names, email, phone, reserved domain, password, hash, links, and finally what must be
 * unique.
 */
export async function importHuman(state: ServerState, target: ImportTarget, record: ImportHumanUser) {
  const { store } = state;
  const org = existing(findOrg(store, target.orgId), 'COMMAND-5N8fs');
  requireFreeId(store, target.userId, 'COMMAND-ziuna');
  // Field rules forbid empty names, but they do not apply to a file that is read in the background.
  const { firstName, lastName, nickName, displayName, gender, preferredLanguage: language } = record.profile;
  refuseIf(record.userName === '', 'COMMAND-00p2b');
  refuseIf(firstName === '', 'PROFILE-RF5z2');
  refuseIf(lastName === '', 'PROFILE-DSUkN');
  const email = readEmail(record.email.email);
  const phone = record.phone && readPhoneNumber(record.phone.phone);
  const userName = record.userName.trim();
  checkReservedDomain(store, org, userName);
  // Only hashing a password takes time, so a record without one does not wait.
  const hashed = record.password === '' ? '' : await hashNewPassword(state, org, record.password, 'v1');
  const given = record.hashedPassword?.value ?? '';
  // The hash wins, but the password must still meet the policy.
  if (given !== '') checkHash(state, given);
  const links = record.idps.map(({ configId: idpId, ...idp }) => ({ idpId, ...idp }));
  for (const { idpId } of links) {
    refuseIf(!existing(store.idps.get(idpId), 'COMMAND-39nfs').allowsCreation, 'COMMAND-SJI3g');
  }
  const passwordless = record.requestPasswordlessRegistration;
  const passwordHash = given || hashed;
  const { isEmailVerified } = record.email;
  const reason = emailAtImport(links.length > 0, isEmailVerified, passwordHash !== '' || passwordless);
  const { state: asked = 'active' } = target;
  const isInitial = target.isInitial ?? reason.startsWith('init-');
  const checked: CheckedHuman = {
    id: target.userId,
    editor: target.editor,
    status: asked === 'active' && isInitial ? 'initial' : asked,
    userName,
    firstName,
    lastName,
    email,
    // The service drops the flag if it sends an initialization code.
    emailVerified: isEmailVerified && !isInitial,
    passwordHash,
    language,
    nickName,
    displayName,
    gender: gender === 'GENDER_UNSPECIFIED' ? undefined : gender,
    phone,
    phoneVerified: record.phone?.isPhoneVerified === true,
    passwordChangeRequired: (record.passwordChangeRequired && hashed !== '' && given === '') || undefined,
    links,
  };
  const events = (passwordless ? 1 : 0) + (asked === 'active' ? 0 : 1);
  const user = storeHuman(state, org, 'COMMAND-ziuna', checked, events);
  if (reason !== 'none') notify(state, user, reason === 'verify' ? 'verify-email' : 'init', reason);
  if (user.phoneVerified === false) notify(state, user, 'verify-phone', 'phone-unverified');
  return {
    user,
    /** Code for a link that registers a passkey. */
    passwordless: passwordless
      ? { codeID: store.nextId(), code: randomBytes(9).toString('base64url') }
      : undefined,
  };
}

interface NewMachine {
  /** If '' or not set, the server generates one. */
  readonly userId?: string | undefined;
  readonly userName: string;
  readonly name: string;
  readonly description?: string | undefined;
  readonly accessTokenType?: UserRow['accessTokenType'];
  readonly state?: 'active' | 'inactive' | 'locked' | undefined;
}

/** Creates a service user. Checks the id first, then the name. */
export function createMachine(state: ServerState, org: OrgRow, editor: string, machine: NewMachine) {
  const { store } = state;
  const { userId, name, description = '', accessTokenType, state: status = 'active' } = machine;
  const id = userId || store.nextId();
  const before = findById(store, id);
  refuseIf(before?.kind === 'machine', 'COMMAND-k2una');
  const userName = machine.userName.trim();
  refuseIf(userName === '', 'COMMAND-bs9Ds');
  requireUnique(findNameOwner(store, org, userName) !== undefined, 'User');
  requireStorable(id, userName, name, description);
  // The service accepts the id of an existing human and keeps showing that human.
  if (before !== undefined) return before;
  return addUser(state, {
    id,
    orgId: org.id,
    kind: 'machine',
    userName,
    status,
    sequence: 1,
    editor,
    name,
    description,
    accessTokenType,
  });
}
