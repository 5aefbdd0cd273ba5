/**
 * A person as the source gave it in, the person as it will be written out: a hash that the target would refuse is
 * dropped, kept, or the reason to leave the person out; so is having no password.
 */
import { IdportError } from '../../errors.ts';
import { checkHash } from '../../profiles/check-hash.ts';
import { reject } from '../../records/user-draft.ts';
import { type ReasonCode, reasons } from '../../records/reasons.ts';
import type { Note, Rejected, UserRecord } from '../../records/user.ts';
import type { TargetProfile } from '../../wire/profile.ts';
import type { HashRefusal } from './batch.ts';

/** What the flag can say; `refuse` is what the service itself does with a body: it refuses the person. */
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

/** Codes with which a reader gives up a password that the source has. */
const givenUp: ReadonlySet<ReasonCode> = new Set([
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
  if (user.passwordHash === '') return judgeWithout(user, policy);
  const verdict = checkHash(user.passwordHash, policy.profile);
  if (verdict.verdict === 'ok') return { record: user, algorithm: verdict.algorithm, refusal: undefined };

  const { algorithm, code, detail: problem, remedy } = verdict;
  const refusal = { algorithm, code, problem, remedy };
  const settled = refuse(user, refusal, policy);
  if (settled !== undefined) return { record: settled, algorithm: 'none', refusal };
  const notes: readonly Note[] = [...user.notes, { code, detail: problem }];
  if (policy.onRefusedHash === 'keep' && !givenUp.has(code)) {
    return { record: { ...user, notes }, algorithm, refusal };
  }
  const judged = judgeWithout({ ...user, passwordHash: '', notes }, policy, true);
  return { ...judged, refusal };
}

function judgeWithout(user: UserRecord, policy: HashPolicy, refusedBefore = false): CheckedRecord {
  // It becomes a bcrypt hash, here or in the service.
  if (user.plainPassword !== '') return { record: user, algorithm: 'bcrypt', refusal: undefined };
  const note = refusedBefore ? undefined : user.notes.find(({ code }) => givenUp.has(code));
  const refusal = note === undefined ? undefined : describeGivenUp(note);
  const settled = refusal === undefined ? undefined : refuse(user, refusal, policy);
  if (settled !== undefined) return { record: settled, algorithm: 'none', refusal };
  const record =
    policy.withoutPassword === 'skip' && user.links.length === 0
      ? reject(user, 'user-skipped:no-password')
      : user;
  return { record, algorithm: 'none', refusal };
}

/** The rejection that `skip` and `refuse` ask for; throws for `fail`. */
function refuse(user: UserRecord, refusal: HashRefusal, policy: HashPolicy): Rejected | undefined {
  if (policy.onRefusedHash === 'skip') return reject(user, 'user-skipped:refused-hash', refusal.problem);
  if (policy.onRefusedHash === 'refuse') return reject(user, 'target:hash', refusal.problem);
  if (policy.onRefusedHash !== 'fail') return undefined;
  // By name: a thread knows the place of a record in its batch only.
  const { input, id } = user.origin;
  throw new IdportError(
    'hash:refused',
    `${input}, ${user.userName} (${id}): the target would refuse the password hash: ${refusal.problem}`,
    { hint: refusal.remedy },
  );
}

function describeGivenUp({ code, detail = '' }: Note): HashRefusal {
  return { algorithm: 'other', code, problem: detail, remedy: reasons[code].remedy };
}

function findDomain(userName: string, domains: readonly string[]): string | undefined {
  const at = userName.lastIndexOf('@');
  if (at === -1) return undefined;
  const domain = userName.slice(at + 1).toLowerCase();
  return domains.includes(domain) ? domain : undefined;
}
