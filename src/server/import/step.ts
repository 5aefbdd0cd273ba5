/** One kind of entry of an import as data: its list, its type and id in errors, how it is stored and reported. */
import { setImmediate } from 'node:timers/promises';
import type { DataOrg } from '../../wire/org-data.ts';
import type { OrgRow } from '../store/rows.ts';
import { attempt, type ImportJob, type SuccessOrg } from './job.ts';

export interface StepContext {
  readonly job: ImportJob;
  readonly data: DataOrg;
  /** The org as it is now. */
  readonly org: () => OrgRow;
}

export interface StepDefinition<Item> {
  readonly items: (data: DataOrg) => readonly Item[];
  readonly type: string;
  readonly id: (data: DataOrg, item: Item) => string;
  readonly store: (context: StepContext, item: Item) => unknown;
  readonly succeed?: (success: SuccessOrg, item: Item) => void;
  /** Errors are not reported, as in the service. */
  readonly silent?: boolean;
  /** Seconds of the budget that an entry costs, where it is a user. */
  readonly isUser?: boolean;
  /** What is tried with the same entry afterwards, whether it went through or not. */
  readonly afterwards?: (context: StepContext, item: Item) => Promise<void>;
}

/** Entries between two pauses for other requests. */
const pauseEvery = 500;

/** Runs all entries of one kind of one org. */
export type Step = (context: StepContext, success: SuccessOrg) => Promise<void>;

export function step<Item>(definition: StepDefinition<Item>): Step {
  return async (context, success) => {
    const { job, data } = context;
    const cost = definition.isUser === true ? job.settings.secondsPerUser : 0;
    let done = 0;
    for (const item of definition.items(data)) {
      if (++done % pauseEvery === 0) await setImmediate();
      job.spend(cost);
      const id = definition.id(data, item);
      const silent = definition.silent === true;
      const stored = await attempt(job, definition.type, id, () => definition.store(context, item), {
        silent,
      });
      if (stored) definition.succeed?.(success, item);
      await definition.afterwards?.(context, item);
    }
  };
}

/** A list of one for a part that an org has or has not. */
export const maybe = <T>(item: T | undefined): readonly T[] => (item === undefined ? [] : [item]);
