/** Outputs that are being written, so that the process edge can remove them when a run is stopped. */
export interface Discardable {
  discard(): void;
}

const unfinished = new Set<Discardable>();

export function trackUnfinished(output: Discardable): void {
  unfinished.add(output);
}

export function forgetFinished(output: Discardable): void {
  unfinished.delete(output);
}

/** Removes everything that was begun and not committed. Synchronous, so it may run while the process ends. */
export function discardUnfinished(): void {
  for (const output of unfinished) output.discard();
  unfinished.clear();
}
