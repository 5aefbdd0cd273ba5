/** Makes the keys that a join needs of batches of records, as a job for any thread. */
import { BatchSpace } from '../../../lib/batch-memory.ts';
import type { WorkerPool } from '../../../workers/pool.ts';
import { KeyMaker } from '../../../compact/key-table.ts';
import { type Done, type Job, moduleUrl } from '../../../workers/job.ts';
import { buffersOf, parseBatch, roomOf } from '../../elements.ts';
import type { RawElements } from '../../source.ts';
import { type PasswordKeys, PasswordLines } from './password-lines.ts';
import { type UserKeyBatch, UserKeys } from './user-keys.ts';

/** Where the records of a batch go. */
export interface KeySink {
  /** Forgets all records: a batch begins. */
  clear(): void;
  add(record: unknown): void;
}

export function readBatch(input: string, elements: RawElements, sink: KeySink): void {
  sink.clear();
  for (const record of parseBatch({ input, elements, context: undefined })) sink.add(record);
}

interface KeysOf {
  readonly users: UserKeyBatch;
  readonly passwords: PasswordKeys;
}

const sinks = { users: UserKeys, passwords: PasswordLines };

interface KeySettings<Kind extends keyof KeysOf> {
  readonly kind: Kind;
  /** Of the maker of keys: all threads make the same ones. */
  readonly seeds: Int32Array;
}

interface KeyTask {
  readonly input: string;
  readonly elements: RawElements;
}

export function startJob<Kind extends keyof KeysOf>({
  kind,
  seeds,
}: KeySettings<Kind>): Job<KeyTask, KeysOf[Kind]> {
  const sink = new sinks[kind](new KeyMaker(seeds));
  return {
    work: ({ input, elements }) => {
      readBatch(input, elements, sink);
      return sink.take(new BatchSpace(roomOf(elements)), elements) as KeysOf[Kind];
    },
    buffersOfTask: ({ elements }) => buffersOf(elements),
    buffersOfResult: ({ words }) => [words.buffer],
  };
}

/** On as many threads as there are; the keys come in the order of the batches. */
export function readKeys<Kind extends keyof KeysOf, Task extends KeyTask>(
  tasks: AsyncIterable<Task>,
  settings: KeySettings<Kind>,
  pool: WorkerPool,
): AsyncGenerator<Done<Task, KeysOf[Kind]>> {
  const job: Job<Task, KeysOf[Kind]> = startJob(settings);
  return pool.run(tasks, { module: moduleUrl(import.meta.url, 'key-job'), settings, job });
}
