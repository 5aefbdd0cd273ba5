/** A map of the most recent entries, each known for a while. */
import type { Clock } from '../../lib/clock.ts';

export type Recent<Value> = ReturnType<typeof createRecent<Value>>;

const mostKeys = 100_000;

/** `knownFor` in milliseconds. */
export function createRecent<Value>(clock: Clock, knownFor: number) {
  /** The most recent last. */
  const entries = new Map<string, { readonly value: Value; readonly until: number }>();
  return {
    /** Undefined where it is not known, or not any more. */
    get(key: string) {
      const entry = entries.get(key);
      return entry !== undefined && entry.until > clock.monotonic() ? entry.value : undefined;
    },
    put(key: string, value: Value) {
      entries.delete(key);
      entries.set(key, { value, until: clock.monotonic() + knownFor });
      if (entries.size > mostKeys) entries.delete(entries.keys().next().value!);
    },
    delete: (key: string) => void entries.delete(key),
  };
}
