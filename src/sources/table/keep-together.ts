/** Keeps the rows of one user in one batch, even if batches were cut between them. */
import { parseBatch, toLines } from '../elements.ts';
import { isSameUser, maxRows, type RowKey } from '../raw-record.ts';
import type { RawElements } from '../source.ts';

export async function* keepTogether(
  input: string,
  batches: AsyncIterable<RawElements>,
  key: RowKey,
): AsyncGenerator<RawElements> {
  let held: RawElements | undefined;
  for await (const next of batches) {
    const [first] = tryParse(input, next);
    const last = held === undefined ? undefined : [...tryParse(input, ending(held))].at(-1);
    if (held === undefined || !isSameUser(last, first, key)) {
      if (held !== undefined) yield held;
      held = next;
      continue;
    }
    const before = [...parseBatch({ input, elements: held })];
    const after = [...parseBatch({ input, elements: next })];
    const isOther = (value: unknown) => !isSameUser(last, value, key);
    const other = after.findIndex(isOther);
    const shared = other === -1 ? after.length : other;
    const own = before.length - 1 - before.findLastIndex(isOther) + shared;
    held = undefined;
    const rest = after.slice(shared);
    for (const part of [...toLines([...before, ...after.slice(0, shared)]), ...toLines(rest)]) {
      if (held !== undefined) yield held;
      held = part;
    }
    // The next batch may go on with the user, unless there are more rows than are joined.
    if (rest.length > 0 || own <= maxRows) continue;
    yield held!;
    held = undefined;
  }
  if (held !== undefined) yield held;
}

/** Yields the rows that can be read. The conversion of the batch reports the others. */
function* tryParse(input: string, elements: RawElements) {
  try {
    yield* parseBatch({ input, elements });
  } catch {
    // The batch is read again.
  }
}

const lineFeed = 0x0a;

/** Returns a part of the batch that contains its last row. */
function ending(elements: RawElements): RawElements {
  if (elements.form === 'lines') {
    const feed = elements.bytes.lastIndexOf(lineFeed, elements.bytes.length - 2);
    return { ...elements, bytes: elements.bytes.subarray(feed + 1) };
  }
  if (elements.form === 'rows') {
    const { bytes, cuts } = elements;
    return { ...elements, bytes: bytes.subarray(cuts.findLast((cut) => cut < bytes.length)), cuts: [] };
  }
  if (elements.form === 'elements') {
    const cut = elements.cuts.at(-1) ?? -1;
    return { ...elements, bytes: elements.bytes.subarray(cut + 1), cuts: [] };
  }
  if (elements.form === 'values') return { form: 'values', values: elements.values.slice(-1) };
  return elements;
}
