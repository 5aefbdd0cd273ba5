/** Reads an Auth0 file of any form as batches of raw records, in order. */
import { InputError } from '../../errors.ts';
import { withHead } from '../../lib/head.ts';
import type { Input } from '../../lib/input.ts';
import { type ScanItem, type ScanOptions, scanJson } from '../../json/scan.ts';
import { scanLines } from '../../json/lines.ts';
import { lineElements, recordsOf } from '../elements.ts';
import type { RawElements } from '../source.ts';
import { recogniseForm } from './form.ts';
import { scanTable } from './table.ts';

/** Enough to see whole lines, and the first keys of a page. */
const headBytes = 64 * 1024;

export interface RecordBatch {
  readonly elements: RawElements;
  readonly count: number;
}

/** What the pages of an interface say of themselves. */
export interface Pages {
  /** The largest `total` that a page named, or undefined. */
  total: number | undefined;
}

export interface ScanRecordsOptions {
  readonly batchBytes?: number;
  readonly pages?: Pages;
}

export async function* scanRecords(
  input: Input,
  { batchBytes = 128 * 1024, pages }: ScanRecordsOptions = {},
): AsyncGenerator<RecordBatch> {
  const { head, blocks } = await withHead(input.blocks(), headBytes);
  try {
    const form = recogniseForm(input.name, head);
    switch (form.kind) {
      case 'lines':
        for await (const item of scanLines(blocks, { batchBytes })) {
          yield { elements: lineElements(item), count: item.kind === 'lines' ? item.count : 1 };
        }
        break;
      case 'lists':
        yield* scanLists(input.name, blocks, batchBytes, pages);
        break;
      case 'values':
        for await (const item of scanJson(input.name, blocks, {
          arrays: 'values',
          batchBytes,
          records: true,
        })) {
          if (item.kind === 'batch' || item.kind === 'long') yield batchOf(item);
        }
        break;
      case 'table':
        for await (const elements of scanTable({ input, head, ...form }, blocks)) {
          yield { elements, count: elements.form === 'values' ? elements.values.length : 1 };
        }
    }
  } finally {
    await blocks.return(undefined);
  }
}

const batchOf = (item: ScanItem & { kind: 'batch' | 'long' }): RecordBatch => ({
  elements: recordsOf(item),
  count: item.kind === 'batch' ? item.count : 1,
});

/** Lists at the root and in `users` of pages, one document after the other. */
async function* scanLists(
  input: string,
  blocks: AsyncIterable<Uint8Array>,
  batchBytes: number,
  pages: Pages | undefined,
): AsyncGenerator<RecordBatch> {
  const layout: ScanOptions = {
    arrays: [[], ['users']],
    fields: [['total']],
    many: true,
    batchBytes,
    records: true,
  };
  for await (const item of scanJson(input, blocks, layout)) {
    if (item.kind === 'batch' || item.kind === 'long') yield batchOf(item);
    else if (item.kind === 'absent') throw lostPage(input, item.path.length === 0);
    else if (item.kind === 'field' && pages !== undefined && typeof item.value === 'number') {
      pages.total = Math.max(pages.total ?? 0, item.value);
    }
  }
}

/** An answer such as `{"statusCode":429}` among the pages: the users of that page are missing. */
function lostPage(input: string, isRoot: boolean): InputError {
  const problem = isRoot ? 'a value among the pages is no list of users' : 'a page holds no list "users"';
  return new InputError('input:lost-page', input, problem, {
    hint: 'An answer in this file is not a page of users, often an error of the interface: fetch that page again.',
  });
}
