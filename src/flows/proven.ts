/**
 * The inputs of a conversion in, converted batches in order out. At first batches are handed out unread, cut where the
 * scan guesses: that is fast, and the conversion of each proves the guess behind it. Where one is wrong (or what
 * stands there is broken), the inputs are read again from the start and without guesses, and what is behind that
 * place comes from there.
 */
import { InputError } from '../errors.ts';
import type { Crew, Done } from '../lib/crew.ts';
import type { Input, OpenFile } from '../lib/input.ts';
import { elementsIn, isUnread } from '../sources/elements.ts';
import type { RawBatch, ScanAids, ScannedBatch } from '../sources/source.ts';
import type { ConvertedBatch } from './batch.ts';
import type { ConvertJob } from './convert-job.ts';
import { convertBatches } from './threads.ts';

/** What is to be learned for long stretches costs more than a shorter input has to give. */
const worthwhile = 1024 * 1024;

/** Hands out unread batches only with `openFile`. */
export type Scan = (openFile?: ScanAids['openFile']) => AsyncIterable<ScannedBatch>;

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
  job: ConvertJob,
  crew: Crew,
): AsyncGenerator<Converted> {
  const files = createOpenFiles(inputs);
  // What comes out of a pipe cannot be read again.
  const mayGuess = inputs.every(({ repeatable }) => repeatable);
  const begun = (batch: ScannedBatch): void => files.closeBefore(batch.input);
  try {
    const wrong = yield* convertProven(
      convertBatches(scan(mayGuess ? files.open : undefined), job, crew),
      begun,
    );
    if (wrong === undefined) return;
    yield* convertProven(convertBatches(batchesFrom(wrong, scan()), job, crew), begun);
  } finally {
    files.close();
  }
}

/** Up to the first wrong guess, if there is one: its place comes out. `begin` is told of every batch. */
async function* convertProven(
  converted: AsyncIterable<Done<ScannedBatch, ConvertedBatch | undefined>>,
  begin: (batch: ScannedBatch) => void,
): AsyncGenerator<Converted, Place | undefined> {
  for await (const { task, answer } of converted) {
    begin(task);
    // Only a guess can be wrong.
    if (!isUnread(task)) yield { task, answer: answer! };
    else if (answer === undefined) return { input: task.input, offset: task.elements.offset };
    else yield { task: { ...task, elements: elementsIn(task.elements) }, answer };
  }
  return undefined;
}

interface OpenFiles {
  /** Undefined where it is not worth it, or not possible. */
  readonly open: (input: Input) => OpenFile | undefined;
  /** Those of the inputs in front of this one: the scan is ahead, but batches of them come no more. */
  readonly closeBefore: (input: string) => void;
  readonly close: () => void;
}

function createOpenFiles(inputs: readonly Input[]): OpenFiles {
  const places = new Map(inputs.map(({ name }, place) => [name, place]));
  let files: { readonly file: OpenFile; readonly place: number }[] = [];
  const closeBefore = (end: number): void => {
    for (const { file, place } of files) if (place < end) file.close();
    files = files.filter(({ place }) => place >= end);
  };
  return {
    open(input) {
      const file = (input.size ?? 0) < worthwhile ? undefined : input.open?.();
      if (file !== undefined) files.push({ file, place: places.get(input.name)! });
      return file;
    },
    closeBefore: (input) => closeBefore(places.get(input)!),
    close: () => closeBefore(inputs.length),
  };
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
  throw new InputError('input:changed', place.input, 'it changed while it was read', {
    hint: 'Convert a copy that nobody writes to.',
  });
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
