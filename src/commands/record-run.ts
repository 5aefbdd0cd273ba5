/** Records a run for its report. */
import type { Emit } from '../events.ts';
import { createRunRecord } from '../flows/report/run-record.ts';
import type { Action } from './context.ts';

export interface Program {
  readonly version: string;
  /** The command as it was typed, without a token. */
  readonly command: string;
}

/** The same command, but its run is recorded. */
export function withRecord<Options>(action: Action<Options>, program: Program): Action<Options> {
  return (options, context) => {
    const { cwd, clock } = context;
    const record = createRunRecord({ ...program, cwd, clock });
    const emit: Emit = (event) => {
      record.see(event);
      context.emit(event);
    };
    return action(options, { ...context, emit, record });
  };
}
