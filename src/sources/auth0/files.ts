/** Opens Auth0's files, whatever their form, as batches of raw records in order. */
import { InputError } from '../../errors.ts';
import type { Input } from '../../lib/input.ts';
import { isObject } from '../../lib/json-value.ts';
import { linesIn } from '../../json/line-values.ts';
import { BrokenRecord } from '../broken-record.ts';
import { parseBatch, releaseElements } from '../elements.ts';
import { createPageCount } from '../pages.ts';
import type { Notice, RawElements } from '../source.ts';
import { openRows, type OpenedRows } from '../table/forms/open.ts';
import { type Cells, isIdentifying, namedIn, userOf } from './columns.ts';

export interface UserBatch {
  readonly input: string;
  readonly elements: RawElements;
  readonly cells: Cells;
}

/** Kinds of files, named like their flags: `--users`, `--passwords`, `--mfa`. */
type RecordKind = 'users' | 'passwords' | 'mfa';

/**
 * Yields the users. Throws `InputError` for another kind of file. Notifies if API pages have fewer users than they say.
 */
export async function* scanUsers(
  inputs: readonly Input[],
  notify: (notice: Notice) => void,
  batchBytes?: number,
): AsyncGenerator<UserBatch> {
  let isEmpty = true;
  const count = createPageCount();
  for (const input of inputs) {
    const rows = await openFile(input, batchBytes);
    for await (const batch of batchesOf(input, rows, 'users')) {
      isEmpty = false;
      count.add(batch.elements);
      yield batch;
    }
    if (rows.pages !== undefined) count.close(rows.pages());
  }
  const missing = count.missing(
    inputs,
    'Auth0 shows no more than 1,000 this way, an export job shows all users',
  );
  if (missing !== undefined) notify(missing);
  if (!isEmpty) return;
  const names = inputs.map(({ name }) => name).join(', ');
  notify({ level: 'warning', code: 'input:no-users', text: `no users in ${names}` });
}

/**
 * Reads the records of files. `line` is the line number or, in a list, the position, both from 1. Throws `InputError`
 * for a file that was given with the wrong flag.
 */
export async function readNumbered(
  inputs: readonly Input[],
  kind: RecordKind,
  take: (record: unknown, input: string, line: number) => void,
) {
  for (const input of inputs) {
    let last = 0;
    for await (const { elements } of batchesOf(input, await openFile(input), kind)) {
      const numberOf = numbersOf(elements, last);
      let place = 0;
      for (const record of parseBatch({ input: input.name, elements })) {
        last = numberOf(place++);
        take(record, input.name, last);
      }
      releaseElements(elements);
    }
  }
}

function numbersOf(elements: RawElements, before: number): (place: number) => number {
  if (elements.form !== 'lines') return (place) => before + 1 + place;
  const lines = linesIn(elements);
  return (place) => lines[place]!.line;
}

/** Throws `InputError` if the file is neither JSON nor a table with an id or an address. */
async function openFile(input: Input, batchBytes?: number) {
  const rows = await openRows({
    input,
    source: { null: [] },
    named: namedIn,
    table: undefined,
    notify: () => {},
    batchBytes,
  });
  if (rows.form === 'json' || (rows.form === 'csv' && rows.columns?.some(isIdentifying) === true))
    return rows;
  await rows.close();
  throw new InputError(
    'input:unknown-form',
    input.name,
    'it is neither JSON nor a table with a row of titles',
    'Give an export of Auth0: JSON lines, a JSON list, or a CSV whose first row has user_id or email.',
  );
}

/**
 * Exports of Auth0 put an apostrophe before each text. If all ids and addresses in the first rows of a table have one,
 * it is removed from each cell.
 */
async function* batchesOf(input: Input, rows: OpenedRows, kind: RecordKind): AsyncGenerator<UserBatch> {
  let cells: Cells;
  let isFirst = true;
  try {
    for await (const elements of rows.batches) {
      if (isFirst && rows.form === 'csv') {
        const found = Array.from(parseBatch({ input: input.name, elements }), isMarked);
        cells = found.includes(true) && !found.includes(false) ? 'marked' : 'plain';
      }
      const batch: UserBatch = { input: input.name, elements, cells };
      if (isFirst) expectKind(batch, kind);
      isFirst = false;
      yield batch;
    }
  } finally {
    await rows.close();
  }
}

/** Reports whether the cells begin with an apostrophe. Undefined for a row without an id or an address. */
function isMarked(row: unknown) {
  if (!isObject(row) || row instanceof BrokenRecord) return undefined;
  const cells = Object.entries(row).filter(([title, cell]) => cell !== '' && isIdentifying(title));
  return cells.length === 0 ? undefined : cells.every(([, cell]) => String(cell).startsWith("'"));
}

const nouns: Readonly<Record<RecordKind, string>> = {
  users: 'users',
  passwords: 'lines of the password export',
  mfa: 'lines of the multi-factor export',
};

/**
 * Throws if the first record shows another kind of file. A record that shows nothing, such as a broken one, is left to
 * the reader.
 */
function expectKind({ input, elements, cells }: UserBatch, expected: RecordKind) {
  const [first] = parseBatch({ input, elements });
  const found = kindOf(isObject(first) && cells !== undefined ? userOf(first, cells) : first);
  if (found === undefined || found === expected) return;
  throw new InputError(
    'input:wrong-file',
    input,
    `it holds ${nouns[found]}, not ${nouns[expected]}`,
    `Give this file with --${found}.`,
  );
}

function kindOf(value: unknown): RecordKind | undefined {
  if (!isObject(value)) return undefined;
  if ('passwordHash' in value && !('user_id' in value)) return 'passwords';
  if ('user_id' in value && 'type' in value && !('email' in value)) return 'mfa';
  return 'user_id' in value || 'identities' in value ? 'users' : undefined;
}
