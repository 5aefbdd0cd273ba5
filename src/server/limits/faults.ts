/** Faults that tests inject to see how a client handles failures. */
import { z } from 'zod';

/**
 * A fault that tests inject. At most one of `status`, `reset` and `half` ends the request; `delay` can be used alone or
 * with one of them. With `when: "after"`, the server does its work and the answer is lost, so the client cannot know
 * what happened.
 */
export const faultSchema = z
  .strictObject({
    /** Any method if not set. */
    method: z.string().toUpperCase().optional(),
    /** Path; `*` matches anything, including slashes. Any path if not set. */
    path: z.string().default('*'),
    /** Number of matching requests that pass before the first one is hit. */
    after: z.int().min(0).default(0),
    /** Number of requests to hit. All of them if not set. */
    times: z.int().min(1).optional(),
    when: z.enum(['before', 'after']).default('before'),
    status: z.int().min(400).max(599).optional(),
    /** Body for `status`. A string is sent as text, anything else as JSON. */
    body: z.unknown().optional(),
    headers: z
      .record(z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/), z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/))
      .optional(),
    /** Cuts the connection without an answer. */
    reset: z.literal(true).optional(),
    /** Sends half of the answer's body, then cuts the connection. */
    half: z.literal(true).optional(),
    /** Milliseconds to wait before anything else happens. */
    delay: z.int().min(0).max(3_600_000).optional(),
  })
  .refine((fault) => endsOf(fault).length <= 1, { error: 'only one of status, reset and half' })
  .refine((fault) => fault.delay !== undefined || endsOf(fault).length > 0, {
    error: 'one of status, reset, half or delay is needed',
  });

/** Returns what ends a request. */
const endsOf = ({ status, reset, half }: { status?: unknown; reset?: unknown; half?: unknown }) =>
  [status, reset, half].filter((one) => one !== undefined);

export type FaultInput = z.input<typeof faultSchema>;
export type Fault = z.output<typeof faultSchema> & { readonly id: number };

export function createFaults() {
  let entries: (Fault & { readonly pattern: RegExp; seen: number; hit: number })[] = [];
  let ids = 0;
  const shown = (entry: (typeof entries)[number]) => {
    const { pattern: _, ...fault } = entry;
    return fault;
  };

  return {
    add(fault: z.output<typeof faultSchema>) {
      const path = fault.path.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*+/g, '.*');
      const entry = { ...fault, id: ++ids, pattern: new RegExp(`^${path}$`, 's'), seen: 0, hit: 0 };
      entries.push(entry);
      return shown(entry);
    },
    remove(id: number) {
      const before = entries.length;
      entries = entries.filter((fault) => fault.id !== id);
      return entries.length < before;
    },
    clear: () => {
      entries = [];
    },
    list: () => entries.map(shown),
    /** Counts the request for every fault that matches it. Returns the first fault that is due, if any. */
    next(method: string, path: string): Fault | undefined {
      const matching = entries.filter(
        (fault) => (fault.method ?? method) === method && fault.pattern.test(path),
      );
      for (const fault of matching) fault.seen++;
      const due = matching.find(({ seen, after, hit, times = Infinity }) => seen > after && hit < times);
      if (due !== undefined) due.hit++;
      return due;
    },
  };
}
