/** Reads an entry, checks it against the field rules of the service, and prepares it for sending. */
import { decodeBase32 } from '../../lib/base32.ts';
import { isObject, type JsonObject, parseObject, sortKeys } from '../../lib/json-value.ts';
import { checkHash } from '../../profiles/check-hash.ts';
import { fieldRules, fits } from '../../lib/field-rules.ts';
import { isProblem } from '../../records/mcf/algorithm.ts';
import { recognise } from '../../records/mcf/recognise.ts';
import type { ReasonCode } from '../../records/reasons.ts';
import { messagesAtImport, type Messages, type PhoneRule } from '../../records/messages.ts';
import { isPlaceholder } from '../../records/placeholder-password.ts';
import { signInBy, signInKind } from '../../records/sign-in.ts';
import { decode, DecodeError } from '../../wire/codec.ts';
import { entrySize, orgSize } from '../../wire/import-size.ts';
import { memberText, memberTextIn } from '../../wire/member-names.ts';
import { type ImportHumanUser, importHumanUserRequest } from '../../wire/create-user.ts';
import { emptyMessageOf } from '../../wire/message.ts';
import { type DataMachineUser, dataOrg, dataOrgV1, statesSet } from '../../wire/import.ts';
import { ignoredLists, kindOf, userLists, textLists } from '../../wire/org-entries.ts';
import type { TargetProfile } from '../../wire/profile.ts';
import { brokenRule } from '../../wire/validate.ts';

/** Something to import: an element of a list of an organization, or one of the organization's groups of members. */
export interface Entry {
  /** Index in the order of sending, over the whole run. */
  readonly number: number;
  readonly list: string;
  readonly orgId: string;
  /** JSON of the entry as it is sent. */
  readonly text: string;
  /** Bytes that it adds to the request as protobuf. */
  readonly size: number;
  /** Id of the entry in the service's report. */
  readonly id: string;
  /** Organization in the request's header; undefined if it does not matter. */
  readonly asOrg: string | undefined;
  /** Set for users and service accounts only. */
  readonly user: ReturnType<typeof describe> | undefined;
  /** Id of the user to whom the entry belongs; empty for users, and for entries that belong to no user. */
  readonly owner: string;
}

/** Why an entry must not be sent: the service would refuse the whole request because of it, crash, or ignore it. */
export interface Unfit {
  readonly code: ReasonCode;
  readonly detail: string;
}

export interface EntryPlace {
  readonly number: number;
  readonly list: string;
  readonly orgId: string;
  /** Whether the body has the first form. */
  readonly firstForm: boolean;
  /** `keep` by default. */
  readonly phone?: PhoneRule;
}

export function readEntry(place: EntryPlace, text: string): Entry | Unfit {
  const { number, list, orgId, firstForm, phone = 'keep' } = place;
  if (ignoredLists.includes(list)) return { code: 'import:ignored', detail: list };
  const { members, idOf } = kindOf(list);
  const repaired = repair(list, text, phone);
  const schema = firstForm ? dataOrgV1 : dataOrg;
  const wrapped = members === undefined ? `{"${list}":[${repaired}]}` : repaired;
  let org: JsonObject;
  try {
    const decoded = decode(schema, Buffer.from(wrapped));
    const broken = brokenRule<typeof dataOrg>(schema as typeof dataOrg, decoded as never);
    if (broken !== undefined) return { code: 'import:field-rule', detail: broken };
    org = decoded;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return { code: 'import:unreadable', detail: error.message.replace(/^proto:\s*/, '') };
  }
  const value = members === undefined ? (org[list] as Record<string, unknown>[])[0]! : org;
  const isUser = userLists.includes(list);
  const unfit = isUser ? findUnfit(value, repaired) : undefined;
  if (unfit !== undefined) return unfit;
  return {
    number,
    list,
    orgId,
    text: repaired,
    size: members === undefined ? entrySize(list, value) : orgSize(value),
    id: idOf(value, orgId),
    asOrg: textLists.includes(list) ? orgId : undefined,
    user: isUser ? describe(list, value) : undefined,
    owner: isUser ? '' : ((value[list === 'userMetadata' ? 'id' : 'userId'] as string | undefined) ?? ''),
  };
}

/** Returns what the service would take of a user, with bad results. */
function findUnfit({ state, user }: JsonObject, text: string): Unfit | undefined {
  const given = memberTextIn(text, 'state') || String(state);
  if (!Object.hasOwn(statesSet, given)) return { code: 'target:state', detail: given };
  const { hashedPassword, otpCode = '' } = user as Partial<ImportHumanUser>;
  if (hashedPassword?.value === '$2')
    return { code: 'import:breaks-service', detail: 'its password hash is just "$2"' };
  return decodeBase32(otpCode) === undefined ? { code: 'single:totp-secret', detail: '' } : undefined;
}

function repair(list: string, text: string, phone: PhoneRule) {
  if (list === 'machineUsers') return nameInside(text);
  return list === 'humanUsers' && phone !== 'keep' ? withPhoneRule(text, phone) : text;
}

const isInactive = (state: unknown) => statesSet[String(state)] !== 'active';

const hashOf = (user: ImportHumanUser) => user.hashedPassword?.value ?? '';

