/**
 * Reads one element of `humanUsers` or `machineUsers` as the service will read it, or returns why the service will
 * refuse it. `wire/` has the fields and their rules. Unknown fields are ignored, as in the service.
 */
import { firstText, isObject } from '../../lib/json-value.ts';
import { checkAddress } from '../../records/email.ts';
import { fits } from '../../lib/field-rules.ts';
import { trimBlanks } from '../../records/text.ts';
import { readGender } from '../../records/gender.ts';
import { asDialled, readPhone } from '../../records/phone.ts';
import type { ReasonCode } from '../../records/reasons.ts';
import { reject, type MachineRecord, type Origin, type UserRecord } from '../../records/user.ts';
import { memberText } from '../../wire/member-names.ts';
import type { FieldPlan, Message, Output } from '../../wire/message.ts';
import { dataHumanUser, dataMachineUser, statesSet } from '../../wire/import.ts';
import type { Reader } from '../source.ts';

export interface BodyContext {
  readonly list: 'humanUsers' | 'machineUsers';
  /** Empty if it does not come before the users of its organization. */
  readonly orgId: string;
}

/** The first thing that the service would refuse. Only thrown within this file. */
class Refusal {
  readonly code: ReasonCode;
  readonly detail: string;

  constructor(code: ReasonCode, detail: string) {
    this.code = code;
    this.detail = detail;
  }
}

export function createBodyReader(): Reader<BodyContext> {
  return (value, place, { list, orgId }) => {
    const origin = { ...place, id: identify(value) };
    try {
      const read = list === 'humanUsers' ? readHuman(value, origin) : readMachine(value, origin);
      read.orgId = orgId;
      return read;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return reject({ origin, orgId, ...namesOf(value) }, error.code, error.detail);
    }
  };
}

function readHuman(value: unknown, origin: Origin): UserRecord {
  const { userId, state, user } = readMessage(dataHumanUser, value);
  const { profile, email, idps: links, recoveryCodes: codes } = user;
  const phone = user.phone === undefined ? undefined : readPhone(asDialled(user.phone.phone), 'CH');
  if (user.phone !== undefined && phone === undefined) refuse('target:phone', 'the number cannot be read');
  const problem = checkAddress(email.email);
  if (problem !== undefined) refuse('user-skipped:invalid-email', problem);
  return {
    kind: 'human',
    origin,
    id: userId,
    userName: trimBlanks(user.userName),
    givenName: profile.firstName,
    familyName: profile.lastName,
    fullName: '',
    nickName: profile.nickName,
    displayName: profile.displayName,
    language: profile.preferredLanguage,
    gender: readGender(String(profile.gender)),
    email: email.email,
    emailVerified: email.isEmailVerified,
    phone: phone?.e164 ?? '',
    phoneVerified: user.phone?.isPhoneVerified === true,
    passwordHash: user.hashedPassword?.value ?? '',
    plainPassword: user.password,
    requestsPasskey: user.requestPasswordlessRegistration,
    otpSecret: user.otpCode,
    recoveryCodeHashes: codes.flatMap(({ hash }) => hash ?? []),
    recoveryCodes: codes.flatMap(({ raw }) => raw ?? []),
    // The body may have more links in a separate list.
    links: [...links],
    state: statesSet[state] ?? 'active',
    metadata: [],
    notes: [],
  };
}

function readMachine(value: unknown, origin: Origin): MachineRecord {
  const { state, user } = readMessage(dataMachineUser, value);
  const { userName, name, description } = user;
  return {
    kind: 'machine',
    origin,
    // The service reports the outer id, but creates the account with the inner one.
    id: user.userId ?? '',
    userName,
    name,
    description,
    state: statesSet[state] ?? 'active',
    metadata: [],
    notes: [],
  };
}

function refuse(code: ReasonCode, detail: string): never {
  throw new Refusal(code, detail);
}

/** Reads parsed JSON as a complete message of the service. Null counts as absent. Names may be in either style. */
function readMessage<M extends Message>({ plan }: M, value: unknown, path = ''): Output<M> {
  if (!isObject(value)) return refuse('target:wrong-type', `${path || 'the element'} is not an object`);
  const given: Record<string, unknown> = {};
  for (const key in value) {
    const field = plan.byName.get(key);
    if (field !== undefined) given[field.name] ??= value[key] ?? undefined;
  }
  const read: Record<string, unknown> = { ...plan.empty };
  for (const field of plan.fields) {
    const found = given[field.name];
    const place = path === '' ? field.name : `${path}.${field.name}`;
    if (found !== undefined) read[field.name] = readField(field, found, place);
    else if (field.required === true) refuse('target:field-rule', `${place}: value is required`);
    else if (field.kind === 'string' && field.optional !== true) readText(field, '', place);
  }
  return read as Output<M>;
}

function readField(field: FieldPlan, value: unknown, path: string) {
  if (field.list === undefined) return readOne(field, value, path);
  if (!Array.isArray(value)) return refuse('target:wrong-type', `${path} is not a list`);
  return value.map((item, at) => readOne(field, item, `${path}[${at}]`));
}

function readOne(field: FieldPlan, value: unknown, path: string) {
  const { kind, message, names = [] } = field;
  const wrong = (expected: string): never => refuse('target:wrong-type', `${path} is not ${expected}`);
  if (message !== undefined) return readMessage(message, value, path);
  if (kind === 'bool') return typeof value === 'boolean' ? value : wrong('true or false');
  // A number stands for a name. If the service does not know it, it counts as absent.
  if (kind === 'enum' && typeof value === 'number')
    return Number.isInteger(value) ? (names[value] ?? '') : wrong('a name or a whole number');
  return typeof value === 'string' ? readText(field, value, path) : wrong('a string');
}

function readText({ min = 0, max = Infinity, prefix = '' }: FieldPlan, text: string, path: string) {
  // The service's database cannot store it.
  if (text.includes('\0')) refuse('target:field-rule', `${path} has a NUL character`);
  if (!fits({ min, max }, text))
    refuse('target:field-rule', `${path}: ${min} to ${max} characters are allowed`);
  if (!text.startsWith(prefix))
    refuse('target:field-rule', `${path}: value does not have prefix "${prefix}"`);
  return text;
}

/** Returns the id, or else the user name, for reports about an element that cannot be read. */
function identify(value: unknown) {
  const id = isObject(value) ? memberText(value, 'userId') : '';
  return id || namesOf(value).userName;
}

/** Returns user name and email for reports. */
function namesOf(value: unknown) {
  const user = isObject(value) && isObject(value['user']) ? value['user'] : {};
  const email = isObject(user['email']) ? firstText(user['email'], 'email') : '';
  return { userName: memberText(user, 'userName'), email };
}
