/**
 * Checks whether the target accepts a user. Depending on the policy, a hash that the target would refuse is dropped,
 * kept or a reason to skip the user, and so is a missing password.
 */
import { IdportError } from '../../errors.ts';
import { checkHash } from '../../profiles/check-hash.ts';
import { reject } from '../../records/user-draft.ts';
import { type ReasonCode, reasons } from '../../records/reasons.ts';
import type { Note, Rejected, UserRecord } from '../../records/user.ts';
import type { TargetProfile } from '../../wire/profile.ts';
import type { HashRefusal } from './batch.ts';

/** The values of the flag, and `refuse`: the service itself refuses the user. */
export type RefusedHashRule = 'drop' | 'keep' | 'skip' | 'fail' | 'refuse';

export interface HashPolicy {
  readonly profile: TargetProfile;
  /**
   * `keep` is for operators who will change the target's setting; what no target can verify is dropped all the same.
   */
  readonly onRefusedHash: RefusedHashRule;
  readonly withoutPassword: 'import' | 'skip';
  /** Domains of other organizations, in lower case: a user name that ends in one is refused by the target. */
  readonly foreignDomains?: readonly string[];
}

export interface CheckedRecord {
  readonly record: UserRecord | Rejected;
  /** Algorithm of the hash that is written, or `none`. */
  readonly algorithm: string;
  readonly refusal: HashRefusal | undefined;
}

/** Codes of notes for passwords that the source has and the reader could not use. */
const unusableCodes: ReadonlySet<ReasonCode> = new Set([
  'password:algorithm-unsupported',
  'password:malformed',
  'password:unverifiable',
]);

export function checkRecord(user: UserRecord, policy: HashPolicy): CheckedRecord {
  const domain =
    policy.foreignDomains === undefined ? undefined : findDomain(user.userName, policy.foreignDomains);
  if (domain !== undefined) {
    return { record: reject(user, 'target:foreign-domain', domain), algorithm: 'none', refusal: undefined };
  }
  if (user.passwordHash === '') return checkWithoutHash(user, policy);
  const verdict = checkHash(user.passwordHash, policy.profile);
  if (verdict.verdict === 'ok') return { record: user, algorithm: verdict.algorithm, refusal: undefined };

  const { algorithm, code, detail: problem, remedy } = verdict;
  const refusal = { algorithm, code, problem, remedy };
  const rejected = refuse(user, refusal, policy);
  if (rejected !== undefined) return { record: rejected, algorithm: 'none', refusal };
  const notes: readonly Note[] = [...user.notes, { code, detail: problem }];
  if (policy.onRefusedHash === 'keep' && !unusableCodes.has(code)) {
    return { record: { ...user, notes }, algorithm, refusal };
  }
  const checked = checkWithoutHash({ ...user, passwordHash: '', notes }, policy, true);
  return { ...checked, refusal };
}

function checkWithoutHash(user: UserRecord, policy: HashPolicy, refusedBefore = false): CheckedRecord {
  // The plain password becomes a bcrypt hash, here or in the service.
  if (user.plainPassword !== '') return { record: user, algorithm: 'bcrypt', refusal: undefined };
  const note = refusedBefore ? undefined : user.notes.find(({ code }) => unusableCodes.has(code));
  const refusal = note === undefined ? undefined : describeUnusable(note);
  const rejected = refusal === undefined ? undefined : refuse(user, refusal, policy);
  if (rejected !== undefined) return { record: rejected, algorithm: 'none', refusal };
  const record =
    policy.withoutPassword === 'skip' && user.links.length === 0
      ? reject(user, 'user-skipped:no-password')
      : user;
  return { record, algorithm: 'none', refusal };
}

/** The rejection for `skip` and `refuse`; throws for `fail`. */
function refuse(user: UserRecord, refusal: HashRefusal, policy: HashPolicy): Rejected | undefined {
  if (policy.onRefusedHash === 'skip') return reject(user, 'user-skipped:refused-hash', refusal.problem);
  if (policy.onRefusedHash === 'refuse') return reject(user, 'target:hash', refusal.problem);
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
