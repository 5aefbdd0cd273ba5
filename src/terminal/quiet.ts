/** Writes only what went wrong, for schedulers that report all output. */
import type { Emit, IdportEvent } from '../events.ts';
import { formatCount, formatCounted } from '../lib/format.ts';
import { outcomeRows, undoOutcomes, verifyOutcomes } from '../records/outcomes.ts';
import { nameOfList, type Row } from '../records/sections.ts';
import { sumOf } from '../records/tally.ts';
import { formatNotice, formatProblem } from './format-event.ts';
import type { Paint } from './paint.ts';

export function createQuiet(print: (lines: readonly string[]) => void, width: number, paint: Paint): Emit {
  return (event) => {
    if (event.type === 'problem') return print(formatProblem(event, width, paint));
    if (event.type === 'notice' && event.level === 'warning') return print(formatNotice(event, width, paint));
    const troubles = troublesOf(event);
    if (troubles.length > 0) print([troubles.join(', ')]);
  };
}

function troublesOf(event: IdportEvent) {
  switch (event.type) {
    case 'run:end': {
      const { tally } = event;
      const others = Array.from(tally.others, ([list, counts]) => ({ ...counts, what: nameOfList(list, 2) }));
      const rows = [{ ...tally, what: 'users' }, ...others].flatMap(({ rejected, read, what }) =>
        rejected === 0 ? [] : [`${formatCount(rejected)} of ${formatCount(read)} ${what} rejected`],
      );
      // `idport jit` checks the hashes of the others.
      const lost = sumOf(tally.dropped) - (tally.signIn.get('first-login') ?? 0);
      return lost > 0
        ? [...rows, `${formatCounted(lost, 'password hash', 'password hashes')} left out`]
        : rows;
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

const badRows = (rows: readonly Row[]) =>
  rows
    .filter(({ tone = 'good' }) => tone !== 'good')
    .map(({ count = 0, text }) => `${formatCount(count)} ${text}`);
