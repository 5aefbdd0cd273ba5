/** The file that `import --report <file>.json` writes: the shape that programs may rely on. */
import { z } from 'zod';
import { forecast, signInCounts } from './report.ts';
import { runFacts } from './run-facts.ts';

const count = z.int().nonnegative();

/** An entry of the body that needs attention. */
export const reportedEntry = z.object({
  list: z.string(),
  /** Its place in the list, over all organizations, from 0. */
  index: count,
  orgId: z.string(),
  id: z.string(),
  userName: z.string(),
  email: z.string().optional(),
  outcome: z.enum(['failed', 'rejected', 'noted', 'written', 'existed']),
  /** Of a user who was created and cannot sign in right away with the old password. */
  signIn: z.string().optional(),
  code: z.string().optional(),
  detail: z.string().optional(),
  remedy: z.string().optional(),
});

export type EntryInFile = z.infer<typeof reportedEntry>;

export const importReportFile = z.object({
  format: z.literal('idport-import-report'),
  version: z.literal(1),
  input: z.string(),
  url: z.string(),
  startedAt: z.iso.datetime(),
  entries: z.array(reportedEntry),
  /** Only where the run gave up: why. */
  stopped: z.string().optional(),
  seconds: z.number().nonnegative(),
  run: runFacts.optional(),
  summary: z.object({
    /** `total = created + existed + failed + rejected + unchanged` */
    lists: z.array(
      z.object({
        list: z.string(),
        total: count,
        created: count,
        existed: count,
        failed: count,
        rejected: count,
        unchanged: count.optional(),
        withNotes: count.optional(),
      }),
    ),
    reasons: z.record(z.string(), count),
    /** Of users that were created. */
    signIn: signInCounts,
    emails: forecast,
    sms: count,
    passwords: z.array(z.object({ algorithm: z.string(), count })),
    otp: count,
    requests: count,
    lookedUp: count,
    takenApart: count,
  }),
});
