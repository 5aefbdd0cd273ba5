/** A file that goes with the users in, its records in batches out, each with a number that people can look up. */
import type { Input } from '../../lib/input.ts';
import { placeOfLine } from '../../lib/lines.ts';
import { parseBatch } from '../elements.ts';
import type { RawElements } from '../source.ts';
import { expectKind, type RecordKind } from './record-kind.ts';
import { readBatch, type RecordSink } from './quick-lines.ts';
import { scanRecords } from './records.ts';

/** A batch that the sink holds now. */
export interface NumberedBatch {
  readonly count: number;
  /** The line of the record at `place`, or in a list its place from 1. */
  numberOf(place: number): number;
  /** That of the last record. */
  readonly lastNumber: number;
}

/** Throws `InputError` for a file that was given with the wrong flag. */
export async function* scanNumbered(
  input: Input,
  expected: RecordKind,
  sink: RecordSink,
): AsyncGenerator<NumberedBatch> {
  let last = 0;
  for await (const { elements, count } of scanRecords(input)) {
    if (last === 0) {
      const [first] = parseBatch({ input: input.name, elements, context: undefined });
      expectKind(input.name, first, expected);
    }
    readBatch(input.name, elements, sink);
    const numberOf = numbering(elements, count, last);
    last = count === 0 ? last : numberOf(count - 1);
    yield { count, numberOf, lastNumber: last };
  }
}

function numbering(elements: RawElements, count: number, before: number): (place: number) => number {
  if (elements.form !== 'lines') return (place) => before + place + 1;
  const { firstLine, bytes } = elements;
  if (countLines(bytes) === count) return (place) => firstLine + place;
  const lines = Array.from({ length: count }, (_, place) => placeOfLine(elements, place).line);
  return (place) => lines[place] ?? firstLine;
}

/** Blank ones, too; the last one may lack its end. */
function countLines(bytes: Uint8Array): number {
  let lines = bytes.at(-1) === 0x0a ? 0 : 1;
  for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) lines++;
  return lines;
}
