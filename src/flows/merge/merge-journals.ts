/** Joins the journals of all shards of an import into the journal of one run, which can be resumed, verified and undone. */
import { basename } from 'node:path';
import { UsageError } from '../../errors.ts';
import { findDifference } from '../../journal/journal.ts';
import { beginsAsJournal } from '../../journal/find-journals.ts';
import { encodeLine, type JournalHeader, type Line } from '../../journal/lines.ts';
import { type JournalProgress, loadJournal, readLines } from '../../journal/load.ts';
import { withoutFlags } from '../../lib/format.ts';
import { checkShard, notOfRun } from '../source/shard.ts';
import type { Sink } from '../../lib/sink.ts';

/** Looks at the beginning of the file, because a journal may have any name. */
export const isJournal = beginsAsJournal;

/** Returns whether all shards are finished. Throws `UsageError` for journals that are not the shards of one run. */
export async function mergeJournals(paths: readonly string[], sink: Sink) {
  const journals: JournalProgress[] = [];
  for (const path of paths) journals.push(await loadJournal(path));
  const header = mergeHeaders(
    paths,
    journals.map((journal) => journal.header),
  );
  await sink.write(`${encodeLine({ kind: 'header', header })}\n`);
  let attempts = 0;
  for (const path of paths) {
    // Attempts of a shard are numbered after those of the shard before.
    const before = attempts;
    for await (const { line } of readLines(path)) {
      const moved = withAttempt(line, before);
      if (moved === undefined) continue;
      attempts = Math.max(attempts, moved.kind === 'intent' ? moved.intent.attempt : 0);
      await sink.write(`${encodeLine(moved)}\n`);
    }
  }
  const finished = journals.every((journal) => journal.finished);
  const at = Math.max(...journals.map(({ endedAt = 0 }) => endedAt));
  if (finished) await sink.write(`${encodeLine({ kind: 'end', at, attempts })}\n`);
  return { finished };
}

/** Joins the headers. Entries have the same numbers in all shards. */
function mergeHeaders(paths: readonly string[], headers: readonly JournalHeader[]): JournalHeader {
  const merged = headers.map((header) => {
    const { shard: _, ...settings } = header.settings;
    return { ...header, settings };
  });
  const [first] = merged;
  if (first === undefined) throw new UsageError('there is no journal to merge');
  for (const [at, { settings }] of headers.entries()) {
    checkShard(paths[at]!, settings['shard'], { index: at + 1, count: paths.length });
    const difference = findDifference(first, merged[at]!);
    if (difference !== undefined) throw notOfRun(paths[at]!, `does not belong to ${paths[0]}: ${difference}`);
  }
  /**
   * Joins lists without repeats. The shard that looked first creates all, whichever that was. Two that looked at once name the
   * same.
   */
  const union = <Item extends string | readonly string[]>(
    listOf: (header: JournalHeader) => readonly Item[] | undefined,
  ) => {
    const all = merged.flatMap((header) => listOf(header) ?? []);
    const once = new Map(all.map((one) => [JSON.stringify(one), one]));
    return once.size === 0 ? undefined : [...once.values()];
  };
  const newest = merged.flatMap(({ newestBefore }) => newestBefore ?? []);
  return {
    ...first,
    startedAt: Math.min(...merged.map(({ startedAt }) => startedAt)),
    newestBefore: newest.length < merged.length ? undefined : Math.min(...newest),
    creates: union(({ creates }) => creates),
    follows: union(({ follows }) => follows),
    merges: paths.map((path) => basename(path)),
    typed: first.typed && withoutFlags(first.typed, ['shard', 'rate-store', 'journal', 'id-map']),
  };
}

/** Renumbers the attempt of a line. Undefined for lines that a journal has only once. */
function withAttempt(line: Line, before: number): Line | undefined {
  switch (line.kind) {
    case 'intent':
      return { kind: 'intent', intent: { ...line.intent, attempt: line.intent.attempt + before } };
    case 'outcome':
      return { kind: 'outcome', outcome: { ...line.outcome, attempt: line.outcome.attempt + before } };
    default:
      return undefined;
  }
}
