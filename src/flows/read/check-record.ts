/**
 * Checks whether the target accepts a user. Depending on the policy, a hash that the target would refuse is dropped, kept or a
 * reason to skip the user, and so is a missing password.
 */
import { IdportError } from '../../errors.ts';
import { checkHash } from '../../profiles/check-hash.ts';
import {
  findWeakness,
  isTooLong,
  maxPasswordBytes,
  type PasswordPolicy,
  type Weakness,
} from '../../records/password-policy.ts';
import { type SourceForm, isCheckable } from '../../records/hash-forms/form.ts';
import type { ListedUser } from '../jit/user-list.ts';
import { isProblem } from '../../records/mcf/algorithm.ts';
import { readHash } from '../../records/mcf/recognise.ts';
import { isPlaceholder } from '../../records/placeholder-password.ts';
import { messagesOf, type Route, applyPhoneRule, type PhoneRule } from '../../records/messages.ts';
import { decodeBase32 } from '../../lib/base32.ts';
import { formatCounted } from '../../lib/format.ts';
import { longestHash } from '../../targets/create-user.ts';
import { reject, isPlain, type MachineRecord, type Rejected, type UserRecord } from '../../records/user.ts';
import { codesOf, type HashRefusal } from '../../records/tally.ts';
import { type ReasonCode, reasons } from '../../records/reasons.ts';
import {
  neverHadPassword,
  type Prospects,
  signInBy,
  signInKind,
  type SignInKind,
} from '../../records/sign-in.ts';
import { emailProblem } from '../../wire/create-user.ts';
import type { TargetProfile } from '../../wire/profile.ts';
import type { Placement } from './place-record.ts';

/**
 * Values of the flag, and: `refuse`: the service itself refuses the user; `send`: the service is to judge, and only what no
 * target can verify is dropped; `send-or-refuse`: the same, but such users are refused.
 */
export type RefusedHashRule = 'drop' | 'keep' | 'skip' | 'fail' | 'refuse' | 'send' | 'send-or-refuse';

/** Organizations of a run that cannot use an identity provider of the target, by its id. */
export type Providers = ReadonlyMap<string, ReadonlySet<string>>;

export interface HashPolicy {
  readonly profile: TargetProfile;
  /** `keep` is for operators who will change the target's setting. What no target can verify is dropped all the same. */
  readonly onRefusedHash: RefusedHashRule;
  readonly withoutPassword: 'import' | 'skip';
  /** `keep` if absent. */
  readonly phone?: PhoneRule;
  /** If set, passwords without a hash that the target accepts are checked at the first login. */
  readonly atFirstLogin?: boolean;
  /** Hash of the placeholder password, which those users get, as well as users without any hash. */
  readonly placeholder?: string;
  /** How the users will be created. */
  readonly route: Route;
  /** Rejects users whom CreateUser would not create whole: recovery codes, long hashes, invalid TOTP secrets, some addresses. */
  readonly isOneCall?: boolean;
  /** Login-time migration: users without a password are checked at their first login. */
  readonly jit?: boolean;
  /** Domains of other organizations, in lower case. The target refuses user names that end in one. */
  readonly foreignDomains?: readonly string[] | undefined;
  /** Links to other identity providers are refused. */
  readonly providers?: Providers | undefined;
  /** Password policies of the receiving organizations, if plain passwords are sent as they are. */
  readonly passwordPolicies?: readonly PasswordPolicy[] | undefined;
}

/** Results of the steps after the reader, which write them to the record itself. */
export interface Verdict {
  placement?: Placement;
  /** Algorithm of the hash that is written, or `none`. */
  algorithm?: string;
  refusal?: HashRefusal | undefined;
  /** No profile was named, so the hash is sent although the profile refuses it, and the service decides. */
  isUnsure?: boolean;
  /** How the password is checked at the first login, for users who need that. */
  atFirstLogin?: FirstLogin | undefined;
  /** How a written user signs in: by the route of the policy, and in `prospects` before a route is chosen. */
  signIn?: SignInKind;
  prospects?: Prospects;
  /** A user who is rejected because only the bulk import accepts it, as that would write it. */
  inBulk?: CheckedUser;
}

export type CheckedUser = UserRecord & Verdict;
/** A record that is written. */
export type Written = CheckedUser | (MachineRecord & Verdict);

export function traitsOf(record: Written) {
  const user = record.kind === 'human' ? record : undefined;
  return {
    ...codesOf(record.notes),
    machine: user === undefined,
    inactive: record.state !== 'active',
    algorithm: user?.algorithm ?? 'none',
    plain: user !== undefined && isPlain(user),
    otp: user !== undefined && user.otpSecret !== '',
    linked: user !== undefined && user.links.length > 0,
    refusal: user?.refusal,
  };
}

type FirstLogin = Pick<ListedUser, 'form' | 'placeholder'>;

