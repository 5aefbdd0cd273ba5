/**
 * Cuts newline-delimited JSON into batches of whole lines without parsing them (`parseLines` does that). A batch has exactly the
 * bytes of the input, so that offsets in it can be reported.
 */
import { type ElementBatch, ElementBatches, type LongElement, maxRecordBytes } from './element-batches.ts';

export interface LineOptions {
  /** A batch ends with the first line that reaches this size. */
  readonly batchBytes?: number;
  /** A longer line is reported as a `LongLine` and skipped. */
  readonly maxLineBytes?: number;
}

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

/** Lines end with LF. A CR before it is white space. Blank lines are part of a batch but are not records. */
export async function* scanLines(
  blocks: AsyncIterable<Uint8Array>,
  { batchBytes = defaultBatchBytes, maxLineBytes = maxRecordBytes }: LineOptions,
): AsyncGenerator<LineBatch | LongLine> {
  const items: (LineBatch | LongLine)[] = [];
  let line = 1;
  /** First line of the batch; 0 while it has none. */
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
    // A broken line affects only itself.
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
    // Inside an unfinished line, the end of a string is not known.
    batches.keep(isInside, isInside);
    base += block.length;
    yield* items.splice(0);
  }
  batches.enter(new Uint8Array(0), base);
  if (isInside) end(0);
  batches.flush();
  yield* items;
}

/** Reports whether `bytes[start, end)` is only white space. */
export function isBlankLine(bytes: Uint8Array, start: number, end: number) {
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte !== 0x20 && byte !== 0x0d && byte !== 0x09 && byte !== lineFeed) return false;
  }
  return true;
}
