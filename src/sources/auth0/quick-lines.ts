/**
 * A batch of records in, what a join needs of each handed over, lines mostly without parsing them: several times
 * faster. A line with anything unusual about it is parsed, so that both ways always see the same records in the same
 * places.
 */
import { isUtf8 } from 'node:buffer';
import type { FieldReader } from '../../lib/json-fields.ts';
import { BrokenRecord, parseBatch } from '../elements.ts';
import type { RawElements } from '../source.ts';

/** Where the records of a batch go, one call a record. */
export interface RecordSink {
  readonly fields: FieldReader;
  /** Forgets all records: a batch begins, or begins again. */
  clear(): void;
  /** Takes what `fields` has found in these bytes, or says that it is not enough. */
  quick(bytes: Uint8Array): boolean;
  plain(record: unknown): void;
}

export function readBatch(input: string, elements: RawElements, sink: RecordSink): void {
  sink.clear();
  if (elements.form === 'lines' && readLines(elements, sink)) return;
  sink.clear();
  for (const record of parseBatch({ input, elements, context: undefined })) sink.plain(record);
}

/** False where the bytes are not UTF-8, or the lines are not those that were counted. */
function readLines(lines: RawElements & { form: 'lines' }, sink: RecordSink): boolean {
  const bytes = Buffer.from(lines.bytes.buffer, lines.bytes.byteOffset, lines.bytes.byteLength);
  if (!isUtf8(bytes)) return false;
  sink.fields.load(bytes);
  let count = 0;
  for (let start = 0; start < bytes.length;) {
    let end = sink.fields.readLine(start);
    if (end === -1 || !sink.quick(bytes)) {
      const feed = bytes.indexOf(0x0a, start);
      end = feed === -1 ? bytes.length : feed;
      const text = bytes.toString('utf8', start, end);
      if (text.trim() !== '') {
        sink.plain(parse(text));
        count++;
      }
    } else {
      count++;
    }
    start = end + 1;
  }
  return count === lines.count;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return new BrokenRecord('', '');
  }
}
