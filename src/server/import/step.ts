/** One kind of entry of an import: how it is stored and reported. `wire/org-entries.ts` has its type and id in errors. */
import { setImmediate } from 'node:timers/promises';
import type { DataOrg } from '../../wire/org-data.ts';
import { kindOf } from '../../wire/org-entries.ts';
import type { OrgRow } from '../store/rows.ts';
import { attempt, type ImportJob, type SuccessOrg } from './job.ts';

export interface StepContext {
  readonly job: ImportJob;
  readonly data: DataOrg;
  /** The org as it is now. */
  readonly org: () => OrgRow;
}

/** The lists of an organization. */
type ListName = keyof {
  [Name in keyof DataOrg as DataOrg[Name] extends readonly unknown[] ? Name : never]: unknown;
};
type ItemOf<Name extends ListName> = DataOrg[Name] extends readonly (infer Item)[] ? Item : never;

interface StepDefinition<Item> {
  readonly store: (context: StepContext, item: Item) => unknown;
  readonly succeed?: (success: SuccessOrg, item: Item) => void;
  /** Errors are not reported, as in the service. */
  readonly silent?: boolean;
  /** An entry costs the seconds of a user. */
  readonly isUser?: boolean;
  /** What is tried with the same entry afterwards, whether it was stored or not. */
  readonly afterwards?: (context: StepContext, item: Item, stored: boolean) => Promise<void>;
}

/** Entries between two pauses for other requests. */
const pauseEvery = 500;

/** Runs all entries of one kind of one org. */
export type Step = (context: StepContext, success: SuccessOrg) => Promise<void>;

export function step<Name extends ListName>(list: Name, definition: StepDefinition<ItemOf<Name>>): Step {
  const { store, succeed, silent = false, isUser = false, afterwards } = definition;
  const { types, idOf } = kindOf(list);
  return async (context, success) => {
    const { job, data } = context;
    let done = 0;
    for (const item of data[list] as unknown as readonly ItemOf<Name>[]) {
      if (++done % pauseEvery === 0) await setImmediate();
      job.spend(isUser ? job.settings.secondsPerUser : 0);
      const id = idOf(item as Readonly<Record<string, unknown>>, data.orgId);
      const stored = await attempt(job, types[0]!, id, () => store(context, item), silent);
      if (stored) succeed?.(success, item);
      await afterwards?.(context, item, stored);
    }
  };
}
