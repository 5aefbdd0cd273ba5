/** The id map: a CSV file with the id of each user at the target, `old_id,new_id,state`; those of shards are joined. */
import { createReadStream } from 'node:fs';
import { CsvError, parse } from 'csv-parse';
import { UsageError } from '../../errors.ts';
import { type Emit, note } from '../../events.ts';
import { keepPrevious } from '../../storage/open-output.ts';
import { quoteField, readField } from '../../lib/csv.ts';
import { createLines } from '../../storage/own-lines.ts';
import { inputProblem } from '../../storage/file-problem.ts';
import { statIfThere } from '../../storage/same-file.ts';
import type { Sink } from '../../lib/sink.ts';
import { formatShard, isInShard, notOfRun } from '../source/shard.ts';

/** `created` or `changed` by this run, `existed` before it; why a user `failed` is in the report. */
const states = ['created', 'changed', 'existed', 'failed'] as const;
type IdMapState = (typeof states)[number];

export interface IdMapRow {
  /** That of the source; its user name where it has no id. */
  readonly oldId: string;
  /** Empty where it is not known. */
  readonly newId: string;
  readonly state: IdMapState;
}

export const idMapHeader = 'old_id,new_id,state';

/**
 * Renames the id map of a previous run, because nothing else knows those ids. To be called before the journal of a new run is
 * there: a run that is resumed takes the file for its own.
 */
export function keepIdMap(path: string | undefined, emit: Emit) {
  if (path === undefined || statIfThere(path)?.isFile() !== true) return;
  const text = `The id map of the previous run is kept as ${keepPrevious(path)}.`;
  emit(note('id-map:kept', text));
}

/**
 * Begins an id map (RFC 4180, 0600) that is complete up to the last user at every moment; undefined where none is asked for.
 * A resumed run writes its own again.
 */
export function openIdMap(path: string | undefined) {
  if (path === undefined) return undefined;
  const file = createLines(path);
  file.add(idMapHeader);
  file.save();
  return {
    add(row: IdMapRow) {
      file.add(encodeIdMapRow(row).trimEnd());
      // The next call throws what went wrong.
      file.written().catch(() => undefined);
    },
    save: () => file.save(),
    close: () => file.close(),
  };
}

/** With its line feed. */
export function encodeIdMapRow({ oldId, newId, state }: IdMapRow): string {
  return `${quoteField(oldId)},${quoteField(newId)},${state}\n`;
}

/**
 * The ids of an id map, without users that failed; `only` those in this state. Throws `UsageError` for another file; that for
 * what is no CSV has its line.
 */
export async function* readIdMap(
  name: string,
  path: string,
  only?: IdMapState,
): AsyncGenerator<readonly [oldId: string, newId: string]> {
  for await (const { oldId, newId, state } of readRows(name, path))
    if (newId !== '' && (only ?? state) === state) yield [oldId, newId];
}

/** Of a file that may be larger than the memory. */
async function* readRows(name: string, path: string): AsyncGenerator<IdMapRow> {
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
  if (isFirst) {
    throw new UsageError(`${name} is not an id map`, `Its first line has to be ${idMapHeader}.`);
  }
}

/** Those of all shards, from the first. Throws `UsageError` for another file, or one that was cut off. */
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
