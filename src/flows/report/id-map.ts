/** People as they come to their end in, a file that says which id each has at the target out: `old_id,new_id,state`. */
import { statSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { UsageError } from '../../errors.ts';
import type { Emit } from '../../events.ts';
import { setAside } from '../../journal/journal.ts';
import { createGrowingFile } from '../../storage/growing-file.ts';

/** `created` by this run, `existed` before it; why somebody `failed` is in the report. */
export type IdMapState = 'created' | 'existed' | 'failed';

export interface IdMapRow {
  /** That of the source; its user name where it has no id. */
  readonly oldId: string;
  /** Empty where nobody asked for it. */
  readonly newId: string;
  readonly state: IdMapState;
}

export interface IdMap {
  add(row: IdMapRow): void;
  close(): void;
}

export const idMapHeader = 'old_id,new_id,state';

/** The map of an earlier run keeps its ids, under another name: nobody else knows them. */
export function keepIdMap(path: string, emit: Emit): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return;
  const text = `The id map of the earlier run is kept as ${setAside(path)}.`;
  emit({ type: 'notice', level: 'info', code: 'id-map:kept', text });
}

/** CSV as in RFC 4180, 0600, complete up to the last person at every moment. Begins anew what stands at `path`. */
export function createIdMap(path: string): IdMap {
  const file = createGrowingFile(path);
  file.append(`${idMapHeader}\n`);
  return {
    add: (row) => file.append(encodeIdMapRow(row)),
    close: () => file.close(),
  };
}

/** What `createIdMap` or `import --id-map` wrote, without those who failed. Throws `UsageError` for another file. */
export function readIdMap(name: string, text: string): (readonly [oldId: string, newId: string])[] {
  const rows = parseRows(text);
  if (rows?.[0]?.join(',') !== idMapHeader) {
    throw new UsageError(`${name} is not an id map`, { hint: `Its first line has to be ${idMapHeader}.` });
  }
  return rows.slice(1).flatMap(([oldId = '', newId = '']) => (newId === '' ? [] : [[oldId, newId] as const]));
}

/** Undefined for what is no CSV; what the parser says of it would quote the file. */
function parseRows(text: string): string[][] | undefined {
  try {
    return parse(text, { relax_column_count: true, skip_empty_lines: true, bom: true });
  } catch {
    return undefined;
  }
}

/** With its line break. */
export function encodeIdMapRow({ oldId, newId, state }: IdMapRow): string {
  return `${quoteField(oldId)},${quoteField(newId)},${state}\n`;
}

function quoteField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
