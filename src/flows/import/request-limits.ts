/** Limits the size of the requests of a bulk import, and the time they may take. */
import { formatDuration, parseDuration } from '../../lib/go-duration.ts';
import type { ChunkLimits } from '../../targets/bulk/chunk.ts';

export interface ChunkSizeOptions {
  /** Limits of a request as protobuf and as JSON, in bytes. */
  readonly bytes: number;
  readonly jsonBytes: number;
  /** Maximum number of entries in a request. */
  readonly most: number;
  /** Target duration of a request in seconds: far from every limit, and little is lost if its answer is. */
  readonly seconds: number;
}

/** Entries of the first request: enough to measure by. */
const first = 100;
/** Factor by which requests may grow at once. The first entries of a body may not be like the others. */
const growth = 4;

/** Holds fixed limits in bytes, and a number of entries that follows the speed of the service. */
export function createChunkSize({ bytes, jsonBytes, most, seconds: meant }: ChunkSizeOptions) {
  let limits: ChunkLimits = { bytes, jsonBytes, entries: Math.min(first, most) };
  return {
    get limits() {
      return limits;
    },
    /** Adjusts the limits after a request with so many entries was answered after so many seconds. */
    answered(entries: number, seconds: number) {
      const fitting = (entries / Math.max(seconds, 0.001)) * meant;
      // The time of a short request says little about a long one.
      const grown = Math.min(fitting, Math.max(entries, limits.entries) * growth);
      limits = { ...limits, entries: Math.max(1, Math.min(Math.floor(grown), most)) };
    },
    /** Halves the entries after a lost answer: it is unknown how far the service came. */
    unanswered(entries: number) {
      limits = { ...limits, entries: Math.max(1, Math.floor(Math.min(entries, limits.entries) / 2)) };
    },
    /** Lowers the limits after the service or a proxy refused a request of so many bytes because of its size. */
    tooLarge(bytes: number, jsonBytes: number) {
      limits = {
        ...limits,
        bytes: Math.min(limits.bytes, Math.floor(bytes * 0.75)),
        jsonBytes: Math.min(limits.jsonBytes, Math.floor(jsonBytes * 0.75)),
      };
    },
  };
}

const usual = 30 * 60 * 1000;
const margin = 15_000;

/**
 * Chooses the first of the flag's and the body's Go durations that is not zero, which would time out at once. `mostSeconds` is
 * where the hosted service cuts calls off. `service` is in Go's normal form. `answer`, in milliseconds, is somewhat longer, so
 * that the service times out first.
 */
export function chooseTimeouts(
  flag: string | undefined,
  body: string | undefined,
  mostSeconds: number | null,
) {
  const requested = [flag, body]
    .map((text) => (text === undefined ? 0 : parseDuration(text)))
    .find((ms) => ms > 0);
  const chosen = Math.min(requested ?? usual, mostSeconds === null ? Infinity : mostSeconds * 1000);
  return { service: formatDuration(Math.round(chosen)), answer: chosen + margin };
}
