/**
 * Checks whether the target accepts a user. Depending on the policy, a hash that the target would refuse is dropped,
 * kept or a reason to skip the user, and so is a missing password.
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
import { type SourceForm, tooCostlyForm } from '../../records/hash-forms/form.ts';
import type { ListedUser } from '../jit/user-list.ts';
import { isProblem } from '../../records/mcf/algorithm.ts';
import { recognise } from '../../records/mcf/recognise.ts';
import { isPlaceholder } from '../../records/placeholder-password.ts';
import type { Route } from '../../records/messages.ts';
import { decodeBase32 } from '../../lib/base32.ts';
import { formatCounted } from '../../lib/quantity.ts';
import { longestHash } from '../../targets/create-user.ts';
import { reject } from '../../records/user-draft.ts';
import { applyPhoneRule, type PhoneRule } from '../../records/phone-rule.ts';
import { type ReasonCode, reasons } from '../../records/reasons.ts';
import { signInKind, type SignInKind } from '../../records/sign-in.ts';
import type { Note, Rejected, UserRecord } from '../../records/user.ts';
import type { TargetProfile } from '../../wire/profile.ts';
import type { HashRefusal } from './batch.ts';

/**
 * The values of the flag; `refuse`: the service itself refuses the user; `send`: the service is to judge, and only what
 * no target can verify is dropped; `send-or-refuse`: the same, and such users are refused.
 */
export type RefusedHashRule = 'drop' | 'keep' | 'skip' | 'fail' | 'refuse' | 'send' | 'send-or-refuse';

export interface HashPolicy {
  readonly profile: TargetProfile;
  /**
   * `keep` is for operators who will change the target's setting; what no target can verify is dropped all the same.
   */
  readonly onRefusedHash: RefusedHashRule;
  readonly withoutPassword: 'import' | 'skip';
  /** `keep` where it is absent. */
  readonly phone?: PhoneRule;
  /** Passwords without a hash that the target takes are checked at the first login. */
  readonly atFirstLogin?: boolean;
  /** The hash of the placeholder password, which those users get, and who have no hash at all. */
  readonly placeholder?: string | undefined;
  /** How the users will be created, as far as it is known. */
  readonly route: Route;
  /** Rejects whom CreateUser would not create whole: recovery codes, long hashes, TOTP secrets that are none. */
  readonly isOneCall?: boolean;
  /** Where no import was chosen yet: that of the way which is shown first. */
  readonly signInRoute?: Route;
  /** Login-time migration: users without a password are checked at their first login. */
  readonly jit?: boolean;
  /** Domains of other organizations, in lower case: a user name that ends in one is refused by the target. */
  readonly foreignDomains?: readonly string[];
  /** Ids of the identity providers that the target has: links to others are refused. */
  readonly providers?: readonly string[] | undefined;
  /** Of the organizations that receive the users, where passwords in plain text are sent as they are. */
  readonly passwordPolicies?: readonly PasswordPolicy[];
}

export interface CheckedRecord {
  readonly record: UserRecord | Rejected;
  /** Algorithm of the hash that is written, or `none`. */
  readonly algorithm: string;
  readonly refusal: HashRefusal | undefined;
  /** Of a user whose password is to be checked at the first login. */
  readonly atFirstLogin?: FirstLogin | undefined;
  /** Of a user who is written. */
  readonly signIn?: SignInKind;
}

export type FirstLogin = Pick<ListedUser, 'form' | 'placeholder'>;

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

export function checkRecord(found: UserRecord, policy: HashPolicy): CheckedRecord {
  const checked = judge(found, policy);
  const { record, atFirstLogin, refusal } = checked;
  if (record.kind !== 'human') return checked;
  const { route, signInRoute = route, jit = false } = policy;
  const listed = atFirstLogin && atFirstLogin.form !== undefined;
  const signIn = signInKind(record, { route: signInRoute, listed, jit, refused: refusal?.kept === true });
  return { ...checked, signIn };
}

