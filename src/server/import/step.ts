/**
 * A running bulk import: what it reports, how much time is left, and how one kind of entry is stored and reported.
 * `wire/org-entries.ts` has the type and id of each kind in errors.
 */
import { setImmediate } from 'node:timers/promises';
import type { DataOrg, importDataSuccessOrg, ImportDataError } from '../../wire/import.ts';
import { grpcCodes } from '../../wire/errors.ts';
import { kindOf } from '../../wire/org-entries.ts';
import type { OrgRow } from '../store/rows.ts';
import type { Output } from '../../wire/message.ts';
import type { ServerState } from '../method.ts';
import { panicked, ServiceError } from '../errors.ts';

/** An import at one organization. */
export interface StepContext extends ImportJob {
  readonly orgId: string;
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
  /** The list of the answer that gets the id of each entry, as errors have it, or the report of one. */
  readonly succeed?: IdList | ((success: SuccessOrg, item: Item) => void);
  /** Errors are not reported, as in the service. */
  readonly silent?: boolean;
  /** An entry costs the seconds of a user. */
  readonly isUser?: boolean;
  /** A further step with the same entry, whether it was stored or not. */
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
    let done = 0;
    for (const item of context.data[list] as unknown as readonly ItemOf<Name>[]) {
      if (++done % pauseEvery === 0) await setImmediate();
      context.spend(isUser ? context.settings.secondsPerUser : 0);
      const id = idOf(item as Readonly<Record<string, unknown>>, context.orgId);
      const stored = await attempt(context, types[0]!, id, () => store(context, item), silent);
      if (typeof succeed === 'function') {
        if (stored) succeed(success, item);
      } else if (stored && succeed !== undefined) success[succeed].push(id);
      await afterwards?.(context, item, stored);
    }
  };
}

type SuccessOrg = Output<typeof importDataSuccessOrg>;
type IdList = keyof {
  [Name in keyof SuccessOrg as SuccessOrg[Name] extends string[] ? Name : never]: unknown;
};

export interface ImportJob extends ServerState {
  /** Who imports: becomes owner of the orgs that are made. */
  readonly editor: string;
  readonly errors: ImportDataError[];
  readonly orgs: SuccessOrg[];
  /** Throws `TimeIsUp` when the budget is spent; asked before every step that would touch the database. */
  readonly spend: (seconds: number) => void;
}

/** Stops the import; what was stored so far stays. */
class TimeIsUp extends ServiceError {}

/** Counts real time, and the seconds that the settings charge for each user. A proxy before the service may cut first. */
export function createBudget(state: ServerState, timeoutMs: number): (seconds: number) => void {
  const { clock, cutAfterSeconds } = state.settings;
  const start = clock.monotonic();
  const cut = cutAfterSeconds === 0 ? Infinity : cutAfterSeconds * 1000;
  let counted = 0;
  return (seconds) => {
    counted += seconds * 1000;
    const spent = clock.monotonic() - start + counted;
    if (spent < Math.min(timeoutMs, cut)) return;
    throw timeoutMs <= cut
      ? new TimeIsUp(grpcCodes.unknown, 'context deadline exceeded', { id: '' })
      : new TimeIsUp(grpcCodes.deadlineExceeded, 'upstream request timeout');
  };
}

/** Runs one entry; a refusal becomes an entry of the answer. True when it succeeded. */
export async function attempt(
  job: ImportJob,
  type: string,
  id: string,
  work: () => unknown,
  silent = false,
): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof TimeIsUp) throw error;
    const known = error instanceof ServiceError ? error : panicked();
    if (known !== error) {
      const text = error instanceof Error ? error.message : String(error);
      job.settings.log(`import: ${type} ${id}: unexpected: ${text}`);
    }
    if (!silent) job.errors.push({ type, id, message: known.message });
    return false;
  }
}
