/** The id map: a CSV file that says which id each user has at the target, `old_id,new_id,state`. */
import { parse } from 'csv-parse/sync';
import { UsageError } from '../../errors.ts';
import type { Emit } from '../../events.ts';
import { keepPrevious } from '../../journal/journal.ts';
import { quoteField, readField } from '../../lib/csv.ts';
import { createGrowingFile } from '../../storage/growing-file.ts';
import { statIfThere } from '../../storage/same-file.ts';

/** `created` by this run, `existed` before it; why a user `failed` is in the report. */
export type IdMapState = 'created' | 'existed' | 'failed';

export interface IdMapRow {
  /** That of the source; its user name where it has no id. */
  readonly oldId: string;
  /** Empty where it is not known. */
  readonly newId: string;
  readonly state: IdMapState;
}

export interface IdMap {
  add(row: IdMapRow): void;
  close(): void;
}

export const idMapHeader = 'old_id,new_id,state';

/** Renames the map of a previous run: nothing else knows those ids. */
export function keepIdMap(path: string, emit: Emit): void {
  if (statIfThere(path)?.isFile() !== true) return;
  const text = `The id map of the previous run is kept as ${keepPrevious(path)}.`;
  emit({ type: 'notice', level: 'info', code: 'id-map:kept', text });
}

/** Writes an id map (RFC 4180, 0600) that is complete up to the last user at every moment. Overwrites `path`. */
export function createIdMap(path: string): IdMap {
  const file = createGrowingFile(path);
  file.append(`${idMapHeader}\n`);
  return {
    add: (row) => file.append(encodeIdMapRow(row)),
    close: () => file.close(),
  };
}

/** With its line feed. */
export function encodeIdMapRow({ oldId, newId, state }: IdMapRow): string {
  return `${quoteField(oldId)},${quoteField(newId)},${state}\n`;
}

/** The ids of an id map, without users that failed. Throws `UsageError` for another file. */
export function readIdMap(name: string, text: string): (readonly [oldId: string, newId: string])[] {
  const rows = parseRows(text);
  if (rows?.[0]?.join(',') !== idMapHeader) {
    throw new UsageError(`${name} is not an id map`, { hint: `Its first line has to be ${idMapHeader}.` });
  }
  return rows
    .slice(1)
    .flatMap(([oldId = '', newId = '']) =>
      newId === '' ? [] : [[readField(oldId), readField(newId)] as const],
    );
}

/** Undefined for what is not CSV; the parser's own message would quote the file. */
function parseRows(text: string): string[][] | undefined {
  try {
    return parse(text, { relax_column_count: true, skip_empty_lines: true, bom: true });
  } catch {
    return undefined;
  }
}