/** Returns how the user can sign in after the bulk import. */
function signInOf(user: ImportHumanUser, state: unknown, messages: Messages) {
  const signIn = signInKind(
    {
      state: isInactive(state) ? 'inactive' : 'active',
      links: user.idps,
      notes: [],
      passwordHash: hashOf(user),
      plainPassword: user.password,
      requestsPasskey: user.requestPasswordlessRegistration,
    },
    { listed: undefined, jit: false, refused: false },
  );
  return signInBy('import', { signIn, messages, onlyBulk: true });
}

const noMessages: Messages = { email: 'none', sms: false };

const readMessages = (user: ImportHumanUser) =>
  messagesAtImport({
    linked: user.idps.length > 0,
    emailVerified: user.email.isEmailVerified,
    hasSecret: user.password !== '' || hashOf(user) !== '' || user.requestPasswordlessRegistration,
    hasPhone: (user.phone?.phone ?? '') !== '',
    phoneVerified: user.phone?.isPhoneVerified === true,
  });

/** A service account has only the name of a human. */
const accountOf = (user: unknown): ImportHumanUser => ({
  ...emptyMessageOf(importHumanUserRequest),
  userName: (user as DataMachineUser['user']).userName,
  email: { email: '', isEmailVerified: false },
});

function describe(list: string, { userId, state, ...value }: JsonObject) {
  const machine = list === 'machineUsers';
  const user = machine ? accountOf(value['user']) : (value['user'] as ImportHumanUser);
  const messages = machine ? noMessages : readMessages(user);
  const hash = hashOf(user);
  return {
    /** Id in the body; empty if the service chooses it. */
    id: userId as string,
    userName: user.userName,
    email: user.email.email,
    phone: user.phone?.phone ?? '',
    /** Messages that the service sends when it creates the user. */
    messages,
    /** Undefined for service accounts. */
    signIn: machine ? undefined : signInOf(user, state, messages),
    /** Whether there is a TOTP secret or recovery codes. The service stores them after the user, in separate steps. */
    secondFactors: user.otpCode !== '' || user.recoveryCodes.length > 0,
    /** Whether the email is verified in the body but stored as unverified, because there is no password. */
    losesVerification: user.email.isEmailVerified && messages.email.startsWith('init-'),
    /** Returns what a run counts of the user. */
    traits: () => ({
      machine,
      inactive: isInactive(state),
      algorithm: algorithmOf(hash, user.password),
      plain: hash === '' && user.password !== '',
      otp: user.otpCode !== '',
      linked: user.idps.length > 0,
      refusal: undefined,
    }),
    /** Reports whether a target with this profile refuses the user's password hash. */
    isRefusedBy: (profile: TargetProfile) => hash !== '' && checkHash(hash, profile).verdict === 'refused',
    /** Returns the user's content as one text, which is equal for equal content, whatever its order and white space. */
    content: () => JSON.stringify({ userId, state, ...value }, canonical),
  };
}

/** A hash that no target verifies is `other`. The service hashes a password in plain text with bcrypt. */
function algorithmOf(hash: string, password: string) {
  if (hash === '') return password === '' ? 'none' : 'bcrypt';
  if (isPlaceholder(hash)) return 'none';
  const found = recognise(hash);
  return isProblem(found) ? 'other' : found.algorithm;
}

/** Sorts keys. A plain-text password is left out, because the content could be used to guess it. */
const canonical = (key: string, value: unknown) =>
  key === 'password' && typeof value === 'string' ? value !== '' : sortKeys(key, value);

/**
 * The service reads a service account's id only inside its `user`, where exports leave it out. Without it, the service assigns a new
 * id, and everything that refers to the old one fails.
 */
export function nameInside(text: string) {
  const { value, user } = parseUser(text);
  const id = memberText(value, 'userId');
  if (user === undefined || id === '') return text;
  if (user['userId'] !== undefined || user['user_id'] !== undefined) return text;
  return JSON.stringify({ ...value, user: { ...user, userId: id } });
}

/**
 * Removes a display name that is made of both names and longer than the service accepts. Without one, the service makes the same
 * name itself.
 */
export function withoutMadeName(text: string) {
  const { value, user } = parseUser(text);
  const profile = user?.['profile'];
  if (!isObject(profile)) return text;
  const { displayName, ...rest } = profile;
  if (displayName !== `${String(rest['firstName'])} ${String(rest['lastName'])}`) return text;
  if (fits(fieldRules.displayName, displayName)) return text;
  return JSON.stringify({ ...value, user: { ...user, profile: rest } });
}

/** Returns the same user with the phone number as `--phone` requires. */
function withPhoneRule(text: string, rule: PhoneRule) {
  const { value, user } = parseUser(text);
  const phone = user?.['phone'];
  if (!isObject(phone)) return text;
  if (phone['isPhoneVerified'] === true || phone['is_phone_verified'] === true) return text;
  const { phone: _, ...rest } = user!;
  const { is_phone_verified: __, ...number } = phone;
  const changed = rule === 'drop' ? rest : { ...rest, phone: { ...number, isPhoneVerified: true } };
  return JSON.stringify({ ...value, user: changed });
}

/** Parses an element of a list of users, and its `user`. */
function parseUser(text: string) {
  const value = parseObject(text);
  return { value, user: isObject(value['user']) ? value['user'] : undefined };
}

/** Returns the id of an entry that cannot be read, or an empty string if there is none. */
export function guessId(text: string) {
  return /"(?:userId|user_id|id)"\s*:\s*"([^"\\]{1,200})"/.exec(text)?.[1] ?? '';
}
