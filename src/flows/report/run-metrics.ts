/** Follows a run by its events, for the facts about the whole run in its report. */
import { memoized } from '../../lib/strings.ts';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import type { Traffic } from '../../api/client.ts';
import type { IdportEvent } from '../../events.ts';
import type { Clock } from '../../lib/clock.ts';
import type { HashedFile, RunFacts } from '../../wire/reports.ts';
import { statIfThere } from '../../storage/same-file.ts';

/** Facts that no event contains. */
export interface KnownFacts {
  profile?: string;
  target?: string;
  organizations?: readonly string[];
  journal?: string;
  shard?: string | undefined;
  /** Names of the files that the run reads. */
  inputs: readonly string[];
}

export interface RunMetrics extends KnownFacts {
  readonly traffic: Traffic;
  see(event: IdportEvent): void;
  /** Reads the files once more to hash them. The hashes are kept. */
  facts(): Promise<RunFacts>;
}

interface RecordOptions {
  readonly version: string;
  /** Command as typed, without a token. */
  readonly command: string;
  readonly cwd: string;
  readonly clock: Clock;
}

export function createRunMetrics({ version, command, cwd, clock }: RecordOptions): RunMetrics {
  const timeline = createTimeline();
  const waits = new Map<string, { times: number; seconds: number }>();
  const outputs: string[] = [];
  let rejects: string | undefined;
  const hashOf = memoized((name) => hashFile(resolve(cwd, name)));
  const hashFiles = async (names: readonly string[]) => {
    const files: HashedFile[] = [];
    for (const name of names) files.push({ name, ...(await hashOf(name)) });
    return files;
  };
  let startedAt = clock.monotonic();
  return {
    traffic: { requests: 0, retries: 0, tooManyRequests: 0 },
    inputs: [],
    see(event) {
      if (event.type === 'run:start') startedAt = clock.monotonic();
      if (event.type === 'run:progress') {
        const { records, before = 0 } = event;
        timeline.add((clock.monotonic() - startedAt) / 1000, Math.max(0, records - before));
      }
      if (event.type === 'run:waiting') {
        const { times, seconds } = waits.get(event.reason) ?? { times: 0, seconds: 0 };
        waits.set(event.reason, { times: times + 1, seconds: seconds + event.seconds });
      }
      if (event.type !== 'file:written') return;
      if (event.what === 'body') outputs.push(event.path);
      if (event.what === 'rejects') rejects = event.path;
    },
    async facts() {
      const { profile, target, organizations, journal, shard, inputs, traffic } = this;
      return {
        version,
        node: process.versions.node,
        platform: `${process.platform} ${process.arch}`,
        command: command.replaceAll(/:\/\/[^/\s@]*@/g, '://***@'),
        profile,
        target,
        organizations: organizations && [...organizations],
        journal,
        shard,
        inputs: await hashFiles(inputs),
        outputs: await hashFiles(outputs),
        rejects,
        ...traffic,
        waits: Array.from(waits, ([reason, wait]) => ({ reason, ...wait })),
        timeline: timeline.end(),
      };
    },
  };
}

/** Most points of a timeline. */
const mostPoints = 240;

/**
 * Collects records done over time. The last point moves until its interval is over. When the list is full, every other point is
 * dropped and the interval doubles.
 */
function createTimeline() {
  let points: RunFacts['timeline'] = [];
  let interval = 0.05;
  return {
    add(seconds: number, records: number) {
      const before = points.at(-2);
      if (before !== undefined && seconds - before.seconds < interval) points.pop();
      points.push({ seconds: Math.round(seconds * 1000) / 1000, records });
      if (points.length < mostPoints) return;
      points = points.filter((_, at) => at % 2 === 1);
      interval *= 2;
    },
    end: () => points,
  };
}

/** Returns an empty object if the file is not a regular file or can no longer be read. */
async function hashFile(path: string) {
  if (!statIfThere(path)?.isFile()) return {};
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const block of createReadStream(path, {
      highWaterMark: 1024 * 1024,
    }) as AsyncIterable<Buffer>) {
      hash.update(block);
      bytes += block.length;
    }
  } catch {
    return {};
  }
  return { bytes, sha256: hash.digest('hex') };
}
