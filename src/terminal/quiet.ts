/** Writes only what went wrong, for schedulers that report all output. */
import type { Emit, IdportEvent } from '../events.ts';
import { formatCount, formatCounted } from '../lib/quantity.ts';
import { outcomeRows, undoOutcomes, verifyOutcomes } from '../records/outcomes.ts';
import type { Row } from '../records/sections.ts';
import { formatNotice } from './lines.ts';
import type { Paint } from './paint.ts';
import { formatProblem } from './problem.ts';

export function createQuiet(print: (lines: readonly string[]) => void, width: number, paint: Paint): Emit {
  return (event) => {
    if (event.type === 'problem') return print(formatProblem(event, width, paint));
    if (event.type === 'notice' && event.level === 'warning') return print(formatNotice(event, width, paint));
    const troubles = troublesOf(event);
    if (troubles.length > 0) print([troubles.join(', ')]);
  };
}

function troublesOf(event: IdportEvent): string[] {
  switch (event.type) {
    case 'run:end': {
      const { rejected, read } = event.tally;
      return rejected === 0 ? [] : [`${formatCount(rejected)} of ${formatCount(read)} users rejected`];
    }
    case 'import:end': {
      const lost = event.lists.reduce((sum, { failed, rejected }) => sum + failed + rejected, 0);
      const total = event.lists.reduce((sum, list) => sum + list.total, 0);
      return lost === 0 ? [] : [`${formatCount(lost)} of ${formatCount(total)} entries were not imported`];
    }
    case 'verify:end': {
      const refused = event.logins.tried - event.logins.succeeded;
      const logins = refused > 0 ? [`${formatCounted(refused, 'login')} refused`] : [];
      return [...badRows(outcomeRows(verifyOutcomes, event.users)), ...logins];
    }
    case 'undo:end':
      return badRows(outcomeRows(undoOutcomes, event.users));
    default:
      return [];
  }
}

const badRows = (rows: readonly Row[]): string[] =>
  rows
    .filter(({ tone = 'good' }) => tone !== 'good')
    .map(({ count = 0, text }) => `${formatCount(count)} ${text}`);
