/** Work that nobody waits for in, a way to wait for all of it out: what a closing server lets end first. */
export interface Background {
  readonly run: (work: () => Promise<void>) => void;
  /** Resolves when nothing runs any more, also of what was started meanwhile. */
  readonly settled: () => Promise<void>;
}

/** Work has to handle its own errors; one that it does not is told to `onError`. */
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
