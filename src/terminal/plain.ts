/** Writes a run as lines of a log, with one line of progress a minute. */
import type { IdportEvent, WaitReason } from '../events.ts';
import type { Clock } from '../lib/clock.ts';
import { formatDemo } from './demo.ts';
import { formatNotice, formatNthRejection, formatStart } from './lines.ts';
import type { Paint } from './paint.ts';
import { formatProblem } from './problem.ts';
import { formatProgress } from './progress.ts';
import { follow, idle, type Shown } from './run-state.ts';
import { formatSummary } from './summary.ts';
import { formatExportEnd, formatImportEnd } from './transfer.ts';
import { formatUndoEnd } from './undone.ts';
import { formatVerifyEnd } from './verified.ts';

const betweenLinesMs = 60_000;

type EventOf<Type extends IdportEvent['type']> = Extract<IdportEvent, { type: Type }>;

/** What is shown in another way than as lines of a log. */
export interface OwnForms {
  readonly start: (event: EventOf<'run:start'>) => void;
  readonly rejection: (event: EventOf<'record:rejected'>, nth: number) => void;
  readonly problem: (event: EventOf<'problem'>) => void;
}

export interface PlainOutput {
  readonly print: (lines: readonly string[]) => void;
  readonly width: number;
  readonly paint: Paint;
}

export function createPlain(
  { print, width, paint }: PlainOutput,
  clock: Pick<Clock, 'monotonic'>,
  own?: OwnForms,
): (event: Shown) => void {
  let state = idle(clock.monotonic());
  let lastLineAt = state.startedAt;
  /** When each reason to wait was last told. */
  let toldWaits: Partial<Record<WaitReason, number>> = {};

  return (event) => {
    const now = clock.monotonic();
    state = follow(state, event, now);
    switch (event.type) {
      case 'run:start':
        lastLineAt = now;
        toldWaits = {};
        if (own === undefined) print([formatStart(event)]);
        else own.start(event);
        break;
      case 'run:progress':
      case 'tick':
        if (now - lastLineAt < betweenLinesMs) break;
        lastLineAt = now;
        print([formatProgress(state, now)]);
        break;
      case 'run:waiting':
        // The first wait for a reason is told at once.
        if (now - (toldWaits[event.reason] ?? Number.NEGATIVE_INFINITY) < betweenLinesMs) break;
        toldWaits[event.reason] = now;
        lastLineAt = now;
        print([formatProgress(state, now)]);
        break;
      case 'notice':
        print(formatNotice(event, width, paint));
        break;
      case 'record:rejected':
        if (own === undefined) print(formatNthRejection(event, state.rejected, width, paint));
        else own.rejection(event, state.rejected);
        break;
      case 'run:end':
        print(formatSummary(event, state, width, paint));
        break;
      case 'import:end':
        print(formatImportEnd(event, state, width, paint));
        break;
      case 'export:end':
        print(formatExportEnd(event, state, width, paint));
        break;
      case 'verify:end':
        print(formatVerifyEnd(event, state, width, paint));
        break;
      case 'undo:end':
        print(formatUndoEnd(event, width, paint));
        break;
      case 'demo:step':
      case 'demo:result':
      case 'demo:end':
        print(formatDemo(event, width, paint));
        break;
      case 'problem':
        if (own === undefined) print(formatProblem(event, width, paint));
        else own.problem(event);
        break;
      default:
    }
  };
}
