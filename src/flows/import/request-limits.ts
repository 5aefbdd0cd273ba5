/** How large the requests of a bulk import may be, and how long they may take. */
import { formatDuration, parseDuration } from '../../lib/go-duration.ts';
import type { ChunkLimits } from '../../targets/bulk/chunk.ts';

export interface ChunkSizeOptions {
  /** As protobuf and as JSON. */
  readonly bytes: number;
  readonly jsonBytes: number;
  /** Never more entries than this in a request. */
  readonly most: number;
  /** What a request should take, in seconds: far from every limit, and little is lost with it. */
  readonly seconds: number;
}

/** Enough to measure by. */
const first = 100;
/** In steps, because the first entries of a body may not be like the others. */
const growth = 4;

/** Fixed limits in bytes, and a number of entries that follows the speed of the service. */
export function createChunkSize({ bytes, jsonBytes, most, seconds: meant }: ChunkSizeOptions) {
  let limits: ChunkLimits = { bytes, jsonBytes, entries: Math.min(first, most) };
  return {
    get limits() {
      return limits;
    },
    /** A request with so many entries was answered after so many seconds. */
    answered(entries: number, seconds: number) {
      const fitting = (entries / Math.max(seconds, 0.001)) * meant;
      // A short request says little about a long one.
      const grown = Math.min(fitting, Math.max(entries, limits.entries) * growth);
      limits = { ...limits, entries: Math.max(1, Math.min(Math.floor(grown), most)) };
    },
    /** It is unknown how far the service came with so many entries. */
    unanswered(entries: number) {
      limits = { ...limits, entries: Math.max(1, Math.floor(Math.min(entries, limits.entries) / 2)) };
    },
    /** The service or a proxy refused a request of so many bytes because of its size. */
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
const nanoseconds = 1_000_000n;

/**
 * Of the Go durations of the flag and the body, the first that is not zero, which would time out at once.
 * `mostSeconds` is where the hosted service cuts calls off. `service` is in Go's normal form; `answer`, in milliseconds, is
 * somewhat longer, so that the service times out first.
 */
export function chooseTimeouts(
  flag: string | undefined,
  body: string | undefined,
  mostSeconds: number | null,
) {
  const requested = [flag, body]
    .map((text) => (text === undefined ? 0 : milliseconds(text)))
    .find((ms) => ms > 0);
  const chosen = Math.min(requested ?? usual, mostSeconds === null ? Infinity : mostSeconds * 1000);
  return { service: formatDuration(BigInt(Math.round(chosen)) * nanoseconds), answer: chosen + margin };
}

function milliseconds(text: string) {
  return Number(parseDuration(text) / nanoseconds);
}
