/**
 * Reads one element of `humanUsers` or `machineUsers` as the service will understand it, or says why the service will
 * refuse it. Field names may be camelCase or snake_case; unknown fields are ignored, as the service does.
 */
import { isObject } from '../../lib/json-value.ts';
import { checkAddress } from '../../records/email.ts';
import { fieldRules, fits, type LengthRule } from '../../records/field-rules.ts';
import { readGender } from '../../records/gender.ts';
import { asDialled, readPhone } from '../../records/phone.ts';
import type { ReasonCode } from '../../records/reasons.ts';
import { reject } from '../../records/build-user.ts';
import { trimBlanks } from '../../records/text.ts';
import type { IdpLink, MachineRecord, Origin, UserRecord, UserState } from '../../records/user.ts';
import type { Reader } from '../source.ts';

export interface BodyContext {
  readonly list: 'humanUsers' | 'machineUsers';
  /** Empty where it does not stand before the users of its organization. */
  readonly orgId: string;
}

/** Thrown inside this file alone: the first thing that the service would refuse. */
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
  const entry = new Fields(value);
  const user = entry.object('user') ?? refuse('target:field-rule', 'user: value is required');
  const userName = user.required('userName', fieldRules.userName);
  const profile = user.object('profile') ?? refuse('target:field-rule', 'user.profile: value is required');
  const givenName = profile.required('firstName', fieldRules.firstName);
  const familyName = profile.required('lastName', fieldRules.lastName);
  const nickName = profile.required('nickName', fieldRules.nickName);
  const displayName = profile.required('displayName', fieldRules.displayName);
  const language = profile.required('preferredLanguage', fieldRules.preferredLanguage);
  const email = user.object('email') ?? refuse('target:field-rule', 'user.email: value is required');
  const address = email.required('email', fieldRules.email);
  const phone = readPhoneField(user);
  const links = user.objects('idps').map(readLink);
  const codes = user.objects('recoveryCodes');
  const recoveryCodeHashes = codes.map((code) => code.text('hash'));
  const recoveryCodes = codes.map((code) => code.text('raw'));
  const problem = checkAddress(address);
  if (problem !== undefined) refuse('user-skipped:invalid-email', problem);
  return {
    kind: 'human',
    origin,
    id: entry.text('userId'),
    userName: trimBlanks(userName),
    givenName,
    familyName,
    fullName: '',
    nickName,
    displayName,
    language,
    gender: readGender(profile.choice('gender', genderNames)),
    email: address,
    emailVerified: email.flag('isEmailVerified'),
    phone: phone.number,
    phoneVerified: phone.verified,
    passwordHash: user.object('hashedPassword')?.text('value') ?? '',
    plainPassword: user.text('password'),
    requestsPasskey: user.flag('requestPasswordlessRegistration'),
    otpSecret: user.text('otpCode'),
    recoveryCodeHashes: recoveryCodeHashes.filter((hash) => hash !== ''),
    recoveryCodes: recoveryCodes.filter((code) => code !== ''),
    links,
    state: states[entry.choice('state', stateNames)] ?? 'active',
    metadata: [],
    notes: [],
  };
}

function readMachine(value: unknown, origin: Origin): MachineRecord {
  const entry = new Fields(value);
  const user = entry.object('user') ?? refuse('target:field-rule', 'user: value is required');
  return {
    kind: 'machine',
    origin,
    // The service echoes the outer id and creates the account with the inner one.
    id: user.text('userId'),
    userName: user.required('userName', fieldRules.userName),
    name: user.required('name', fieldRules.machineName),
    description: user.required('description', fieldRules.machineDescription),
    state: states[entry.choice('state', stateNames)] ?? 'active',
    metadata: [],
    notes: [],
  };
}

function readPhoneField(user: Fields): { number: string; verified: boolean } {
  const phone = user.object('phone');
  if (phone === undefined) return { number: '', verified: false };
  const raw = phone.required('phone', fieldRules.phone);
  if (!raw.startsWith('+')) refuse('target:field-rule', 'user.phone.phone: value does not have prefix "+"');
  const parsed = readPhone(asDialled(raw), 'CH') ?? refuse('target:phone', 'the number cannot be read');
  return { number: parsed.e164, verified: phone.flag('isPhoneVerified') };
}

function readLink(link: Fields): IdpLink {
  return {
    configId: link.required('configId', fieldRules.idpConfigId),
    externalUserId: link.required('externalUserId', fieldRules.idpExternalUserId),
    displayName: link.required('displayName', fieldRules.idpDisplayName),
  };
}

