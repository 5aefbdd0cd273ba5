/** A thread that converts batches: raw batches come in as messages, converted ones go out in the same order. */
import { parentPort, workerData } from 'node:worker_threads';
import type { RawBatch } from '../sources/source.ts';
import { type ConvertJob, startConverter } from './convert-job.ts';
import { flattenError, rawBuffers, type WorkerAnswer } from './threads.ts';

const converter = startConverter(workerData as ConvertJob);
let last: Promise<void> = Promise.resolve();

parentPort?.on('message', (batch: RawBatch) => {
  last = last.then(() => answer(batch));
});

async function answer(raw: RawBatch): Promise<void> {
  try {
    const convert = await converter;
    const converted = await convert(raw);
    const moved = [converted.body.buffer, converted.ends.buffer] as ArrayBuffer[];
    post({ ok: true, pair: { raw, converted } }, [...moved, ...rawBuffers(raw)]);
  } catch (error) {
    post({ ok: false, error: flattenError(error) }, []);
  }
}

function post(message: WorkerAnswer, moved: ArrayBuffer[]): void {
  parentPort?.postMessage(message, moved);
}
