/** The file that `undo --report <file>.json` writes: the shape that programs may rely on. */
import { z } from 'zod';
import { runFacts } from './run-facts.ts';

const count = z.int().nonnegative();

/** A user of the run who is not deleted. */
export const keptUser = z.object({
  outcome: z.enum(['changed', 'foreign', 'refused']),
  /** In the source. */
  id: z.string(),
  targetId: z.string(),
  orgId: z.string(),
  userName: z.string(),
  email: z.string(),
  detail: z.string(),
});
export type KeptUser = z.infer<typeof keptUser>;

export const undoReportFile = z.object({
  format: z.literal('idport-undo-report'),
  version: z.literal(1),
  journal: z.string(),
  url: z.string(),
  startedAt: z.iso.datetime(),
  users: z.array(keptUser),
  /** Nothing was deleted: the number was not confirmed. */
  dryRun: z.boolean(),
  seconds: z.number().nonnegative(),
  run: runFacts.optional(),
  /** `created = deleted + gone + foreign + changed + refused`, but for a dry run. */
  summary: z.object({
    created: count,
    deleted: count,
    gone: count,
    foreign: count,
    changed: count,
    refused: count,
  }),
});
