/**
 * Creates a human user by version 2. Unlike the import it never sends the initialisation email, takes an id, and
 * keeps `changeRequired` with a hash.
 */
import { randomInt } from 'node:crypto';
import type { AddHumanUser } from '../../wire/create-user.ts';
import type { ServerState } from '../context.ts';
import { refusal, requireStorable } from '../errors.ts';
import type { CodeRow, OrgRow, UserMore, UserRow } from '../store/rows.ts';
import { addUser, known } from './change.ts';
import { readEmail, readLanguageTag, readPhoneNumber } from './contact.ts';
import { checkAddedLink, checkLinkIsFree } from './links.ts';
import { notify } from './notifications.ts';
import { checkReservedDomain, findById, findNameOwner, nameTaken } from './names.ts';
import { checkHash, hashNewPassword } from './password.ts';

export type NewHuman = Pick<
  AddHumanUser,
  | 'userId'
  | 'username'
  | 'profile'
  | 'email'
  | 'phone'
  | 'metadata'
  | 'password'
  | 'hashedPassword'
  | 'idpLinks'
  | 'totpSecret'
>;

export interface CreatedHuman {
  readonly user: UserRow;
  readonly emailCode: string | undefined;
  readonly phoneCode: string | undefined;
}

interface Prepared {
  readonly userName: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly phone: string | undefined;
}

/** `allow` is asked once the record itself is in order: may the caller do this in the org? */
export async function createHuman(
  state: ServerState,
  org: OrgRow,
  editor: string,
  human: NewHuman,
  allow: () => void = () => {},
): Promise<CreatedHuman> {
  const { store } = state;
  const ready = prepare(state, human);
  const id = human.userId ?? store.nextId();
  allow();
  if (findById(store, id) !== undefined) throw refusal('COMMAND-7yiox1isql');
  checkReservedDomain(store, org, ready.userName);
  const password = human.password?.password;
  const passwordHash =
    password === undefined
      ? (human.hashedPassword?.hash ?? '')
      : await hashNewPassword(state, org, password, 'v2');
  const links = human.idpLinks.map((link) => ({
    idpId: link.idpId,
    externalUserId: link.userId,
    displayName: link.userName,
  }));
  for (const link of links) checkAddedLink(store, org.id, link);
  if (findById(store, id) !== undefined) throw refusal('COMMAND-7yiox1isql');
  if (findNameOwner(store, org, ready.userName) !== undefined) throw nameTaken();
  for (const link of links) checkLinkIsFree(store, link);
  const { phone, ...names } = ready;
  const { nickName, displayName } = human.profile;
  requireStorable(id, ...Object.values(names), nickName, displayName);
  // One time of the user and its codes: by it, events are in their order.
  const created = state.settings.clock.now();
  const user = addUser(state, {
    id,
    created,
    orgId: org.id,
    kind: 'human',
    sequence: countEvents(human, phone),
    editor,
    ...names,
    emailVerified: human.email.isVerified === true,
    language: readLanguageTag(human.profile.preferredLanguage ?? ''),
    passwordHash,
    more: moreOf(created, human, ready, links),
  });
  return {
    user,
    emailCode: user.more?.emailCode && sendCode(state, user, 'email'),
    phoneCode: user.more?.phoneCode && sendCode(state, user, 'phone'),
  };
}

function prepare(state: ServerState, human: NewHuman): Prepared {
  checkTemplate(human.email.sendCode);
  const email = readEmail(human.email.email);
  const userName = (human.username ?? human.email.email).trim();
  if (userName === '') throw refusal('V2-zzad3');
  const firstName = human.profile.givenName.trim();
  if (firstName === '') throw refusal('USER-UCej2');
  const lastName = human.profile.familyName.trim();
  if (lastName === '') throw refusal('USER-4hB7d');
  const phone = human.phone?.phone ? readPhoneNumber(human.phone.phone) : undefined;
  for (const { key, value } of human.metadata) {
    if (key.trim() === '') throw refusal('USER-Drght');
    if (value === '') throw refusal('USER-Dbgth');
  }
  if (human.password === undefined) checkHash(state, human.hashedPassword?.hash ?? '');
  return { userName, firstName, lastName, email, phone };
}

function countEvents(human: NewHuman, phone: string | undefined): number {
  const otp = human.totpSecret === undefined ? 0 : 2;
  return 2 + (phone === undefined ? 0 : 1) + otp + human.metadata.length + human.idpLinks.length;
}

function moreOf(
  now: number,
  human: NewHuman,
  { firstName, lastName, phone }: Prepared,
  links: NonNullable<UserMore['links']>,
): UserMore {
  const { nickName, displayName = '', gender } = human.profile;
  const ownName = displayName.trim() !== '' && displayName !== `${firstName} ${lastName}`;
  const metadata = human.metadata.map(
    ({ key, value }) => [key.trim(), { value, created: now, changed: now }] as const,
  );
  const code = (contact: { isVerified?: unknown; returnCode?: unknown }): CodeRow | undefined =>
    contact.isVerified === undefined ? { at: now, returned: contact.returnCode !== undefined } : undefined;
  return known({
    // Also where it is unspecified: the event of an import has a number then, this one has none.
    gender,
    emailCode: code(human.email),
    phoneCode: phone === undefined ? undefined : code(human.phone!),
    nickName: nickName || undefined,
    displayName: ownName ? displayName : undefined,
    phone,
    phoneVerified: phone === undefined ? undefined : human.phone?.isVerified === true,
    passwordChangeRequired: (human.password ?? human.hashedPassword)?.changeRequired || undefined,
    links: links.length === 0 ? undefined : links,
    metadata: metadata.length === 0 ? undefined : Object.fromEntries(metadata),
    otpSecret: human.totpSecret,
  });
}

export const randomText = (length: number, alphabet: string): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');

/** A code that goes out by email or SMS, or comes back in the answer where the request asks for it. */
export function sendCode(state: ServerState, user: UserRow, way: 'email' | 'phone'): string | undefined {
  if (user.more?.[`${way}Code`]?.returned === true) {
    return randomText(6, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789');
  }
  if (way === 'email') notify(state, user, 'verify-email', 'verify', user.email);
  else notify(state, user, 'verify-phone', 'phone-unverified', user.more?.phone ?? '');
  return undefined;
}

/** Throws for a field that the service does not fill in. */
export function checkTemplate(sent: { urlTemplate?: string | undefined } | undefined): void {
  const fields = sent?.urlTemplate?.match(/\{\{.*?\}\}/g) ?? [];
  if (fields.every((field) => /^\{\{\s*\.(?:UserID|OrgID|Code|CodeID)\s*\}\}$/.test(field))) return;
  throw refusal('DOMAIN-ieYa7');
}