function judge(found: UserRecord, policy: HashPolicy): CheckedRecord {
  const user = applyPhoneRule(found, policy.phone ?? 'keep');
  const domain =
    policy.foreignDomains === undefined ? undefined : findDomain(user.userName, policy.foreignDomains);
  if (domain !== undefined) {
    return { record: reject(user, 'target:foreign-domain', domain), algorithm: 'none', refusal: undefined };
  }
  const refused = refuseLink(user, policy) ?? refusePlain(user, policy) ?? refuseInOneCall(user, policy);
  if (refused !== undefined) return { record: refused, algorithm: 'none', refusal: undefined };
  if (user.passwordHash === '') return checkWithoutHash(user, policy);
  const other = findOther(user, policy.profile);
  if (other !== undefined) return judge({ ...found, passwordHash: other, otherHashes: undefined }, policy);
  const verdict = checkHash(user.passwordHash, policy.profile);
  const isOwn = !isPlaceholder(user.passwordHash);
  const algorithm = isOwn ? verdict.algorithm : 'none';
  if (verdict.verdict === 'ok') return { record: user, algorithm, refusal: undefined };

  const { code, detail: problem, remedy } = verdict;
  if (sendingRules.has(policy.onRefusedHash) && !unusableCodes.has(code)) {
    return { record: user, algorithm, refusal: undefined };
  }
  const refusal = { algorithm: verdict.algorithm, code, problem, remedy };
  const rejected = refuse(user, refusal, policy);
  if (rejected !== undefined) return { record: rejected, algorithm: 'none', refusal };
  const notes: readonly Note[] = [...user.notes, { code, detail: problem }];
  if (policy.onRefusedHash === 'keep' && !unusableCodes.has(code)) {
    return { record: { ...user, notes }, algorithm, refusal: { ...refusal, kept: true } };
  }
  const sourceForm =
    policy.atFirstLogin === true ? (user.sourceForm ?? formOf(user.passwordHash)) : undefined;
  const checked = checkWithoutHash({ ...user, passwordHash: '', sourceForm, notes }, policy, true);
  return { ...checked, refusal };
}

/** A hash of the same password that the target takes, where it refuses the first. */
function findOther(
  { passwordHash, otherHashes = [] }: UserRecord,
  profile: TargetProfile,
): string | undefined {
  const isTaken = (hash: string): boolean => checkHash(hash, profile).verdict === 'ok';
  return otherHashes.length === 0 || isTaken(passwordHash) ? undefined : otherHashes.find(isTaken);
}

function refuseLink(user: UserRecord, { providers }: HashPolicy): Rejected | undefined {
  if (providers === undefined) return undefined;
  const link = user.links.find(({ configId }) => !providers.includes(configId));
  return link === undefined ? undefined : reject(user, 'target:identity-provider', link.configId);
}

/** No user arrives without the password or the codes that the source has, unless the first login brings the password. */
function refuseInOneCall(user: UserRecord, policy: HashPolicy): Rejected | undefined {
  if (policy.isOneCall !== true) return undefined;
  const codes = user.recoveryCodeHashes.length + user.recoveryCodes.length;
  if (codes > 0) return reject(user, 'single:recovery-codes', formatCounted(codes, 'recovery code'));
  // The service takes any text, and then no code is right.
  if (user.otpSecret !== '' && decodeBase32(user.otpSecret) === undefined) {
    return reject(user, 'single:totp-secret');
  }
  const { length } = user.passwordHash;
  return length > longestHash ? reject(user, 'single:long-hash', `${length} characters`) : undefined;
}

