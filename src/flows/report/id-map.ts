/** Reads, writes and joins id maps: CSV files with the id of each user at the target, `old_id,new_id,state`. */
import { createReadStream } from 'node:fs';
import { CsvError, parse } from 'csv-parse';
import { UsageError } from '../../errors.ts';
import { type Emit, note } from '../../events.ts';
import { keepPrevious } from '../../storage/file-sink.ts';
import { encodeRow, readField } from '../../lib/csv.ts';
import { createLines } from '../../storage/own-lines.ts';
import { inputProblem } from '../../storage/file-problem.ts';
import { statIfThere } from '../../storage/same-file.ts';
import type { Sink } from '../../lib/sink.ts';
import { formatShard, isInShard, notOfRun } from '../read/read-users.ts';

/** `created` or `changed` by this run, `existed` before it. The report says why a user `failed`. */
const states = ['created', 'changed', 'existed', 'failed'] as const;
type IdMapState = (typeof states)[number];

export interface IdMapRow {
  /** Id in the source, or the user name if there is no id. */
  readonly oldId: string;
  /** Empty if not known. */
  readonly newId: string;
  readonly state: IdMapState;
}

export const idMapHeader = 'old_id,new_id,state';

/**
 * Renames the id map of a previous run, because nothing else has those ids. To be called before the journal of a new run exists:
 * a resumed run treats the file as its own.
 */
export function keepIdMap(path: string | undefined, emit: Emit) {
  if (path === undefined || !statIfThere(path)?.isFile()) return;
  const text = `The id map of the previous run is kept as ${keepPrevious(path)}.`;
  emit(note('id-map:kept', text));
}

/**
 * Starts an id map (RFC 4180, mode 0600) that is complete up to the last user at any moment. Undefined if none is requested. A
 * resumed run writes its own again.
 */
export function openIdMap(path: string | undefined) {
  if (path === undefined) return undefined;
  const file = createLines(path);
  file.add(idMapHeader);
  file.save();
  return {
    add(row: IdMapRow) {
      file.add(encodeIdMapRow(row).trimEnd());
      // The next call throws the error.
      file.written().catch(() => undefined);
    },
    save: () => file.save(),
    close: () => file.close(),
  };
}

/** Returns a row with its line feed. */
export function encodeIdMapRow({ oldId, newId, state }: IdMapRow) {
  return encodeRow([oldId, newId, state]);
}

/**
 * Yields the ids of an id map, without users that failed; with `only`, those in this state. Throws `UsageError` if the file is
 * not an id map. If it is not CSV, the error names the line.
 */
export async function* readIdMap(
  name: string,
  path: string,
  only?: IdMapState,
): AsyncGenerator<readonly [oldId: string, newId: string]> {
  for await (const { oldId, newId, state } of readRows(name, path))
    if (newId !== '' && (only ?? state) === state) yield [oldId, newId];
}

/** Reads a file that may be larger than the memory. */
async function* readRows(name: string, path: string) {
  const rows = createReadStream(path).on('error', (error) => parser.destroy(error));
  const parser = rows.pipe(parse({ relax_column_count: true, skip_empty_lines: true, bom: true }));
  let isFirst = true;
  try {
    for await (const row of parser as AsyncIterable<string[]>) {
      if (isFirst && row.join(',') !== idMapHeader) break;
      const [oldId = '', newId = '', state] = row;
      if (!isFirst) yield { oldId: readField(oldId), newId: readField(newId), state: state as IdMapState };
      isFirst = false;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw inputProblem(name, error, path);
    // The parser's own message would quote the file.
    if (Number(error['lines']) > 1) {
      throw new UsageError(
        `${name}: the file is not CSV at line ${String(error['lines'])}`,
        'Give the id map as import-users wrote it.',
      );
    }
  } finally {
    rows.destroy();
  }
  if (isFirst) throw new UsageError(`${name} is not an id map`, `Its first line has to be ${idMapHeader}.`);
}

/** Joins the id maps of all shards, in order. Throws `UsageError` for another file, or one that was cut off. */
export async function mergeIdMaps(
  files: readonly { readonly name: string; readonly path: string }[],
  sink: Sink,
) {
  await sink.write(`${idMapHeader}\n`);
  for (const [at, { name, path }] of files.entries()) {
    const shard = { index: at + 1, count: files.length };
    for await (const row of readRows(name, path)) {
      if (!states.includes(row.state)) {
        throw new UsageError(
          `${name} is not a whole id map: its last line is cut off`,
          'Resume the import of this shard: that writes the map again.',
        );
      }
      if (!isInShard(shard, row.oldId)) {
        const what = `has a user who is not in shard ${formatShard(shard)} (${row.oldId})`;
        throw notOfRun(name, what);
      }
      await sink.write(encodeIdMapRow(row));
    }
  }
}