/** Codes of notes for passwords that the source has and the reader could not use. */
const unusableCodes: ReadonlySet<ReasonCode> = new Set([
  'password:algorithm-unsupported',
  'password:malformed',
  'password:unverifiable',
  'password:prehashed',
  'password:peppered',
  'password:ambiguous-format',
  'password:encrypted-by-source',
]);

const refusingRules: ReadonlySet<RefusedHashRule> = new Set(['refuse', 'send-or-refuse']);
const sendingRules: ReadonlySet<RefusedHashRule> = new Set(['send', 'send-or-refuse']);

/** Turns the user into what is written. May drop a hash that the target refuses, or add a placeholder. */
export function checkRecord(user: CheckedUser, policy: HashPolicy): (UserRecord | Rejected) & Verdict {
  const refused = refuseUser(user, policy);
  const inOneCall = policy.isOneCall ? refuseInOneCall(user) : undefined;
  const inBulk = refused ?? checkPassword(user, policy);
  const { atFirstLogin, refusal } = user;
  const rejected = refused ?? inOneCall ?? inBulk;
  if (inBulk !== undefined) return { ...rejected!, refusal };
  const { route, jit = false } = policy;
  const listed = atFirstLogin && atFirstLogin.form !== undefined;
  user.prospects = {
    signIn: signInKind(user, { listed, jit, refused: refusal?.kept === true }),
    messages: messagesOf(user, 'import'),
    onlyBulk: refuseInOneCall(user) !== undefined,
  };
  user.signIn = signInBy(route, user.prospects);
  return rejected === undefined ? user : { ...rejected, refusal, inBulk: user };
}

function checkPassword(user: CheckedUser, policy: HashPolicy): Rejected | undefined {
  const { onRefusedHash, profile } = policy;
  applyPhoneRule(user, policy.phone ?? 'keep');
  if (user.passwordHash === '') return checkWithoutHash(user, policy);
  user.passwordHash = chooseHash(user, profile);
  const verdict = checkHash(user.passwordHash, profile);
  user.algorithm = isPlaceholder(user.passwordHash) ? 'none' : verdict.algorithm;
  if (verdict.verdict === 'ok') return undefined;

  const { algorithm, code, detail: problem, remedy } = verdict;
  const isUsable = !unusableCodes.has(code);
  user.isUnsure = isUsable && sendingRules.has(onRefusedHash);
  if (user.isUnsure) return undefined;
  const kept = isUsable && onRefusedHash === 'keep';
  const rejected = refuse(user, { algorithm, code, problem, remedy, kept }, policy);
  if (rejected !== undefined) return rejected;
  user.notes.push({ code, detail: problem });
  if (kept) return undefined;
  user.sourceForm = policy.atFirstLogin ? (user.sourceForm ?? formOf(user.passwordHash)) : undefined;
  user.passwordHash = '';
  return checkWithoutHash(user, policy);
}

/** Returns a rejection if the target refuses the user for its domain, links or plain password, whatever the hash. */
function refuseUser(user: UserRecord, policy: HashPolicy) {
  const domain = findDomain(user.userName, policy.foreignDomains ?? []);
  if (domain !== undefined) return reject(user, 'target:foreign-domain', domain);
  // The service accepts any text, but then no code is right.
  if (decodeBase32(user.otpSecret) === undefined) return reject(user, 'single:totp-secret');
  return refuseLink(user, policy) ?? refusePlain(user, policy);
}

/** Returns another hash of the same password if the target accepts it and refuses the first. */
function chooseHash({ passwordHash, otherHashes = [] }: UserRecord, profile: TargetProfile) {
  if (otherHashes.length === 0) return passwordHash;
  const isTaken = (hash: string) => checkHash(hash, profile).verdict === 'ok';
  return [passwordHash, ...otherHashes].find(isTaken) ?? passwordHash;
}

function refuseLink(user: UserRecord, { providers }: HashPolicy) {
  const cannotUse = (id: string) => providers?.get(id)?.has(user.orgId ?? '') ?? true;
  const link = providers && user.links.find(({ configId }) => cannotUse(configId));
  return link && reject(user, 'target:identity-provider', link.configId);
}

/** Returns a rejection if CreateUser would refuse the user, or create it without something that the source has. */
function refuseInOneCall(user: UserRecord) {
  const codes = user.recoveryCodeHashes.length + user.recoveryCodes.length;
  if (codes > 0) return reject(user, 'single:recovery-codes', formatCounted(codes, 'recovery code'));
  const problem = emailProblem(user.email);
  if (problem !== undefined) return reject(user, 'single:email', problem);
  const { length } = user.passwordHash;
  return length > longestHash ? reject(user, 'single:long-hash', `${length} characters`) : undefined;
}

