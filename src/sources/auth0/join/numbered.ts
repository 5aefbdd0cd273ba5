/** Reads the records of a password or factor file in batches, each with its line number. */
import type { Input } from '../../../lib/input.ts';
import { positionOfLine } from '../../../json/line-values.ts';
import { parseBatch } from '../../elements.ts';
import type { RawElements } from '../../source.ts';
import { expectKind, type RecordKind } from '../record-kind.ts';
import { scanRecords } from '../records.ts';

export interface NumberedBatch {
  readonly input: string;
  readonly elements: RawElements;
  readonly numbers: Numbers;
}

/** The line of each record, or in a list its place from 1. */
export interface Numbers {
  readonly first: number;
  readonly last: number;
  /** By place; absent where they follow each other. */
  readonly all?: readonly number[];
}

export function numberAt({ first, all }: Numbers, place: number): number {
  return all?.[place] ?? first + place;
}

/** Throws `InputError` for a file that was given with the wrong flag. */
export async function* scanNumbered(input: Input, expected: RecordKind): AsyncGenerator<NumberedBatch> {
  let last = 0;
  for await (const { elements, count } of scanRecords(input)) {
    if (last === 0) {
      const [first] = parseBatch({ input: input.name, elements, context: undefined });
      expectKind(input.name, first, expected);
    }
    const numbers = numbersOf(elements, count, last);
    last = numbers.last;
    yield { input: input.name, elements, numbers };
  }
}

function numbersOf(elements: RawElements, count: number, before: number): Numbers {
  if (count === 0) return { first: before, last: before };
  if (elements.form !== 'lines') return { first: before + 1, last: before + count };
  const { firstLine, bytes } = elements;
  if (countLines(bytes) === count) return { first: firstLine, last: firstLine + count - 1 };
  const all = Array.from({ length: count }, (_, place) => positionOfLine(elements, place).line);
  return { first: all[0]!, last: all.at(-1)!, all };
}

/** Blank ones, too; the last one may lack its end. */
function countLines({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): number {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  let lines = bytes.at(-1) === 0x0a ? 0 : 1;
  for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) lines++;
  return lines;
}
