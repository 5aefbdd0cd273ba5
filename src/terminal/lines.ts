/** Formats single events as lines. */
import { inputName } from '../errors.ts';
import type { EventOf } from '../events.ts';
import { formatBytes, printable } from '../lib/format.ts';
import { noPaint, type Paint } from './paint.ts';
import { wrap, wrapMarked } from './text.ts';

/** Number of rejected records that are shown one by one. The report and the rejects file list all of them. */
export const shownRejections = 10;

export function formatStart(event: EventOf<'run:start'>) {
  const inputs =
    event.inputs.length > 3 ? `${event.inputs.length} inputs` : event.inputs.map(inputName).join(', ');
  const size = event.bytes === undefined ? '' : ` (${formatBytes(event.bytes)})`;
  return printable(`idport ${event.verb}${inputs === '' ? '' : `: ${inputs}`}${size}`);
}

export function formatNotice(event: EventOf<'notice'>, width: number, paint: Paint) {
  const [head, mark] =
    event.level === 'warning' ? (['warning: ', paint.warning] as const) : (['note: ', paint.faint] as const);
  return wrapMarked(head, mark, printable(event.text), width);
}

/** Returns `rejected: users.json #12 mia (4711): record:malformed, email is a number`. */
export function formatRejection(event: EventOf<'record:rejected'>, width: number, paint: Paint = noPaint) {
  const { place, code, detail } = event;
  const { userName = '' } = place;
  const name = userName === '' ? '' : ` ${userName}`;
  const id = place.id === '' || place.id === userName ? '' : ` (${place.id})`;
  const text = `${inputName(place.input)} #${place.index + 1}${name}${id}: ${code}${detail === '' ? '' : `, ${detail}`}`;
  return wrapMarked('rejected: ', paint.bad, printable(text), width);
}

/** Formats the n-th rejection: each one up to the limit, then one line that says there are more. */
export function formatNthRejection(
  event: EventOf<'record:rejected'>,
  nth: number,
  width: number,
  paint: Paint,
) {
  if (nth <= shownRejections) return formatRejection(event, width, paint);
  if (nth === shownRejections + 1) {
    return wrap('further rejections are not shown here; --report=<file> lists all', width);
  }
  return [];
}