/** Checks the plain password of a body, which the service gets as it is. The service checks it even if there is a hash, too. */
function refusePlain(user: UserRecord, policy: HashPolicy) {
  const { plainPassword } = user;
  if (plainPassword === '' || policy.onRefusedHash !== 'refuse') return undefined;
  if (isTooLong(plainPassword)) return reject(user, 'target:password', tooLong);
  const found = (policy.passwordPolicies ?? []).map((each) => findWeakness(each, plainPassword));
  const [weakness] = found;
  return weakness === undefined || found.includes(undefined)
    ? undefined
    : reject(user, 'target:password', weaknesses[weakness]);
}

const tooLong = `the password is longer than ${maxPasswordBytes} bytes`;
const weaknesses: Readonly<Record<Weakness, string>> = {
  MinLength: 'the password is too short',
  HasLower: 'the password has no lower-case letter',
  HasUpper: 'the password has no upper-case letter',
  HasNumber: 'the password has no digit',
  HasSymbol: 'the password has no symbol',
};

function checkWithoutHash(user: CheckedUser, policy: HashPolicy): Rejected | undefined {
  const { plainPassword, links, notes } = user;
  if (isTooLong(plainPassword)) return dropTooLong(user, policy);
  // The plain password becomes a bcrypt hash, here or in the service.
  user.algorithm = plainPassword === '' ? 'none' : 'bcrypt';
  if (plainPassword !== '') return undefined;
  const note = user.refusal === undefined ? notes.find(({ code }) => unusableCodes.has(code)) : undefined;
  const rejected = note && refuse(user, refusalOf(note.code, note.detail), policy);
  if (rejected !== undefined) return rejected;
  user.atFirstLogin = firstLoginOf(user, policy);
  if (policy.withoutPassword === 'skip' && links.length === 0 && user.atFirstLogin === undefined)
    return reject(user, 'user-skipped:no-password');
  if (user.atFirstLogin !== undefined) setPlaceholder(user, policy);
  return undefined;
}

/** With a placeholder password, also includes users without a hash in the source, unless they log in in another way. */
function firstLoginOf(user: UserRecord, { atFirstLogin, placeholder }: HashPolicy): FirstLogin | undefined {
  const { sourceForm } = user;
  const form = sourceForm !== undefined && isCheckable(sourceForm) ? sourceForm : undefined;
  const hasPlaceholder = placeholder !== undefined;
  if (!atFirstLogin || (form === undefined && !(hasPlaceholder && hasNoOtherLogin(user)))) return undefined;
  return { form, ...(hasPlaceholder && { placeholder: true }) };
}

function setPlaceholder(user: UserRecord, { placeholder }: HashPolicy) {
  if (placeholder === undefined) return;
  user.passwordHash = placeholder;
  user.notes = user.notes.filter(({ code }) => code !== 'password:none');
  user.notes.push({ code: 'password:placeholder' });
}

/** Reports whether the user has no link, requests no passkey, and may have a password in the old system. */
const hasNoOtherLogin = ({ links, requestsPasskey, notes }: UserRecord) =>
  links.length === 0 && requestsPasskey !== true && !neverHadPassword(notes);

/** Returns undefined for text that is not a hash string. */
function formOf(hash: string): SourceForm | undefined {
  const found = readHash(hash);
  return isProblem(found) ? undefined : { kind: 'mcf', mcf: found.mcf, of: 'password' };
}

/** Drops a password that is too long: its hash would be accepted, but the first login would fail. */
function dropTooLong(user: CheckedUser, policy: HashPolicy) {
  const code = 'password:too-long';
  const rejected = refuse(user, refusalOf(code, tooLong), policy);
  if (rejected !== undefined) return rejected;
  user.plainPassword = '';
  user.notes = user.notes.filter((note) => note.code !== 'password:plaintext-hashed');
  user.notes.push({ code });
  return checkWithoutHash(user, policy);
}

/** Returns the rejection for `skip` and `refuse`. Throws for `fail`. */
function refuse(user: CheckedUser, refusal: HashRefusal, policy: HashPolicy) {
  user.refusal = refusal;
  if (policy.onRefusedHash === 'skip') return reject(user, 'user-skipped:refused-hash', refusal.problem);
  if (refusingRules.has(policy.onRefusedHash)) return reject(user, 'target:hash', refusal.problem);
  if (policy.onRefusedHash !== 'fail') return undefined;
  // Names the user, because a worker does not know the record's index in the input.
  const { input, id } = user.origin;
  throw new IdportError(
    'hash:refused',
    `${input}, ${user.userName} (${id}): the target would refuse the password hash: ${refusal.problem}`,
    refusal.remedy,
  );
}

/** Returns the refusal of a password for which no hash string can be written. */
const refusalOf = (code: ReasonCode, problem = ''): HashRefusal => ({
  algorithm: 'other',
  code,
  problem,
  remedy: reasons[code].remedy,
});

function findDomain(userName: string, domains: readonly string[]) {
  const at = domains.length === 0 ? -1 : userName.lastIndexOf('@');
  if (at === -1) return undefined;
  const domain = userName.slice(at + 1).toLowerCase();
  return domains.includes(domain) ? domain : undefined;
}
