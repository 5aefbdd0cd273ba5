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
  /**
   * The file itself; absent, or nothing, where there is none or its bytes are not the plain ones. Whoever opens it
   * closes it. Its `blocks` and what it passes count as `taken`.
   */
  readonly open?: () => OpenFile | undefined;
}

/** A file of plain bytes that can be read from any place. */
export interface OpenFile {
  /** Good on all threads, until it is closed. */
  readonly descriptor: number;
  /** How many bytes were there, from `offset` on; less than there is room for only where the file ends. */
  read(into: Uint8Array, offset: number): number;
  /** As those of an input, from `offset` on. */
  blocks(offset: number): AsyncIterable<Uint8Array>;
  /** All before `offset` has been read, or others will. */
  pass(offset: number): void;
  /** Whether it is no longer as it was when it was named. */
  hasChanged(): boolean;
  close(): void;
}
