/** An output that storage opens and targets write to. */
export interface Sink {
  /** Name as the user gave it: a path, or `-` for standard output. */
  readonly name: string;
  /** Bytes written so far. */
  readonly bytes: number;
  /**
   * Writes text (as UTF-8) or bytes, which may be reused afterwards. Await a returned promise before the next write.
   */
  write(chunk: string | Uint8Array): void | Promise<void>;
  /**
   * Throws unless there is room for this many more bytes, for output that must not fail at the end. Absent if nothing can tell.
   */
  reserve?(bytes: number): void;
  /** Completes the output, which then appears under its name. */
  commit(): Promise<void>;
  /** Removes the output if the run failed or was stopped. Does nothing after `commit` or when called again. */
  discard(): void;
}

/** Random access to bytes on disk. */
export interface SpillFile {
  /** Returns false if the bytes could not be written. */
  write(bytes: Uint8Array, at: number): boolean;
  /** Fills `into` with the bytes that start at `at`. */
  read(into: Uint8Array, at: number): void;
  close(): void;
}
