/** `idport merge`: joins the journals, id maps and reports of all shards of a run. */
import { note, warning, fileWritten } from '../events.ts';
import { createReadStream, readdirSync, existsSync } from 'node:fs';
import { basename, dirname, extname, join, parse, resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import { mergeIdMaps } from '../flows/report/id-map.ts';
import { isJournal, mergeJournals, mergeReports } from '../flows/runs/merge-shards.ts';
import { lockRun } from '../flows/runs/open-journal.ts';
import { canonicalPath } from '../lib/canonical-path.ts';
import { formatCounted, withoutShard } from '../lib/format.ts';
import type { Sink } from '../lib/sink.ts';
import { inputProblem } from '../storage/file-problem.ts';
import { openInputs } from '../storage/open-input.ts';
import type { mergeArgument } from '../flags/others.ts';
import type { Action, CommandContext } from './context.ts';

/** Throws `UsageError` if a shard is missing. */
export const merge: Action<typeof mergeArgument> = async ({ files }, context) => {
  const found = files.map((file) => {
    const kind = kindOf(file);
    const parts = findParts(file, context);
    return { file, parts, kind: isJournal(resolve(context.cwd, parts[0]!)) ? journals : kind };
  });
  const joined = found.map((one) => ({ ...one, sink: context.outputs.open(one.file) }));
  for (const { parts, kind, sink } of joined) await kind.merge(parts, sink, context);
  // Committed together, because a journal that exists already would be refused the next time.
  for (const { file, parts, kind, sink } of joined) {
    await sink.commit();
    const text = `${file}: ${formatCounted(parts.length, 'shard')} joined.`;
    context.emit(note('merge:joined', text));
    context.emit(fileWritten(sink, kind.what));
  }
};

interface Kind {
  readonly what: 'journal' | 'id map' | 'report' | 'list';
  readonly merge: (parts: readonly string[], sink: Sink, context: CommandContext) => Promise<void>;
}

const kinds: Readonly<Record<string, Kind>> = {
  '.csv': {
    what: 'id map',
    merge: (parts, sink, { cwd }) =>
      mergeIdMaps(
        parts.map((name) => ({ name, path: resolve(cwd, name) })),
        sink,
      ),
  },
  '.json': {
    what: 'report',
    merge: (parts, sink, context) => mergeReports(openInputs(parts, context), sink),
  },
  '.ndjson': {
    what: 'list',
    async merge(parts, sink, { cwd }) {
      for (const name of parts)
        for await (const block of createReadStream(resolve(cwd, name))) await sink.write(block as Buffer);
    },
  },
};

/** The kind of journals, which may have any ending. */
const journals: Kind = { what: 'journal', merge: joinJournals };

/** Returns the kind of a file by its ending. Any other ending is taken for a journal. */
function kindOf(file: string) {
  const ending = extname(file).toLowerCase();
  if (ending === '.html' || ending === '.md') {
    throw new UsageError(
      `${file}: pages are not joined`,
      'Give each shard a report that ends in .json, join these, and make a page of it with `idport report`.',
    );
  }
  return kinds[ending] ?? journals;
}

/** Joins journals, which are locked meanwhile. Refuses to replace a journal, which may be the only record of another run. */
async function joinJournals(parts: readonly string[], sink: Sink, context: CommandContext) {
  const paths = parts.map((part) => canonicalPath(part, context.cwd));
  if (existsSync(resolve(context.cwd, sink.name))) {
    throw new UsageError(`there is a journal already: ${sink.name}`, 'Move it to another place first.');
  }
  const undone = parts.find((_, at) => existsSync(`${paths[at]}.undo`));
  if (undone !== undefined) {
    throw new UsageError(
      `${undone}: the rollback of this shard has begun`,
      'Roll the other shards back one by one, with `idport undo --shard`.',
    );
  }
  const locks = paths.map((path) => lockRun({ path }, context));
  try {
    const { finished } = await mergeJournals(paths, sink);
    if (finished) return;
    const text = 'Not all shards have finished: resume the run without --shard, with the joined journal.';
    context.emit(warning('merge:unfinished', text));
  } finally {
    for (const lock of locks) lock.release();
  }
}

/** Returns the paths of `x.1-of-4.csv` to `x.4-of-4.csv` next to `x.csv`. Throws `UsageError` if a shard is missing. */
function findParts(file: string, { cwd }: CommandContext) {
  const { name, ext } = parse(basename(file));
  const found = listSiblings(file, cwd).flatMap((one) => {
    const [, index, count] = /\.([1-9]\d{0,3})-of-([1-9]\d{0,3})(?=\.[^.]*$|$)/.exec(one) ?? [];
    return index === undefined || withoutShard(one) !== basename(file)
      ? []
      : [{ path: join(dirname(file), one), index: Number(index), count: Number(count) }];
  });
  const [first] = found;
  if (first === undefined) {
    throw new UsageError(
      `there are no shards of ${file}`,
      `Name the file without its shard: for ${name}.1-of-4${ext} and the others beside it, ${file}.`,
    );
  }
  const other = found.find(({ count }) => count !== first.count);
  if (other !== undefined) {
    throw new UsageError(
      `${first.path} and ${other.path} are of different runs`,
      'Move those of the other run away.',
    );
  }
  const parts = Array.from({ length: first.count }, (_, at) => found.find(({ index }) => index === at + 1));
  const missing = parts.flatMap((part, at) => (part === undefined ? [at + 1] : []));
  if (missing.length > 0) {
    throw new UsageError(
      `of the ${first.count} shards of ${file}, ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing`,
      'Copy the files of all shards into one folder.',
    );
  }
  return parts.map((part) => part!.path);
}

function listSiblings(file: string, cwd: string) {
  const folder = resolve(cwd, dirname(file));
  try {
    return readdirSync(folder);
  } catch (error) {
    throw inputProblem(dirname(file), error, folder);
  }
}
