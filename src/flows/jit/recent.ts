/** A map of the most recent entries, each known for a while. */
import type { Clock } from '../../lib/clock.ts';

export interface Recent<Value> {
  /** Undefined where it is not known, or not any more. */
  get(key: string): Value | undefined;
  put(key: string, value: Value): void;
  delete(key: string): void;
}

const mostKeys = 100_000;

/** `knownFor` in milliseconds. */
export function createRecent<Value>(clock: Clock, knownFor: number): Recent<Value> {
  /** The most recent last. */
  const entries = new Map<string, { readonly value: Value; readonly until: number }>();
  return {
    get(key) {
      const entry = entries.get(key);
      return entry !== undefined && entry.until > clock.monotonic() ? entry.value : undefined;
    },
    put(key, value) {
      entries.delete(key);
      entries.set(key, { value, until: clock.monotonic() + knownFor });
      if (entries.size > mostKeys) entries.delete(entries.keys().next().value!);
    },
    delete: (key) => void entries.delete(key),
  };
}
