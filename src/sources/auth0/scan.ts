/**
 * Yields batches of raw users, with what the password and factor files know of each.
 *
 * Without such files the users are read once. With them they are read twice: first all users go into an index (about
 * 46 bytes each), then, for segments of `segmentUsers`, one pass over the password lines fills a table (50 bytes a
 * user), and the users of the segment are handed out in their order. Nothing is written anywhere, and no text is kept.
 */
import { InputError } from '../../errors.ts';
import { type WorkerPool, createWorkerPool } from '../../workers/pool.ts';
import type { Input } from '../../lib/input.ts';
import type { Notice, RawBatch } from '../source.ts';
import { Join, type JoinedFiles } from './join/join.ts';
import { BatchMarks } from './join/batch-marks.ts';
import { readKeys } from './join/key-job.ts';
import type { Auth0Context } from './options.ts';
import { scanUsers, type UserBatch } from './user-batches.ts';
import { UserIndex } from './join/user-index.ts';

export interface JoinTuning {
  /** Users joined at once. */
  readonly segmentUsers: number;
  /** A batch of records ends with the first that reaches this size. */
  readonly batchBytes: number;
}

/** About 100 MB for the passwords of a segment. */
const defaultTuning: JoinTuning = { segmentUsers: 2_000_000, batchBytes: 128 * 1024 };

type Notify = (notice: Notice) => void;

export async function* scanJoined(
  users: readonly Input[],
  companions: JoinedFiles,
  notify: Notify,
  pool: WorkerPool = createWorkerPool(1),
  { segmentUsers, batchBytes }: JoinTuning = defaultTuning,
): AsyncGenerator<RawBatch<Auth0Context>> {
  const { passwords, mfa } = companions;
  if (passwords.length === 0 && mfa.length === 0) {
    for await (const { input, elements } of scanUsers(users, notify, batchBytes)) {
      yield { input, elements, context: { joined: undefined } };
    }
    return;
  }
  refusePipes(users, 'users are read twice when passwords or factors are joined to them');
  const marks = new BatchMarks();
  const atOnce = mfa.length === 0 ? segmentUsers : Math.ceil(segmentUsers / 2);
  const first = scanUsers(users, () => undefined, batchBytes);
  // No variable for the index: it would be kept for as long as users are handed out.
  const join = new Join(companions, await indexUsers(first, marks, pool), atOnce, pool);
  if (join.users > atOnce) {
    const problem = `it is read once for every ${atOnce} users, of which there are ${join.users}`;
    refusePipes([...passwords, ...mfa], problem);
  }
  yield* scanSegments(scanUsers(users, notify, batchBytes), join, marks);
  for (const notice of join.notices()) notify(notice);
}

async function indexUsers(
  users: AsyncIterable<UserBatch>,
  marks: BatchMarks,
  pool: WorkerPool,
): Promise<UserIndex> {
  const index = new UserIndex();
  const { seeds } = index.maker;
  const keys = readKeys(users, { kind: 'users', seeds }, pool);
  for await (const { result } of keys) {
    marks.add(result.mark);
    index.add(result);
  }
  return index;
}

/** Hands out the users in their order; where a batch begins a segment, that segment is joined first. */
async function* scanSegments(
  batches: AsyncIterable<UserBatch>,
  join: Join,
  marks: BatchMarks,
): AsyncGenerator<RawBatch<Auth0Context>> {
  let slot = 0;
  let input = '';
  for await (const batch of batches) {
    marks.check(batch);
    input = batch.input;
    const end = slot + batch.count;
    await join.reach(slot, end);
    yield { input, elements: batch.elements, context: { joined: join.batch(slot, end) } };
    slot = end;
  }
  marks.finish(input);
  // No users to join to: the files are read all the same, for the report.
  if (slot === 0) await join.reach(0, 0);
}

function refusePipes(inputs: readonly Input[], problem: string): void {
  const pipe = inputs.find(({ repeatable }) => !repeatable);
  if (pipe === undefined) return;
  throw new InputError('input:not-repeatable', pipe.name, problem, {
    hint: 'Give a file instead of a pipe; gzip is read as it is.',
  });
}
