/**
 * A running bulk import: what it reports, how much time is left, and how an entry of each kind is stored and reported.
 * For each kind, `wire/org-entries.ts` has the type and id that errors show.
 */
import { setImmediate } from 'node:timers/promises';
import { type DataOrg, importDataSuccessOrg, type ImportDataError } from '../../wire/import.ts';
import { grpcCodes } from '../../wire/errors.ts';
import { kindOf } from '../../wire/org-entries.ts';
import type { OrgRow } from '../store/rows.ts';
import type { Output } from '../../wire/message.ts';
import type { ServerState } from '../method.ts';
import { refusal, ServiceError, unknownError } from '../errors.ts';

/** An import while it processes one organization. */
export interface StepContext extends ImportJob {
  readonly orgId: string;
  readonly data: DataOrg;
  /** Returns the current row of the organization. */
  readonly org: () => OrgRow;
}

/** Names of the lists of an organization. */
type ListName = keyof {
  [Name in keyof DataOrg as DataOrg[Name] extends readonly unknown[] ? Name : never]: unknown;
};
type ItemOf<Name extends ListName> = DataOrg[Name] extends readonly (infer Item)[] ? Item : never;

interface StepDefinition<Item> {
  readonly store: (context: StepContext, item: Item) => unknown;
  /** The list of the answer that reports each stored entry, if its name is another. */
  readonly succeed?: Exclude<keyof SuccessOrg, 'orgId'>;
  /** Returns what is reported. Otherwise it is the id, as in errors, or the fields. */
  readonly report?: (item: Item, success: SuccessOrg) => unknown;
  /** Errors are not reported, as in the service. */
  readonly silent?: boolean;
  /** Each entry costs `secondsPerUser`. */
  readonly isUser?: boolean;
  /** Runs after each entry, whether or not it was stored. */
  readonly afterwards?: (context: StepContext, item: Item, stored: boolean) => Promise<void>;
}

/** Number of entries between two pauses for other requests. */
const pauseEvery = 500;

/** By list, what is done with each entry. */
export type StepDefinitions = { readonly [Name in ListName]?: StepDefinition<ItemOf<Name>> };

/** Runs all entries of one kind of one organization. */
export type Step = (context: StepContext, success: SuccessOrg) => Promise<void>;

export function step(list: ListName, definition: StepDefinition<never>): Step {
  const { store, succeed = list, report, silent = false, isUser = false, afterwards } = definition;
  const { types, idOf } = kindOf(list);
  // Texts have none.
  const answer = importDataSuccessOrg.plan.byName.get(succeed);
  return async (context, success) => {
    let done = 0;
    const items: readonly unknown[] = context.data[list];
    for (const item of items as readonly never[]) {
      if (++done % pauseEvery === 0) await setImmediate();
      context.spend(isUser ? context.settings.secondsPerUser : 0);
      const id = idOf(item, context.orgId);
      const stored = await attempt(context, types[0]!, id, () => store(context, item), silent);
      if (stored && answer !== undefined) {
        const reported = report?.(item, success) ?? (answer.kind === 'message' ? item : id);
        (success[succeed as keyof SuccessOrg] as unknown[]).push(...[reported].flat());
      }
      await afterwards?.(context, item, stored);
    }
  };
}

type SuccessOrg = Output<typeof importDataSuccessOrg>;
export interface ImportJob extends ServerState {
  /** User who imports. Becomes the owner of new organizations. */
  readonly editor: string;
  /** The organization of the request. Undefined for a seed, whose texts stay in their own. */
  readonly textsTo: string | undefined;
  readonly errors: ImportDataError[];
  readonly orgs: SuccessOrg[];
  /** Throws when the time is spent, which ends the import. Called before every step that would touch the database. */
  readonly spend: (seconds: number) => void;
}

/**
 * Counts real time, plus the seconds that the settings charge for each user. A proxy in front of the service may cut
 * first.
 */
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
      ? unknownError('context deadline exceeded')
      : new ServiceError(grpcCodes.deadlineExceeded, 'upstream request timeout');
  };
}

/** Runs one entry and returns whether it succeeded. A refusal becomes an entry of the answer. */
export async function attempt(job: ImportJob, type: string, id: string, work: () => unknown, silent = false) {
  try {
    await work();
    return true;
  } catch (error) {
    const known = error instanceof ServiceError ? error : refusal('RECOVER');
    if (known !== error) job.settings.log(`import: ${type} ${id}: unexpected: ${(error as Error).message}`);
    if (!silent) job.errors.push({ type, id, message: known.message });
    return false;
  }
}
