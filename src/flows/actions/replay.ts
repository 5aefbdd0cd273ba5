/** Sends recorded calls again, one after the other. */
import { InputError } from '../../errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { parseSavedRequest, type SavedRequest } from '../../webhooks/saved-request.ts';
import { signatureHeader, signBody } from '../../wire/signature.ts';
import type { Forwarder } from './forward.ts';
import { readRecording } from './recordings.ts';

export interface Replayed {
  readonly path: string;
  /** Undefined where there was no response. */
  readonly status: number | undefined;
  readonly problem: string | undefined;
  readonly ms: number;
}

export interface ReplayOptions {
  /** Signs the calls anew, as of now; without, they keep their old signature. */
  readonly keys: readonly string[] | undefined;
  readonly cwd: string;
  readonly forward: Forwarder;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Throws `InputError` for a file that is no recorded call. */
export async function* replay(paths: readonly string[], options: ReplayOptions): AsyncGenerator<Replayed> {
  const { clock, forward, signal } = options;
  for (const path of paths) {
    signal.throwIfAborted();
    const saved = parseSavedRequest(await readRecording(path, options.cwd));
    if (saved === undefined) throw new InputError('input:not-a-call', path, 'it is not a recorded call');
    const call = options.keys === undefined ? saved : signAgain(saved, options.keys, clock.now());
    const started = clock.monotonic();
    let status: number | undefined;
    let problem: string | undefined;
    try {
      ({ status } = await forward.send(call, signal));
    } catch (error) {
      signal.throwIfAborted();
      problem = error instanceof Error ? error.message : String(error);
    }
    yield { path, status, problem, ms: clock.monotonic() - started };
  }
}

function signAgain(call: SavedRequest, keys: readonly string[], now: number): SavedRequest {
  const others = call.headers.filter(([name]) => name.toLowerCase() !== signatureHeader.toLowerCase());
  return { ...call, headers: [...others, [signatureHeader, signBody(call.body, keys, now / 1000)]] };
}
