/**
 * Cuts newline-delimited JSON into batches of whole lines without parsing them (see `parseLines` for that). A batch has
 * exactly the bytes of the input, so that offsets in it can be reported.
 */
import { type ElementBatch, ElementBatches, type LongElement, maxRecordBytes } from './element-batches.ts';

export interface LineOptions {
  /** A batch ends with the first line that reaches this size. */
  readonly batchBytes?: number;
  /** A longer line is reported as a `LongLine` and skipped. */
  readonly maxLineBytes?: number;
}

/** Whole lines. */
export interface LineBatch extends ElementBatch {
  readonly kind: 'lines';
  /** Number of the first line, from 1, counting blank lines. */
  readonly firstLine: number;
}

/** A line longer than `maxLineBytes`. */
export interface LongLine extends LongElement {
  readonly kind: 'long';
  readonly line: number;
}

const defaultBatchBytes = 128 * 1024;
const lineFeed = 0x0a;

/** Lines end with LF; a CR before it is white space. Blank lines are part of a batch but not records. */
export async function* scanLines(
  blocks: AsyncIterable<Uint8Array>,
  { batchBytes = defaultBatchBytes, maxLineBytes = maxRecordBytes }: LineOptions = {},
): AsyncGenerator<LineBatch | LongLine> {
  const items: (LineBatch | LongLine)[] = [];
  let line = 1;
  /** Of the batch; 0 where it has none yet. */
  let firstLine = 0;
  const batches = new ElementBatches(batchBytes, maxLineBytes, {
    batch: (batch) => {
      items.push({ kind: 'lines', ...batch, firstLine });
      firstLine = 0;
    },
    long: (element) => {
      items.push({ kind: 'long', ...element, line });
      firstLine = 0;
    },
    // A line that is broken costs only itself.
    check: () => undefined,
  });
  batches.holdsRecords = true;
  let isInside = false;
  let isBlank = true;
  let base = 0;
  const end = (at: number) => {
    if (!isBlank) batches.endElement(at);
    else if (batches.cancel()) firstLine = 0;
    isInside = false;
    isBlank = true;
    line++;
  };
  for await (const block of blocks) {
    batches.enter(block, base);
    for (let at = 0; at < block.length;) {
      if (!isInside) {
        batches.begin(at);
        isInside = true;
        if (firstLine === 0) firstLine = line;
      }
      const feed = block.indexOf(lineFeed, at);
      const next = feed === -1 ? block.length : feed + 1;
      isBlank &&= isBlankLine(block, at, next);
      if (feed !== -1) end(next);
      at = next;
    }
    // Behind an unfinished line there is no end of a text to be known.
    batches.keep(isInside, isInside);
    base += block.length;
    yield* items.splice(0);
  }
  batches.enter(new Uint8Array(0), base);
  if (isInside) end(0);
  batches.flush();
  yield* items;
}

/** Whether `bytes[start, end)` is white space only. */
export function isBlankLine(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte !== 0x20 && byte !== 0x0d && byte !== 0x09 && byte !== lineFeed) return false;
  }
  return true;
}
