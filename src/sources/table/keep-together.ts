/** Keeps the rows of one user in one batch, even if batches were cut between them. */
import { parseBatch, releaseElements } from '../elements.ts';
import { isSameUser, maxRows, type RowKey } from '../raw-record.ts';
import type { RawElements } from '../source.ts';

export async function* keepTogether(input: string, batches: AsyncIterable<RawElements>, key: RowKey) {
  let held: RawElements | undefined;
  for await (const next of batches) {
    const more = [...(held?.more ?? [])];
    const last = more.at(-1) ?? (held && [...tryParse(input, ending(held))].at(-1));
    const before = more.length;
    let isSame = false;
    for (const row of tryParse(input, next)) {
      isSame = isSameUser(last, row, key);
      if (!isSame) break;
      more.push(row);
    }
    if (held !== undefined && more.length > before) held = { ...held, more };
    // The next batch may go on with the user, unless there are more rows than are joined.
    if (isSame) releaseElements(next);
    if (isSame && more.length <= maxRows) continue;
    if (held !== undefined) yield held;
    held = isSame ? undefined : { ...next, skip: more.length - before };
  }
  if (held !== undefined) yield held;
}

/** Yields the rows that can be read. The conversion of the batch reports the others. */
function* tryParse(input: string, elements: RawElements) {
  try {
    yield* parseBatch({ input, elements });
  } catch {
    // The batch is read again.
    yield undefined;
  }
}

const lineFeed = 0x0a;

/** Returns a part of the batch that contains its last row. */
function ending(elements: RawElements): RawElements {
  if (elements.form === 'broken') return elements;
  if (elements.form === 'values') return { form: 'values', values: elements.values.slice(-1) };
  const { bytes } = elements;
  const part = (start: number) => ({ bytes: bytes.subarray(start), skip: 0 });
  if (elements.form === 'lines')
    return { ...elements, ...part(bytes.lastIndexOf(lineFeed, bytes.length - 2) + 1) };
  const cut = elements.cuts.findLast((at) => at < bytes.length) ?? 0;
  return { ...elements, ...part(elements.form === 'rows' || cut === 0 ? cut : cut + 1), cuts: [] };
}
