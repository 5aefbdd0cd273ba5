/**
 * An import body (or an export of the service) as a provider. Its users are read as the service will read them, with the
 * fields and rules of `wire/`. What the service would refuse is rejected here with the reason; unknown fields are ignored.
 */
import { UsageError, messageOf } from '../errors.ts';
import type { Input } from '../lib/input.ts';
import { recordsOf } from './elements.ts';
import { aboutOrg, describeLost, organizationsIn } from './org-data/organizations.ts';
import { listFroms } from './providers.ts';
import { warning, type Notify } from '../notice.ts';
import type { Provider, RawBatch, Reader } from './source.ts';
import type { TargetOrg } from '../records/resource.ts';
import { firstText, objectOf, type JsonObject } from '../lib/json-value.ts';
import { checkAddress } from '../records/email.ts';
import { trimBlanks } from '../records/text.ts';
import {
  readGender,
  reject,
  type MachineRecord,
  type Origin,
  type UserRecord,
  startUser,
} from '../records/user.ts';
import { asDialled, readPhone } from '../records/phone.ts';
import type { ReasonCode } from '../records/reasons.ts';
import { memberText } from '../wire/member-names.ts';
import type { Message, Output } from '../wire/message.ts';
import { dataHumanUser, dataMachineUser, statesSet } from '../wire/import.ts';
import { brokenRule } from '../wire/validate.ts';

export interface BodyOptions {
  /** Ids of identity providers at the target, by those in the body. */
  readonly idps?: Readonly<Record<string, string>>;
  /** All users go to one organization, whatever the body says of user names. */
  readonly oneOrg?: boolean;
}

/**
 * Everything about a batch stays in memory until its last user is sent. Batches are small, so that the garbage
 * collector never copies them.
 */
const batchBytes = 32 * 1024;

export const body: Provider<BodyOptions, BodyContext> = {
  readOptions: () => ({}),
  choose(folder) {
    throw new UsageError(`${folder} is a folder`, 'Name the import body in it.');
  },
  async *scan(inputs, { oneOrg }, notify) {
    for (const input of inputs) {
      let found = false;
      for await (const batch of scanBody(input, notify, oneOrg)) {
        found = true;
        yield batch;
      }
      if (!found)
        notify(
          warning(
            'input:no-users',
            `no users in ${input.name}: an import body has them under dataOrgs.orgs; for the export of a provider name it: ${listFroms()}`,
          ),
        );
    }
  },
  reader: createBodyReader,
};

async function* scanBody(
  input: Input,
  notify: Notify,
  oneOrg = false,
): AsyncGenerator<RawBatch<BodyContext>> {
  const lists = ['humanUsers', 'machineUsers'] satisfies BodyContext['list'][];
  const options = { lists, batchBytes, records: true } as const;
  for await (const item of organizationsIn(input.name, input.blocks(), options)) {
    if (item.kind === 'lost') describeLost(input.name, item.value).forEach(notify);
    if (item.kind !== 'batch' && item.kind !== 'long') continue;
    const list = item.list === 'machineUsers' ? item.list : 'humanUsers';
    const { orgId, ownNames, isInactive } = item.org;
    const names = ownNames && !oneOrg ? `${orgId}\n` : '';
    const said = { userLoginMustBeDomain: ownNames, orgState: isInactive && 'ORG_STATE_INACTIVE' };
    const about = (ownNames || isInactive) && { [aboutOrg]: said };
    yield { input: input.name, elements: recordsOf(item), context: { list, orgId, names, about } };
  }
}

/** Returns the organizations of bodies, each one once. Reads the bodies completely. */
export async function readOrgs(...inputs: readonly Input[]) {
  const orgs = new Map<string, TargetOrg>();
  for (const input of inputs) {
    for await (const { kind, org } of organizationsIn(input.name, input.blocks(), { lists: [] })) {
      const { orgId, name, domains, isInactive } = org;
      if (kind !== 'end') continue;
      const known = orgs.get(orgId);
      const all = [...(known?.domains ?? []), ...domains];
      orgs.set(orgId, { orgId, name: known?.name || name, domains: all, isInactive });
    }
  }
  return [...orgs.values()];
}

export interface BodyContext {
  readonly list: 'humanUsers' | 'machineUsers';
  /** Empty if it does not come before the users of its organization. */
  readonly orgId: string;
  /** As `UserRecord.names`. */
  readonly names?: string;
  /** What else of the organization matters to its users. */
  readonly about?: object | false | undefined;
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
  return (value, place, { list, orgId, names }) => {
    const origin = { ...place, id: identify(value) };
    try {
      const read = list === 'humanUsers' ? readHuman(value, origin) : readMachine(value, origin);
      read.orgId = orgId;
      // Journals know a user without an id by its name alone.
      read.names = read.id && names;
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
  const phone = user.phone && readPhone(asDialled(user.phone.phone), 'CH');
  if (user.phone !== undefined && phone === undefined) refuse('target:phone', 'the number cannot be read');
  const problem = checkAddress(email.email);
  if (problem !== undefined) refuse('user-skipped:invalid-email', problem);
  // A copy with spread properties would be slow: V8 keeps so many as a dictionary.
  const draft = startUser(origin);
  draft.id = userId;
  draft.userName = trimBlanks(user.userName);
  draft.givenName = profile.firstName;
  draft.familyName = profile.lastName;
  draft.nickName = profile.nickName;
  draft.displayName = profile.displayName;
  draft.language = profile.preferredLanguage;
  draft.gender = readGender(String(profile.gender));
  draft.email = email.email;
  draft.emailVerified = email.isEmailVerified;
  draft.phone = phone?.e164 ?? '';
  draft.phoneVerified = user.phone?.isPhoneVerified === true;
  draft.passwordHash = user.hashedPassword?.value ?? '';
  draft.plainPassword = user.password;
  draft.requestsPasskey = user.requestPasswordlessRegistration;
  draft.otpSecret = user.otpCode;
  draft.recoveryCodeHashes = codes.flatMap(({ hash }) => hash ?? []);
  draft.recoveryCodes = codes.flatMap(({ raw }) => raw ?? []);
  // The body may have more links in a separate list.
  draft.links = [...links];
  draft.state = readState(value, state);
  draft.isInitial = memberText(value as JsonObject, 'state') === 'USER_STATE_INITIAL';
  return draft;
}

function readMachine(value: unknown, origin: Origin): MachineRecord {
  const { userId, state, user } = readMessage(dataMachineUser, value);
  const { userName, name, description } = user;
  return {
    kind: 'machine',
    origin,
    // The service creates the account with the inner id, and leaves that out of its exports.
    id: user.userId || userId,
    userName,
    name,
    description,
    state: readState(value, state),
    metadata: [],
    notes: [],
  };
}

function readState(value: unknown, state: string | number) {
  const given = memberText(value as JsonObject, 'state') || String(state);
  return Object.hasOwn(statesSet, given) ? statesSet[given]! : refuse('target:state', given);
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
  return memberText(objectOf(value), 'userId') || namesOf(value).userName;
}

/** Returns user name and email for reports. */
function namesOf(value: unknown) {
  const user = objectOf(objectOf(value)['user']);
  return { userName: memberText(user, 'userName'), email: firstText(objectOf(user['email']), 'email') };
}
