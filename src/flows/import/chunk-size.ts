/** How large requests may be: fixed limits, and a number of entries that follows the speed of the service. */
import type { ChunkLimits } from '../../targets/bulk/chunk.ts';

export interface ChunkSizeOptions {
  /** As protobuf and as JSON. */
  readonly bytes: number;
  readonly jsonBytes: number;
  /** Never more entries than this in a request. */
  readonly most: number;
  /** A request should take about so long, in seconds: far from every limit, and little is lost with it. */
  readonly seconds: number;
}

/** Enough to measure by. */
const first = 100;
/** Growing in steps: the first entries of a body are not like all others. */
const growth = 4;

export class ChunkSize {
  readonly #options: ChunkSizeOptions;
  #bytes: number;
  #jsonBytes: number;
  #entries: number;

  constructor(options: ChunkSizeOptions) {
    this.#options = options;
    this.#bytes = options.bytes;
    this.#jsonBytes = options.jsonBytes;
    this.#entries = Math.min(first, options.most);
  }

  get limits(): ChunkLimits {
    return { bytes: this.#bytes, jsonBytes: this.#jsonBytes, entries: this.#entries };
  }

  /** A request with so many entries was answered after so many seconds. */
  answered(entries: number, seconds: number): void {
    const fitting = (entries / Math.max(seconds, 0.001)) * this.#options.seconds;
    // A short request says little about a long one.
    const grown = Math.min(fitting, Math.max(entries, this.#entries) * growth);
    this.#entries = Math.max(1, Math.min(Math.floor(grown), this.#options.most));
  }

  /** Nobody knows how far the service came with so many entries. */
  unanswered(entries: number): void {
    this.#entries = Math.max(1, Math.floor(Math.min(entries, this.#entries) / 2));
  }

  /** The service, or something before it, refused a request of so many bytes for its size. */
  tooLarge(bytes: number, jsonBytes: number): void {
    this.#bytes = Math.min(this.#bytes, Math.floor(bytes * 0.75));
    this.#jsonBytes = Math.min(this.#jsonBytes, Math.floor(jsonBytes * 0.75));
  }
}
