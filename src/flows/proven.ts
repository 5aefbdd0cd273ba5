/**
 * The inputs of a conversion in, converted batches in order out. At first batches are handed out unread, cut where the
 * scan guesses: that is fast, and the conversion of each proves the guess behind it. Where one is wrong (or what
 * stands there is broken), the inputs are read again from the start and without guesses, and what is behind that
 * place comes from there.
 */
import type { Crew, Done } from '../lib/crew.ts';
import type { OpenFile } from '../lib/input.ts';
import type { RawBatch, ScanAids, UnreadBatch } from '../sources/source.ts';
import type { ConvertedBatch } from './batch.ts';
import type { ConvertJob } from './convert-job.ts';
import { convertBatches } from './threads.ts';

/** What is to be learned for long stretches costs more than a shorter input has to give. */
const worthwhile = 1024 * 1024;

/** `scan` is asked a second time where a guess was wrong, then without `openFile`. */
export async function* convertInputs(
  scan: (openFile?: ScanAids['openFile']) => AsyncIterable<RawBatch>,
  job: ConvertJob,
  crew: Crew,
): AsyncGenerator<Done<RawBatch, ConvertedBatch>> {
  const files: OpenFile[] = [];
  const openFile: ScanAids['openFile'] = (input) => {
    const file = (input.size ?? 0) < worthwhile ? undefined : input.open?.();
    if (file !== undefined) files.push(file);
    return file;
  };
  try {
    const wrong = yield* convertBatches(scan(openFile), job, crew);
    if (wrong !== undefined) yield* convertBatches(from(wrong, scan()), job, crew);
  } finally {
    for (const file of files) file.close();
  }
}

/** The batches from the first element of this one on. */
async function* from(first: UnreadBatch, batches: AsyncIterable<RawBatch>): AsyncGenerator<RawBatch> {
  let isBehind = false;
  for await (const batch of batches) {
    if (isBehind) {
      yield batch;
      continue;
    }
    const rest = restOf(batch, first);
    if (rest === undefined) continue;
    yield rest;
    isBehind = true;
  }
}

/** Undefined where all of it stands in front. */
function restOf(batch: RawBatch, { input, elements: { offset } }: UnreadBatch): RawBatch | undefined {
  const { elements } = batch;
  if (batch.input !== input || elements.form !== 'elements') return undefined;
  const passed = Math.max(0, offset - elements.offset);
  if (passed >= elements.bytes.length) return undefined;
  return {
    ...batch,
    elements: { ...elements, bytes: elements.bytes.subarray(passed), offset: elements.offset + passed },
  };
}
