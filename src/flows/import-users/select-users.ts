/** A person in; whether this run is about them, and if not why, out. */
import type { ReasonCode } from '../../records/reasons.ts';
import type { Rejected } from '../../records/user.ts';
import type { Earlier } from '../incremental/previous-runs.ts';
import { textOf, type Fingerprints } from '../incremental/fingerprint.ts';
import type { Person } from '../source/read-users.ts';

export interface Choice {
  /** Leaves out so many people first, then takes so many. */
  readonly offset: number;
  readonly limit: number;
  /** Ids, user names or addresses in lower case; empty means everybody. */
  readonly users: ReadonlySet<string>;
  /** Of an earlier report: who was rejected there. */
  readonly failedBefore: FailedBefore | undefined;
  /** Earlier runs, with which the people are compared. */
  readonly earlier: Earlier | undefined;
}

export interface FailedBefore {
  has(input: string, index: number, id: string): boolean;
}

export type Chosen =
  | {
      readonly take: true;
      /** Id at the target of the person as they were before. */
      readonly replace?: string;
      /** Whoever has the user name at the target may be about to give it up. */
      readonly mayWait: boolean;
    }
  | { readonly take: false; readonly code: ReasonCode };

export const everybody: Choice = {
  offset: 0,
  limit: Infinity,
  users: new Set(),
  failedBefore: undefined,
  earlier: undefined,
};

/** Asked about the people in their order, once each. */
export function createChooser(choice: Choice, fingerprints: Fingerprints): (person: Person) => Chosen {
  let passed = 0;
  let taken = 0;
  return (person) => {
    const { record } = person;
    seeIn(choice.earlier, record);
    if (!isNamed(person, choice) || !failed(person, choice)) return notChosen;
    const { earlier } = choice;
    const before = record.kind === 'rejected' ? undefined : earlier?.find(record);
    if (earlier !== undefined && before !== undefined && record.kind !== 'rejected') {
      if (fingerprints.isStill(before, earlier, record.id, textOf(record))) return unchanged;
    }
    if (passed < choice.offset) {
      passed += 1;
      return notChosen;
    }
    if (taken >= choice.limit) return notChosen;
    taken += 1;
    if (before === undefined) return { take: true, mayWait: earlier !== undefined };
    // Who was there before the earlier run has the name for good.
    return before.id === ''
      ? { take: true, mayWait: false }
      : { take: true, mayWait: true, replace: before.id };
  };
}

/** Who cannot be read as a person any more is in the source all the same. */
function seeIn(earlier: Earlier | undefined, record: Person['record']): void {
  if (earlier === undefined) return;
  if (record.kind !== 'rejected') {
    earlier.see(record);
    return;
  }
  const { id } = record.origin;
  earlier.see({ id, userName: '' });
  earlier.see({ id: '', userName: id });
}

const unchanged: Chosen = { take: false, code: 'user-skipped:unchanged' };
const notChosen: Chosen = { take: false, code: 'user-skipped:not-chosen' };

function isNamed({ record }: Person, { users }: Choice): boolean {
  return users.size === 0 || namesOf(record).some((name) => users.has(name));
}

/** By which a person can be chosen, in lower case; may have empty ones. */
export function namesOf(record: Person['record']): string[] {
  const { origin } = record;
  const email = record.kind === 'human' ? record.email : '';
  const names = record.kind === 'rejected' ? [origin.id] : [origin.id, record.id, record.userName, email];
  return names.map((name) => name.toLowerCase());
}

function failed({ record }: { record: Pick<Rejected, 'origin'> }, { failedBefore }: Choice): boolean {
  if (failedBefore === undefined) return true;
  const { input, index, id } = record.origin;
  return failedBefore.has(input, index, id);
}
