/**
 * Reads one element of `humanUsers` or `machineUsers` as the service will read it, or returns why the service will
 * refuse it. `wire/` has the fields and their rules. Unknown fields are ignored, as in the service.
 */
import { messageOf } from '../../errors.ts';
import { firstText, isObject } from '../../lib/json-value.ts';
import { checkAddress } from '../../records/email.ts';
import { trimBlanks } from '../../records/text.ts';
import { readGender } from '../../records/gender.ts';
import { asDialled, readPhone } from '../../records/phone.ts';
import type { ReasonCode } from '../../records/reasons.ts';
import { reject, type MachineRecord, type Origin, type UserRecord } from '../../records/user.ts';
import { memberText } from '../../wire/member-names.ts';
import type { Message, Output } from '../../wire/message.ts';
import { dataHumanUser, dataMachineUser, statesSet } from '../../wire/import.ts';
import { brokenRule } from '../../wire/validate.ts';
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
function readMessage<M extends Message>(message: M, value: unknown) {
  let read: Output<M>;
  try {
    read = message.parse(value) as Output<M>;
  } catch (error) {
    return refuse('target:wrong-type', messageOf(error));
  }
  const broken = brokenRule(message, read);
  return broken === undefined ? read : refuse('target:field-rule', broken);
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
