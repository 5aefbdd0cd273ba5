/** What the flag, the body and the target say about time in; how long the service and the client wait out. */
import { formatDuration, parseDuration } from '../../lib/go-duration.ts';

export interface Timeouts {
  /** What the service is told, in Go's normal form. */
  readonly service: string;
  /** How long an answer may take, in milliseconds: somewhat longer, so that the service gives up first. */
  readonly answer: number;
}

const usual = 30 * 60 * 1000;
const margin = 15_000;
const nanoseconds = 1_000_000n;

/**
 * Go durations in; `mostSeconds` where something cuts calls off. One of zero would time out at once and is passed over.
 */
export function chooseTimeouts(
  flag: string | undefined,
  body: string | undefined,
  mostSeconds: number | null,
): Timeouts {
  const wanted = [flag, body]
    .map((text) => (text === undefined ? 0 : milliseconds(text)))
    .find((ms) => ms > 0);
  const chosen = Math.min(wanted ?? usual, mostSeconds === null ? Infinity : mostSeconds * 1000);
  return { service: formatDuration(BigInt(Math.round(chosen)) * nanoseconds), answer: chosen + margin };
}

function milliseconds(text: string): number {
  return Number(parseDuration(text) / nanoseconds);
}
