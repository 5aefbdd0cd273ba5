/** Runs work after the answer, and waits for all of it when the server closes. */
export interface Background {
  readonly run: (work: () => Promise<void>) => void;
  /** Resolves when nothing runs any more, also of what was started meanwhile. */
  readonly settled: () => Promise<void>;
}

/** Work handles its own errors; any other goes to `onError`. */
export function createBackground(onError: (error: unknown) => void): Background {
  const running = new Set<Promise<void>>();
  return {
    run(work) {
      const job: Promise<void> = work()
        .catch(onError)
        .finally(() => running.delete(job));
      running.add(job);
    },
    async settled() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
