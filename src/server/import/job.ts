/** A running bulk import: what it reports, who runs it, and how much of its time is left. */
import type { Output } from '../../wire/message.ts';
import type { importDataSuccessOrg, ImportDataError } from '../../wire/import.ts';
import type { ServerState } from '../context.ts';
import { entryText, panicked, ServiceError } from '../errors.ts';

export type SuccessOrg = Output<typeof importDataSuccessOrg>;

export interface ImportJob extends ServerState {
  /** Who imports: becomes owner of the orgs that are made. */
  readonly editor: string;
  readonly errors: ImportDataError[];
  readonly orgs: SuccessOrg[];
  /** Throws `TimeIsUp` when the budget is spent; asked before every step that would touch the database. */
  readonly spend: (seconds: number) => void;
}

/** The import stops where it is; what it did so far stays. */
export class TimeIsUp extends Error {
  override readonly name = 'TimeIsUp';
  /** Who cut it: the timeout of the request, or what stands before the service. */
  readonly by: 'timeout' | 'proxy';

  constructor(by: 'timeout' | 'proxy') {
    super('context deadline exceeded');
    this.by = by;
  }
}

/** Counts real time, and the seconds that each user is said to cost. */
export function createBudget(state: ServerState, timeoutMs: number): (seconds: number) => void {
  const { clock, cutAfterSeconds } = state.settings;
  const start = clock.monotonic();
  const cut = cutAfterSeconds === 0 ? Infinity : cutAfterSeconds * 1000;
  let counted = 0;
  return (seconds) => {
    counted += seconds * 1000;
    const spent = clock.monotonic() - start + counted;
    if (spent >= Math.min(timeoutMs, cut)) throw new TimeIsUp(timeoutMs <= cut ? 'timeout' : 'proxy');
  };
}

/** Runs one entry; a refusal becomes an entry of the answer. True when it went through. */
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
    if (!silent) job.errors.push({ type, id, message: entryText(known) });
    return false;
  }
}
