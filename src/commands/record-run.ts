/** Records a run for its report. */
import type { Emit } from '../events.ts';
import type { Action } from './context.ts';

export interface Program {
  readonly version: string;
  /** The command as it was typed, without a token. */
  readonly typed: () => string;
}

/** The same command, but where a report is asked for, its run is recorded. */
export function withRecord<Options>(action: Action<Options>, { version, typed }: Program): Action<Options> {
  return async (options, context) => {
    if ((options as { readonly report?: string }).report === undefined) return action(options, context);
    const { createRunRecord } = await import('../flows/report/run-record.ts');
    const { cwd, clock } = context;
    const record = createRunRecord({ version, command: typed(), cwd, clock });
    const emit: Emit = (event) => {
      record.see(event);
      context.emit(event);
    };
    return action(options, { ...context, emit, record });
  };
}
