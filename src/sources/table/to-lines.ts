/** Writes values as a batch of JSON lines, which can change threads; a broken record is a batch of its own. */
import { BrokenRecord } from '../broken-record.ts';
import type { RawElements } from '../source.ts';

/** `write` gives the text of a value, or what is wrong with it. */
export function* toLines(
  values: Iterable<unknown>,
  write: (value: unknown) => string | { readonly problem: string } = lineOf,
): Generator<RawElements> {
  let lines: string[] = [];
  const take = (): RawElements => {
    const text = lines.join('\n');
    const count = lines.length;
    lines = [];
    return { form: 'lines', bytes: new TextEncoder().encode(text), offset: 0, firstLine: 1, count };
  };
  for (const value of values) {
    const line = value instanceof BrokenRecord ? value : write(value);
    if (typeof line === 'string') {
      lines.push(line);
      continue;
    }
    if (lines.length > 0) yield take();
    yield { form: 'broken', ...(line instanceof BrokenRecord ? line.broken : line) };
  }
  if (lines.length > 0) yield take();
}

/** The JSON of a value, or what is wrong with it. */
export function lineOf(value: unknown): string | { readonly problem: string } {
  try {
    return JSON.stringify(value);
  } catch {
    return { problem: 'it is nested too deeply' };
  }
}
