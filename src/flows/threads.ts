/**
 * Raw batches in, converted batches out in the same order: on this thread, or on several. Small inputs stay on this
 * one, because a thread takes longer to start than they take to convert.
 */
import { Worker } from 'node:worker_threads';
import { IdportError, InputError } from '../errors.ts';
import type { RawBatch } from '../sources/source.ts';
import type { ConvertedBatch } from './batch.ts';
import { type ConvertJob, startConverter } from './convert-job.ts';

/** A converted batch and the raw one it was made of, for those who have to quote a record. */
export interface ConvertedPair {
  readonly raw: RawBatch;
  readonly converted: ConvertedBatch;
}

/**
 * What a worker answers: both batches, or an error taken apart (classes do not survive the way between threads).
 * Bytes are moved there and back, never copied.
 */
export type WorkerAnswer =
  | { readonly ok: true; readonly pair: ConvertedPair }
  | { readonly ok: false; readonly error: PlainError };

export interface PlainError {
  readonly code?: string;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly stack?: string | undefined;
  /** Only for trouble with an input. */
  readonly input?: { readonly name: string; readonly problem: string; readonly offset: number | undefined };
}

/** Batches under way at each worker: one in work, the others so that it never waits. */
const ahead = 3;

/** Batches that are finished before their turn may wait for it; more would only cost memory. */
const finishedAhead = 8;

/** What a batch leaves behind is small and dead at once; without a limit each thread would keep 20 MB more. */
const maxYoungGenerationSizeMb = 4;

export async function* convertBatches(
  batches: AsyncIterable<RawBatch>,
  job: ConvertJob,
  threads: number,
): AsyncGenerator<ConvertedPair> {
  const convert = await startConverter(job);
  const here = async (raw: RawBatch): Promise<ConvertedPair> => ({ raw, converted: await convert(raw) });
  if (threads <= 1) {
    for await (const raw of batches) yield await here(raw);
    return;
  }
  // This thread counts as one: reading and writing leave it time, so it converts what no worker has room for.
  const pool = startPool(job, threads - 1);
  const pending: Promise<ConvertedPair>[] = [];
  let failure: { error: unknown } | undefined;
  const intact = upToFailure(batches, (error) => (failure = { error }));
  try {
    for await (const raw of intact) {
      const answer = pool.offer(raw) ?? here(raw);
      // Awaited later, in order; until then a failure must not count as unhandled.
      answer.catch(() => {});
      pending.push(answer);
      // Answers of workers come in between turns of the event loop, which busy work would never end.
      await nextTurn();
      if (pending.length < threads * ahead + finishedAhead) continue;
      const oldest = pending.shift();
      if (oldest !== undefined) yield await oldest;
    }
    for (const answer of pending) yield await answer;
    if (failure) throw failure.error;
  } finally {
    await pool.close();
  }
}

/** Ends where the items fail: what came before is finished first, so that it can be counted. */
async function* upToFailure<Item>(
  items: AsyncIterable<Item>,
  tell: (error: unknown) => void,
): AsyncGenerator<Item> {
  try {
    yield* items;
  } catch (error) {
    tell(error);
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Pool {
  /** Undefined when all workers have enough to do; else the batch is given away, and comes back with what was made of it. */
  offer(batch: RawBatch): Promise<ConvertedPair> | undefined;
  close(): Promise<void>;
}

interface Hand {
  /** Batches that it has and has not answered. */
  readonly underWay: number;
  convert(batch: RawBatch): Promise<ConvertedPair>;
  stop(): Promise<unknown>;
}

function startPool(job: ConvertJob, workers: number): Pool {
  const hands = Array.from({ length: workers }, () => startWorker(job));
  return {
    offer: (batch) => hands.find(({ underWay }) => underWay < ahead)?.convert(batch),
    close: async () => {
      await Promise.all(hands.map((hand) => hand.stop()));
    },
  };
}

interface Waiting {
  resolve(pair: ConvertedPair): void;
  reject(error: unknown): void;
}

function startWorker(job: ConvertJob): Hand {
  // The built worker stands beside the built module; run from source it needs the loader that runs this file.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const worker = new Worker(new URL(`./convert-worker.${extension}`, import.meta.url), {
    workerData: job,
    resourceLimits: { maxYoungGenerationSizeMb },
  });
  /** Answers come in the order of the questions. */
  const waiting: Waiting[] = [];
  worker.on('message', (answer: WorkerAnswer) => {
    const asked = waiting.shift();
    if (answer.ok) asked?.resolve(answer.pair);
    else asked?.reject(reviveError(answer.error));
  });
  /** A thread that is gone answers nobody, so nobody may wait for it: not who asked, not who asks later. */
  let gone: Error | undefined;
  const die = (error: Error): void => {
    gone ??= error;
    for (const asked of waiting.splice(0)) asked.reject(gone);
  };
  worker.on('error', die);
  worker.on('exit', () => die(new Error('a worker thread ended before its work was done')));
  return {
    get underWay() {
      return waiting.length;
    },
    convert: (batch) =>
      new Promise((resolve, reject) => {
        if (gone) {
          reject(gone);
          return;
        }
        waiting.push({ resolve, reject });
        worker.postMessage(batch, rawBuffers(batch));
      }),
    stop: () => worker.terminate(),
  };
}

/** What of a raw batch can change threads without a copy: bytes that have a buffer to themselves. */
export function rawBuffers({ elements }: RawBatch): ArrayBuffer[] {
  if (elements.form !== 'elements' && elements.form !== 'lines') return [];
  const { buffer, byteLength } = elements.bytes;
  return byteLength > 0 && byteLength === buffer.byteLength ? [buffer] : [];
}

export function flattenError(error: unknown): PlainError {
  if (error instanceof InputError) {
    const { code, message, hint, input, problem, position } = error;
    return { code, message, hint, input: { name: input, problem, offset: position?.offset } };
  }
  if (error instanceof IdportError) return { code: error.code, message: error.message, hint: error.hint };
  if (error instanceof Error) return { message: error.message, stack: error.stack };
  return { message: String(error) };
}

export function reviveError({ code, message, hint, stack, input }: PlainError): Error {
  const hinted = hint === undefined ? {} : { hint };
  if (input !== undefined) {
    const position = input.offset === undefined ? {} : { position: { offset: input.offset } };
    return new InputError(code as `input:${string}`, input.name, input.problem, { ...hinted, ...position });
  }
  if (code !== undefined) return new IdportError(code, message, hinted);
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
