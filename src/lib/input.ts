/** Bytes with a name: what storage opens and sources read. */
export interface Input {
  /** As the user gave it: a path, `-` for standard input, `gs://bucket/path`. Used in messages and origins. */
  readonly name: string;
  /** Bytes on disk where known (before gzip is opened), for progress. */
  readonly size: number | undefined;
  /** False for standard input and pipes: `blocks` can then be called once only. */
  readonly repeatable: boolean;
  /** Bytes taken from disk (before gzip is opened) since `blocks` was last called, for progress. */
  taken(): number;
  /**
   * The plain bytes from the start: gzip is opened, a UTF-8 byte order mark is gone.
   * A block is valid until the next one is asked for.
   */
  blocks(): AsyncIterable<Uint8Array>;
}