/** Of a body, whose passwords the service gets as they are. It looks at them even where there is a hash as well. */
function refusePlain(user: UserRecord, policy: HashPolicy): Rejected | undefined {
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

function checkWithoutHash(user: UserRecord, policy: HashPolicy, refusedBefore = false): CheckedRecord {
  // The plain password becomes a bcrypt hash, here or in the service.
  if (isTooLong(user.plainPassword)) return dropTooLong(user, policy);
  if (user.plainPassword !== '') return { record: user, algorithm: 'bcrypt', refusal: undefined };
  const note = refusedBefore ? undefined : user.notes.find(({ code }) => unusableCodes.has(code));
  const refusal = note === undefined ? undefined : describeUnusable(note);
  const rejected = refusal === undefined ? undefined : refuse(user, refusal, policy);
  if (rejected !== undefined) return { record: rejected, algorithm: 'none', refusal };
  const atFirstLogin = firstLoginOf(user, policy);
  const record =
    policy.withoutPassword === 'skip' && user.links.length === 0 && atFirstLogin === undefined
      ? reject(user, 'user-skipped:no-password')
      : withPlaceholder(user, atFirstLogin === undefined ? {} : policy);
  return { record, algorithm: 'none', refusal, atFirstLogin };
}

/** With a placeholder password, those too of whom the source gives no hash, unless they log in in another way. */
function firstLoginOf(user: UserRecord, { atFirstLogin, placeholder }: HashPolicy): FirstLogin | undefined {
  const { sourceForm } = user;
  // No verifier works so long.
  const form = sourceForm === undefined || tooCostlyForm(sourceForm) !== undefined ? undefined : sourceForm;
  const hasPlaceholder = placeholder !== undefined;
  if (atFirstLogin !== true || (form === undefined && !(hasPlaceholder && hasNoOtherLogin(user))))
    return undefined;
  return { form, ...(hasPlaceholder ? { placeholder: true } : {}) };
}

function withPlaceholder(user: UserRecord, { placeholder }: Pick<HashPolicy, 'placeholder'>): UserRecord {
  if (placeholder === undefined) return user;
  const notes = user.notes.filter(({ code }) => code !== 'password:none');
  return {
    ...user,
    passwordHash: placeholder,
    notes: [...notes, { code: 'password:placeholder' }],
  };
}

/** Has no link and asks for no passkey. */
const hasNoOtherLogin = ({ links, requestsPasskey }: UserRecord): boolean =>
  links.length === 0 && requestsPasskey !== true;

/** Undefined for what is no hash string. */
function formOf(hash: string): SourceForm | undefined {
  const found = recognise(hash);
  return isProblem(found) ? undefined : { kind: 'mcf', mcf: found.mcf, of: 'password' };
}

/** A hash of it would be accepted, and the first login would fail. */
function dropTooLong(user: UserRecord, policy: HashPolicy): CheckedRecord {
  const code = 'password:too-long';
  const refusal = { algorithm: 'other', code, problem: tooLong, remedy: reasons[code].remedy } as const;
  const rejected = refuse(user, refusal, policy);
  if (rejected !== undefined) return { record: rejected, algorithm: 'none', refusal };
  const notes: readonly Note[] = [
    ...user.notes.filter((note) => note.code !== 'password:plaintext-hashed'),
    { code },
  ];
  return { ...checkWithoutHash({ ...user, plainPassword: '', notes }, policy, true), refusal };
}

/** The rejection for `skip` and `refuse`; throws for `fail`. */
function refuse(user: UserRecord, refusal: HashRefusal, policy: HashPolicy): Rejected | undefined {
  if (policy.onRefusedHash === 'skip') return reject(user, 'user-skipped:refused-hash', refusal.problem);
  if (refusingRules.has(policy.onRefusedHash)) return reject(user, 'target:hash', refusal.problem);
  if (policy.onRefusedHash !== 'fail') return undefined;
  // With the name of the user: a worker does not know the record's index in the input.
  const { input, id } = user.origin;
  throw new IdportError(
    'hash:refused',
    `${input}, ${user.userName} (${id}): the target would refuse the password hash: ${refusal.problem}`,
    { hint: refusal.remedy },
  );
}

function describeUnusable({ code, detail = '' }: Note): HashRefusal {
  return { algorithm: 'other', code, problem: detail, remedy: reasons[code].remedy };
}

function findDomain(userName: string, domains: readonly string[]): string | undefined {
  const at = userName.lastIndexOf('@');
  if (at === -1) return undefined;
  const domain = userName.slice(at + 1).toLowerCase();
  return domains.includes(domain) ? domain : undefined;
}
