/** Writes only what went wrong, for schedulers that report all output. */
import type { Emit } from '../events.ts';
import { formatCount } from '../lib/quantity.ts';
import { formatNotice } from './lines.ts';
import type { Paint } from './paint.ts';
import { formatProblem } from './problem.ts';
import { formatQuietImportEnd } from './transfer.ts';
import { formatQuietUndoEnd } from './undone.ts';
import { formatQuietVerifyEnd } from './verified.ts';

export function createQuiet(print: (lines: readonly string[]) => void, width: number, paint: Paint): Emit {
  return (event) => {
    switch (event.type) {
      case 'notice':
        if (event.level === 'warning') print(formatNotice(event, width, paint));
        break;
      case 'run:end':
        if (event.tally.rejected > 0) {
          print([`${formatCount(event.tally.rejected)} of ${formatCount(event.tally.read)} users rejected`]);
        }
        break;
      case 'import:end':
        print(formatQuietImportEnd(event));
        break;
      case 'verify:end':
        print(formatQuietVerifyEnd(event));
        break;
      case 'undo:end':
        print(formatQuietUndoEnd(event));
        break;
      case 'problem':
        print(formatProblem(event, width, paint));
        break;
      default:
    }
  };
}
