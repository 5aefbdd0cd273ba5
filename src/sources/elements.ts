/** Turns batches of the scanners in json/ into raw elements, raw elements into values, and values into JSON lines. */
import { batchMemory } from '../lib/batch-memory.ts';
import {
  type ElementBatch,
  type LongElement,
  maxPlainBytes,
  maxRecordBytes,
  maxRecordValues,
} from '../json/element-batches.ts';
import { JsonSyntaxError } from '../json/error.ts';
import { parseElements } from '../json/parse.ts';
import { type Line, linesIn, parseLines } from '../json/line-values.ts';
import { isText, keepDigits, tryParseJson } from '../lib/json-value.ts';
import { type ScanItem, scanJson } from '../json/scan.ts';
import { scanLines } from '../json/lines.ts';
import { BrokenRecord, joinRepeats } from './raw-record.ts';
import { parseRows } from './rows.ts';
import type { RawBatch, RawElements } from './source.ts';

export function elementsOf({ bytes, offset, cuts, count }: ElementBatch): RawElements {
  return { form: 'elements', bytes, offset, cuts, count };
}

/** Returns the raw elements of a `scanJson` item that has records. */
export const recordsOf = (item: ScanItem & { kind: 'batch' | 'long' }): RawElements =>
  item.kind === 'long' ? longElement(item) : elementsOf(item);

type Elements = RawElements & { form: 'elements' };
type Batch = Pick<RawBatch, 'input' | 'elements' | 'rowKey' | 'joined'>;

export const usualBatchBytes = 128 * 1024;

/** Yields records from a file with one record per line. */
export async function* scanLineElements(
  blocks: AsyncIterable<Uint8Array>,
  batchBytes = usualBatchBytes,
): AsyncGenerator<RawElements> {
  for await (const item of scanLines(blocks, { batchBytes })) {
    if (item.kind === 'long') yield longElement(item, `line ${item.line}, `);
    else {
      const { bytes, offset, firstLine, count } = item;
      yield { form: 'lines', bytes, offset, firstLine, count };
    }
  }
}

/** Yields records from a file with one JSON value after the other. */
export async function* scanValueElements(
  name: string,
  blocks: AsyncIterable<Uint8Array>,
  batchBytes = usualBatchBytes,
) {
  for await (const item of scanJson(name, blocks, { arrays: 'values', batchBytes, records: true }))
    if (item.kind === 'batch' || item.kind === 'long') yield recordsOf(item);
}

function longElement({ offset, length, head, values }: LongElement, line = ''): RawElements {
  const text = Buffer.from(head).toString('utf8');
  const excess =
    values === undefined
      ? `${length} bytes; a record may have ${maxPlainBytes}, ${maxRecordBytes} with long texts`
      : `${values} values; a record may have ${maxRecordValues}`;
  return {
    form: 'broken',
    problem: `${line}byte ${offset}: ${excess}`,
    id: firstName(text),
    code: 'record:too-large',
  };
}

/** Returns the first value of a key that usually holds a user's name or ID. */
function firstName(text: string) {
  const [, quoted = '""'] =
    /"(?:user_?name|user_?id|preferred_username|email|_?id|\$oid)"\s*:\s*("(?:[^"\\]|\\.)*")/i.exec(text) ??
    [];
  const name = tryParseJson(quoted);
  return isText(name) ? name : '';
}

/** Returns the buffers, which nothing else uses. They can move to another thread without a copy, and be reused. */
export function buffersOf(elements: RawElements) {
  return 'bytes' in elements ? [elements.bytes.buffer] : [];
}

/** Releases the memory of elements for other batches. */
export function releaseElements(elements: RawElements) {
  for (const buffer of buffersOf(elements)) batchMemory.release(buffer);
}

/**
 * Returns the values of a batch, with a `BrokenRecord` for each line that could not be read. If the input is broken,
 * iteration throws `InputError` after the last value that can be read.
 */
export function parseBatch({ input, elements, rowKey, joined }: Batch): Iterable<unknown> {
  const own = valuesOf(input, elements);
  const whole = elements.skip === undefined ? own : moved(own, elements);
  const values = joined === undefined ? whole : addMembers(whole, joined);
  return rowKey === undefined ? values : joinRepeats(values, rowKey);
}

function* addMembers(values: Iterable<unknown>, joined: string) {
  const lines = joined.split('\n');
  let place = 0;
  for (const value of values) {
    const line = lines[place++]!;
    yield line === '{}' ? value : Object.assign(value as object, JSON.parse(line));
  }
}

/** Parses the batch again for the source's own records, which go to the rejects file. */
export function quoteBatch(batch: Batch): (place: number) => unknown {
  let values: readonly unknown[] | undefined;
  return (place) => {
    values ??= [...parseBatch({ ...batch, elements: withDigits(batch.elements) })];
    const value = values[place];
    return value instanceof BrokenRecord ? (value.broken.text ?? '') : value;
  };
}

function withDigits(elements: RawElements): RawElements {
  if (elements.form !== 'elements' && elements.form !== 'lines') return elements;
  const bytes = Buffer.from(keepDigits(Buffer.from(elements.bytes).toString('latin1')), 'latin1');
  return elements.form === 'lines' ? { ...elements, bytes } : { ...elements, bytes, cuts: [] };
}

/** Leaves out the first values, and adds those of the next batch. */
function* moved(values: Iterable<unknown>, { skip = 0, more = [] }: RawElements) {
  let place = 0;
  for (const value of values) if (place++ >= skip) yield value;
  yield* more;
}

function valuesOf(input: string, elements: RawElements): Iterable<unknown> {
  switch (elements.form) {
    case 'values':
      return elements.values;
    case 'broken':
      return [new BrokenRecord(elements)];
    case 'lines':
      return readLines(elements);
    case 'rows':
      return parseRows(input, elements);
    case 'elements':
      return readElements(input, elements);
  }
}

function* readLines(elements: RawElements & { form: 'lines' }) {
  let lines: readonly Line[] | undefined;
  let place = 0;
  for (const value of parseLines(elements)) {
    yield value instanceof JsonSyntaxError
      ? explainLine((lines ??= linesIn(elements))[place]!, value, elements)
      : value;
    place++;
  }
}

function* readElements(input: string, { bytes, cuts, offset }: Elements) {
  try {
    yield* parseElements(bytes, cuts);
  } catch (error) {
    throw error instanceof JsonSyntaxError ? error.toInputError(input, offset) : error;
  }
}

function explainLine(
  { bytes, offset, line }: Line,
  broken: JsonSyntaxError,
  batch: RawElements & { form: 'lines' },
) {
  const isLast = offset + bytes.length === batch.offset + batch.bytes.length;
  return new BrokenRecord({
    code: isLast && broken.code === 'input:truncated' ? 'record:cut-off' : undefined,
    problem: `line ${line}, byte ${offset + broken.offset}: ${broken.problem}`,
    text: Buffer.from(bytes).toString('utf8'),
  });
}
