/** A map that forgets its oldest entries, and each entry after some time. */
import type { Clock } from '../../lib/clock.ts';

export type Recent<Value> = ReturnType<typeof createRecent<Value>>;

const mostKeys = 100_000;

/** Entries expire after `knownFor` milliseconds. */
export function createRecent<Value>(clock: Clock, knownFor: number) {
  /** Most recent entries last. */
  const entries = new Map<string, { readonly value: Value; readonly until: number }>();
  return {
    /** Returns undefined for unknown and expired keys. */
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
