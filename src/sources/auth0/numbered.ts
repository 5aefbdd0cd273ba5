/** Reads the records of a password or factor file, each with the number of its line. */
import type { Input } from '../../lib/input.ts';
import { positionOfLine } from '../../json/line-values.ts';
import { parseBatch, releaseElements } from '../elements.ts';
import type { RawElements } from '../source.ts';
import { expectKind, type RecordKind } from './record-kind.ts';
import { scanRecords } from './records.ts';

/** `line` is in a list the place, from 1. Throws `InputError` for a file that was given with the wrong flag. */
export async function readNumbered(
  inputs: readonly Input[],
  expected: RecordKind,
  take: (record: unknown, input: string, line: number) => void,
): Promise<void> {
  for (const input of inputs) {
    let last = 0;
    for await (const { elements, count } of scanRecords(input)) {
      const lineAt = numbersOf(elements, count, last);
      let place = 0;
      for (const record of parseBatch({ input: input.name, elements, context: undefined })) {
        if (last === 0) expectKind(input.name, record, expected);
        last = lineAt(place++);
        take(record, input.name, last);
      }
      releaseElements(elements);
    }
  }
}

function numbersOf(elements: RawElements, count: number, before: number): (place: number) => number {
  if (elements.form !== 'lines') return (place) => before + 1 + place;
  if (countLines(elements.bytes) === count) return (place) => elements.firstLine + place;
  return (place) => positionOfLine(elements, place).line;
}

/** Blank ones, too; the last one may lack its end. */
function countLines({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): number {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  let lines = bytes.at(-1) === 0x0a ? 0 : 1;
  for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) lines++;
  return lines;
}
