/**
 * Scans the inputs and converts their batches on the threads of a pool, in order. Large files are cut into unread
 * batches at guessed borders first, which is fast, and the conversion of each proves its border. Where a guess is wrong
 * (or the input is broken there), the inputs are scanned again without guesses and converted from that position on.
 */
import { type Done, moduleUrl } from '../../workers/job.ts';
import type { WorkerPool } from '../../workers/pool.ts';
import { type Input, inputChanged, type OpenFile } from '../../lib/input.ts';
import type { OpenForChunks } from '../../json/speculative-chunks.ts';
import { elementsIn, isUnread } from '../../sources/elements.ts';
import type { RawBatch, ScanAids, ScannedBatch } from '../../sources/source.ts';
import type { ConvertedBatch } from './batch.ts';
import { type ConvertSettings, startJob } from './convert-job.ts';

/** For smaller inputs learning the borders costs more than it saves. */
const minimumBytes = 1024 * 1024;

/** Yields unread batches only with `fileOf`. */
export type Scan = (fileOf?: ScanAids['fileOf']) => AsyncIterable<ScannedBatch>;

/** The position of a record. */
interface Position {
  readonly input: string;
  readonly offset: number;
}

type Converted = Done<RawBatch, ConvertedBatch>;

/** Calls `scan` a second time where a guess was wrong. */
export async function* convertInputs(
  inputs: readonly Input[],
  scan: Scan,
  settings: ConvertSettings,
  pool: WorkerPool,
): AsyncGenerator<Converted> {
  const files = createFiles(inputs);
  // A pipe cannot be read a second time.
  const mayGuess = inputs.every(({ repeatable }) => repeatable);
  try {
    const wrong = yield* convertProven(scan(mayGuess ? files.of : undefined), settings, pool, files);
    if (wrong === undefined) return;
    files.refuseChanged(wrong.input);
    yield* convertProven(batchesFrom(wrong, scan()), settings, pool, files);
  } finally {
    files.close();
  }
}

/** The result is undefined for an unread batch whose guessed border was wrong. */
export async function* convertBatches(
  batches: AsyncIterable<ScannedBatch>,
  settings: ConvertSettings,
  pool: WorkerPool,
): AsyncGenerator<Done<ScannedBatch, ConvertedBatch | undefined>> {
  const module = moduleUrl(import.meta.url, 'convert-job');
  yield* pool.run(batches, { module, settings, job: await startJob(settings) });
}

/** Converts up to the first wrong guess, and returns its position. */
async function* convertProven(
  batches: AsyncIterable<ScannedBatch>,
  settings: ConvertSettings,
  pool: WorkerPool,
  files: Files,
): AsyncGenerator<Converted, Position | undefined> {
  for await (const { task, result } of convertBatches(batches, settings, pool)) {
    files.closeBefore(task.input);
    // Only a guess can be wrong.
    if (!isUnread(task)) yield { task, result: result! };
    else if (result === undefined) return { input: task.input, offset: task.elements.offset };
    else yield { task: { ...task, elements: elementsIn(task.elements) }, result };
  }
  files.closeBefore();
  return undefined;
}

/** The open files of unread batches. */
interface Files {
  /** Undefined for small inputs and where there is no file. */
  readonly of: (input: Input) => OpenForChunks | undefined;
  /**
   * Closes the files of earlier inputs, or of all, whose batches are all converted. The scan cannot do that, as it is
   * ahead. Throws `InputError` when one of them has changed since it was opened.
   */
  readonly closeBefore: (input?: string) => void;
  /** Throws `InputError` when this input has changed since it was opened. */
  readonly refuseChanged: (input: string) => void;
  readonly close: () => void;
}

/** The inputs have different names. */
function createFiles(inputs: readonly Input[]): Files {
  const indexes = new Map(inputs.map(({ name }, index) => [name, index]));
  const files = new Map<number, OpenFile>();
  const indexOf = (input: string): number => indexes.get(input)!;
  const refuseChanged = (input: string): void => {
    if (files.get(indexOf(input))?.hasChanged() === true) throw inputChanged(input);
  };
  const close = (index: number, file: OpenFile): void => {
    file.close();
    files.delete(index);
  };
  return {
    of({ name, size = 0, open }) {
      if (size < minimumBytes || open === undefined) return undefined;
      return () => {
        const file = open();
        if (file !== undefined) files.set(indexOf(name), file);
        return file;
      };
    },
    closeBefore(input) {
      const end = input === undefined ? inputs.length : indexOf(input);
      for (const [index, file] of files) {
        if (index >= end) continue;
        refuseChanged(inputs[index]!.name);
        close(index, file);
      }
    },
    refuseChanged,
    close() {
      for (const [index, file] of files) close(index, file);
    },
  };
}

async function* batchesFrom(
  position: Position,
  batches: AsyncIterable<ScannedBatch>,
): AsyncGenerator<ScannedBatch> {
  let isReached = false;
  for await (const batch of batches) {
    const rest: ScannedBatch | undefined = isReached ? batch : restOf(batch, position);
    isReached = rest !== undefined;
    if (rest !== undefined) yield rest;
  }
  if (isReached) return;
  throw inputChanged(position.input);
}

/** The part of a batch from a position on; undefined when all of it is before that. */
function restOf(batch: ScannedBatch, { input, offset }: Position): ScannedBatch | undefined {
  const { elements } = batch;
  if (batch.input !== input) return undefined;
  if (elements.form === 'broken') return (elements.long?.offset ?? 0) < offset ? undefined : batch;
  if (elements.form !== 'elements') return undefined;
  const skipped = Math.max(0, offset - elements.offset);
  if (skipped >= elements.bytes.length) return undefined;
  return {
    ...batch,
    elements: { ...elements, bytes: elements.bytes.subarray(skipped), offset: elements.offset + skipped },
  };
}
