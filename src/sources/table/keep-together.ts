/** Rows of one user may stand on both sides of a cut between batches: they are handed out in one. */
import { parseBatch } from '../elements.ts';
import { isSameUser, type RowKey } from '../repeated-rows.ts';
import type { RawElements } from '../source.ts';
import { toLines } from './to-lines.ts';

/** A batch as it was cut, or the values that are left of one. */
type Held = RawElements | readonly unknown[];

export async function* keepTogether(
  input: string,
  batches: AsyncIterable<RawElements>,
  key: RowKey,
): AsyncGenerator<RawElements> {
  const valuesOf = (held: Held): readonly unknown[] =>
    isValues(held) ? held : [...parseBatch({ input, elements: held })];
  let held: Held = [];
  for await (const next of batches) {
    if (!isSameUser(lastOf(input, held), firstOf(input, next), key)) {
      yield* handOut(held);
      held = next;
      continue;
    }
    const before = valuesOf(held);
    const after = valuesOf(next);
    const other = after.findIndex((value) => !isSameUser(before.at(-1), value, key));
    const shared = other === -1 ? after.length : other;
    yield* toLines([...before, ...after.slice(0, shared)]);
    held = after.slice(shared);
  }
  yield* handOut(held);
}

function isValues(held: Held): held is readonly unknown[] {
  return Array.isArray(held);
}

function* handOut(held: Held): Generator<RawElements> {
  if (isValues(held)) yield* toLines(held);
  else yield held;
}

function firstOf(input: string, elements: RawElements): unknown {
  for (const value of tryParse(input, beginning(elements))) return value;
  return undefined;
}

function lastOf(input: string, held: Held): unknown {
  return isValues(held) ? held.at(-1) : [...tryParse(input, ending(held))].at(-1);
}

/** Without those that cannot be read: who converts the batch says so. */
function* tryParse(input: string, elements: RawElements): Generator {
  try {
    yield* parseBatch({ input, elements });
  } catch {
    // The batch is read again.
  }
}

const lineFeed = 0x0a;

/** A part with the first of the elements. */
function beginning(elements: RawElements): RawElements {
  if (elements.form === 'lines') {
    const feed = elements.bytes.indexOf(lineFeed);
    return feed === -1 ? elements : { ...elements, bytes: elements.bytes.subarray(0, feed) };
  }
  if (elements.form === 'elements')
    return { ...elements, bytes: elements.bytes.subarray(0, elements.cuts[0]), cuts: [] };
  return elements;
}

/** A part with the last of them. */
function ending(elements: RawElements): RawElements {
  if (elements.form === 'lines') {
    const feed = elements.bytes.lastIndexOf(lineFeed, elements.bytes.length - 2);
    return { ...elements, bytes: elements.bytes.subarray(feed + 1) };
  }
  if (elements.form === 'rows')
    return { ...elements, bytes: elements.bytes.subarray(elements.lastRow), cuts: [] };
  if (elements.form === 'elements') {
    const cut = elements.cuts.at(-1) ?? -1;
    return { ...elements, bytes: elements.bytes.subarray(cut + 1), cuts: [] };
  }
  if (elements.form === 'values') return { form: 'values', values: elements.values.slice(-1) };
  return elements;
}
