/**
 * The inputs of a conversion in, converted batches in order out. At first batches are handed out unread, cut where the
 * scan guesses: that is fast, and the conversion of each proves the guess behind it. Where one is wrong (or what
 * stands there is broken), the inputs are read again from the start and without guesses, and what is behind that
 * place comes from there.
 */
import { InputError } from '../../errors.ts';
import { type Done, moduleUrl } from '../../workers/job.ts';
import type { WorkerPool } from '../../workers/pool.ts';
import type { Input, OpenFile } from '../../lib/input.ts';
import type { OpenForChunks } from '../../json/speculative-chunks.ts';
import { elementsIn, isUnread } from '../../sources/elements.ts';
import type { RawBatch, ScanAids, ScannedBatch } from '../../sources/source.ts';
import type { ConvertedBatch } from './batch.ts';
import { type ConvertSettings, startJob } from './convert-job.ts';

/** What is to be learned for long stretches costs more than a shorter input has to give. */
const worthwhile = 1024 * 1024;

/** Hands out unread batches only with `fileOf`. */
export type Scan = (fileOf?: ScanAids['fileOf']) => AsyncIterable<ScannedBatch>;

/** Where a record begins. */
interface Place {
  readonly input: string;
  readonly offset: number;
}

type Converted = Done<RawBatch, ConvertedBatch>;

/** `scan` is asked a second time where a guess was wrong. */
export async function* convertInputs(
  inputs: readonly Input[],
  scan: Scan,
  settings: ConvertSettings,
  pool: WorkerPool,
): AsyncGenerator<Converted> {
  const files = createFiles(inputs);
  // What comes out of a pipe cannot be read again.
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

/** Undefined instead of a converted batch: an unread one is not what it was taken for. */
export async function* convertBatches(
  batches: AsyncIterable<ScannedBatch>,
  settings: ConvertSettings,
  pool: WorkerPool,
): AsyncGenerator<Done<ScannedBatch, ConvertedBatch | undefined>> {
  const module = moduleUrl(import.meta.url, 'convert-job');
  yield* pool.run(batches, { module, settings, job: await startJob(settings) });
}

/** Up to the first wrong guess, if there is one: its place comes out. */
async function* convertProven(
  batches: AsyncIterable<ScannedBatch>,
  settings: ConvertSettings,
  pool: WorkerPool,
  files: Files,
): AsyncGenerator<Converted, Place | undefined> {
  for await (const { task, result } of convertBatches(batches, settings, pool)) {
    files.closeBefore(task.input);
    // Only a guess can be wrong.
    if (!isUnread(task)) yield { task, result: result! };
    else if (result === undefined) return { input: task.input, offset: task.elements.offset };
    else yield { task: { ...task, elements: elementsIn(task.elements) }, result };
  }
  return undefined;
}

/** Those that unread batches are of. */
interface Files {
  /** Undefined where it is not worth it, or there is none. */
  readonly of: (input: Input) => OpenForChunks | undefined;
  /** Of the inputs in front of this one, no batches come any more. The scan does not know: it is ahead. */
  readonly closeBefore: (input: string) => void;
  /** Throws `InputError` where this one is no longer what it was. */
  readonly refuseChanged: (input: string) => void;
  readonly close: () => void;
}

/** The inputs have different names. */
function createFiles(inputs: readonly Input[]): Files {
  const places = new Map(inputs.map(({ name }, place) => [name, place]));
  const files = new Map<number, OpenFile>();
  const closeBefore = (end: number): void => {
    for (const [place, file] of files) {
      if (place >= end) continue;
      file.close();
      files.delete(place);
    }
  };
  const placeOf = (input: string): number => places.get(input)!;
  return {
    of({ name, size = 0, open }) {
      if (size < worthwhile || open === undefined) return undefined;
      return () => {
        const file = open();
        if (file !== undefined) files.set(placeOf(name), file);
        return file;
      };
    },
    closeBefore: (input) => closeBefore(placeOf(input)),
    refuseChanged(input) {
      if (files.get(placeOf(input))?.hasChanged() === true) throw changed(input);
    },
    close: () => closeBefore(inputs.length),
  };
}

function changed(input: string): InputError {
  return new InputError('input:changed', input, 'it changed while it was read', {
    hint: 'Convert a copy that nobody writes to.',
  });
}

async function* batchesFrom(
  place: Place,
  batches: AsyncIterable<ScannedBatch>,
): AsyncGenerator<ScannedBatch> {
  let isReached = false;
  for await (const batch of batches) {
    const rest: ScannedBatch | undefined = isReached ? batch : restOf(batch, place);
    isReached = rest !== undefined;
    if (rest !== undefined) yield rest;
  }
  if (isReached) return;
  throw changed(place.input);
}

/** Undefined where all of it stands in front. */
function restOf(batch: ScannedBatch, { input, offset }: Place): ScannedBatch | undefined {
  const { elements } = batch;
  if (batch.input !== input || elements.form !== 'elements') return undefined;
  const passed = Math.max(0, offset - elements.offset);
  if (passed >= elements.bytes.length) return undefined;
  return {
    ...batch,
    elements: { ...elements, bytes: elements.bytes.subarray(passed), offset: elements.offset + passed },
  };
}