/** By their numbers. */
const genderNames = enumNames('GENDER', ['UNSPECIFIED', 'FEMALE', 'MALE', 'DIVERSE']);
const stateNames = enumNames('USER_STATE', [
  'UNSPECIFIED',
  'ACTIVE',
  'INACTIVE',
  'DELETED',
  'LOCKED',
  'SUSPEND',
  'INITIAL',
]);

function enumNames(prefix: string, names: readonly string[]): readonly string[] {
  return names.map((name) => `${prefix}_${name}`);
}

const states: Readonly<Record<string, UserState>> = {
  USER_STATE_INACTIVE: 'inactive',
  USER_STATE_LOCKED: 'locked',
};

function refuse(code: ReasonCode, detail: string): never {
  throw new Refusal(code, detail);
}

/** An object of the body; it knows the path to it, for messages. */
class Fields {
  readonly #value: Readonly<Record<string, unknown>>;
  readonly #parent: Fields | undefined;
  /** Its own, in the parent. */
  readonly #name: string;

  constructor(value: unknown, parent?: Fields, name = '') {
    this.#parent = parent;
    this.#name = name;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      const path = this.#path;
      refuse('target:wrong-type', `${path === '' ? 'the element' : path.slice(0, -1)} is not an object`);
    }
    this.#value = value as Readonly<Record<string, unknown>>;
  }

  /** With a dot at its end. */
  get #path(): string {
    return this.#parent === undefined ? '' : `${this.#parent.#path}${this.#name}.`;
  }

  /** A text within its lengths; an absent one counts as empty. */
  required(name: string, rule: LengthRule): string {
    const value = this.text(name);
    if (fits(rule, value)) return value;
    return refuse(
      'target:field-rule',
      `${this.#path}${name}: ${rule.min} to ${rule.max} characters are allowed`,
    );
  }

  text(name: string): string {
    const value = this.#get(name);
    if (typeof value === 'string') return value.includes('\0') ? this.#nul(name) : value;
    return value === undefined ? '' : this.#wrong(name, 'a string');
  }

  /** The name of a value of an enum, for which its number may stand; an unknown one is as good as none. */
  choice(name: string, names: readonly string[]): string {
    const value = this.#get(name);
    if (typeof value !== 'number') return this.text(name);
    return Number.isInteger(value) ? (names[value] ?? '') : this.#wrong(name, 'a name or a whole number');
  }

  flag(name: string): boolean {
    const value = this.#get(name);
    if (typeof value === 'boolean') return value;
    return value === undefined ? false : this.#wrong(name, 'true or false');
  }

  object(name: string): Fields | undefined {
    const value = this.#get(name);
    return value === undefined ? undefined : new Fields(value, this, name);
  }

  objects(name: string): Fields[] {
    const value = this.#get(name);
    if (value === undefined) return [];
    if (!Array.isArray(value)) return this.#wrong(name, 'a list');
    return value.map((item, place) => new Fields(item, this, `${name}[${place}]`));
  }

  /** Null is as good as absent. */
  #get(name: string): unknown {
    return this.#value[name] ?? this.#value[snakeCase(name)] ?? undefined;
  }

  /** The database of the service cannot store it. */
  #nul(name: string): never {
    return refuse('target:field-rule', `${this.#path}${name} has a NUL character`);
  }

  #wrong(name: string, requested: string): never {
    return refuse('target:wrong-type', `${this.#path}${name} is not ${requested}`);
  }
}

const snakeNames = new Map<string, string>();

function snakeCase(name: string): string {
  const known = snakeNames.get(name);
  if (known !== undefined) return known;
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  snakeNames.set(name, snake);
  return snake;
}

/** For reports, whatever else is wrong: the id, or failing that the user name. */
function identify(value: unknown): string {
  const id = isObject(value) ? (value['userId'] ?? value['user_id']) : undefined;
  return typeof id === 'string' && id !== '' ? id : namesOf(value).userName;
}

/** For reports as well. */
function namesOf(value: unknown): { userName: string; email: string } {
  const user = isObject(value) && isObject(value['user']) ? value['user'] : {};
  const email = isObject(user['email']) ? user['email']['email'] : '';
  const text = (name: unknown): string => (typeof name === 'string' ? name : '');
  return { userName: text(user['userName'] ?? user['user_name']), email: text(email) };
}
