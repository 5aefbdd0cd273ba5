/** What every report says of its run as a whole. */
import { z } from 'zod';

const count = z.int().nonnegative();
const seconds = z.number().nonnegative();

/** A file as it lies on disk. Without size and hash where it is no regular file: a pipe, standard input. */
const hashedFile = z.object({
  name: z.string(),
  bytes: count.optional(),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
});
export type HashedFile = z.infer<typeof hashedFile>;

export const runFacts = z.object({
  /** The version of idport. */
  version: z.string(),
  node: z.string(),
  platform: z.string(),
  /** As it was typed, with tokens left out. */
  command: z.string(),
  /** The name of the target profile, where the verb uses one. */
  profile: z.string().optional(),
  /** The address of the service, where it was asked. */
  target: z.string().optional(),
  organizations: z.array(z.string()).optional(),
  journal: z.string().optional(),
  inputs: z.array(hashedFile),
  /** The body that the run wrote. */
  outputs: z.array(hashedFile),
  /** Requests, with those that were sent again; 429 responses. */
  requests: count,
  retries: count,
  tooManyRequests: count,
  waits: z.array(z.object({ reason: z.string(), times: count, seconds })),
  /** Records done after so many seconds; at most 240 points, ascending. */
  timeline: z.array(z.object({ seconds, records: count })),
});
export type RunFacts = z.infer<typeof runFacts>;
