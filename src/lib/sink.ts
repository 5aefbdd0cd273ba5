/** Where finished bytes go: what storage opens and targets write to. */
export interface Sink {
  /** As the user gave it: a path, or `-` for standard output. */
  readonly name: string;
  /** Bytes taken so far. */
  readonly bytes: number;
  /** Takes text (as UTF-8) or bytes, which may be used again afterwards. A promise means: wait before the next one. */
  write(chunk: string | Uint8Array): void | Promise<void>;
  /** Everything is written: the output appears under its name. */
  commit(): Promise<void>;
  /** The run failed or was stopped: nothing of it is left. Harmless after `commit` and when called again. */
  discard(): void;
}
