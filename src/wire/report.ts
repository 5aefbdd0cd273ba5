/** The report file that `--report <file>.json` writes: the shape that programs may rely on. */
import { z } from 'zod';
import { runFacts } from './run-facts.ts';

const count = z.int().nonnegative();

const countedReason = z.object({
  code: z.string(),
  count,
  cause: z.string(),
  consequence: z.string(),
  remedy: z.string(),
});

/** A record that needs attention. */
export const reportedUser = z.object({
  /** The input as the user named it, and the place of the record in it, from 0. */
  input: z.string(),
  index: count,
  /** The source's own id, or its user name; empty when it has neither. */
  id: z.string(),
  /** As far as they could be read; else empty. */
  userName: z.string(),
  email: z.string(),
  /** The id of the organization at the target, where it is known. */
  orgId: z.string().optional(),
  /** `written`: only its `signIn` needs attention. */
  outcome: z.enum(['written', 'noted', 'rejected', 'skipped']),
  /** Of those who are written and cannot sign in right away with their old password: how else. */
  signIn: z.string().optional(),
  reasons: z.array(z.object({ code: z.string(), detail: z.string().optional(), remedy: z.string() })),
});
export type ReportedUser = z.infer<typeof reportedUser>;

/** Something about the inputs as a whole. */
export const reportedNotice = z.object({
  level: z.enum(['info', 'warning']),
  code: z.string(),
  text: z.string(),
  /** Where: lines of an input (elements where it has no lines), from 1, as ascending `[first, last]` pairs. */
  places: z.array(z.object({ input: z.string(), ranges: z.array(z.tuple([count, count])) })).optional(),
});

/** Emails that the import would send, or has sent, by reason. */
export const forecast = z.array(z.object({ kind: z.string(), count, cause: z.string() }));

/** Users by how they can sign in after the import; those with their old password are the first. */
export const signInCounts = z.array(z.object({ kind: z.string(), count, meaning: z.string() }));

export const reportSummary = z.object({
  read: count,
  written: count,
  withNotes: count,
  rejected: count,
  skipped: count,
  machines: count,
  /** True where `read = written + withNotes + rejected + skipped`. */
  addsUp: z.boolean(),
  passwords: z.array(z.object({ algorithm: z.string(), count })),
  /** Users by how they can sign in. */
  signIn: signInCounts,
  refusals: z.array(
    z.object({ algorithm: z.string(), code: z.string(), problem: z.string(), remedy: z.string(), count }),
  ),
  /** Users who are written, by algorithm of their password hash, in the source and as written. */
  hashes: z.array(z.object({ algorithm: z.string(), before: count, after: count })),
  notMigrated: z.array(z.object({ kind: z.string(), count, codes: z.array(z.string()) })),
  aliases: z.array(z.object({ alias: z.string(), count })),
  rejections: z.array(countedReason),
  skips: z.array(countedReason),
  notes: z.array(countedReason),
  emails: forecast,
  sms: count,
  otp: count,
  links: count,
  metadata: count,
  inactive: count,
});

/** Requests, seconds and price of a way to import; absent where it cannot be known. */
const way = z.object({
  requests: count,
  seconds: z.number().nonnegative().optional(),
  cost: z.number().nonnegative().optional(),
});

export const reportFile = z.object({
  format: z.literal('idport-report'),
  version: z.literal(1),
  verb: z.string(),
  inputs: z.array(z.string()),
  startedAt: z.iso.datetime(),
  users: z.array(reportedUser),
  notices: z.array(reportedNotice),
  seconds: z.number().nonnegative(),
  /** Only where the run gave up: why. The report is then about those who had come so far. */
  stopped: z.string().optional(),
  run: runFacts.optional(),
  /** Of migrate and check: the ways to import. */
  forecast: z
    .object({
      profile: z.string(),
      bulk: way,
      /** `import-users`. */
      single: way,
      /** Of all requests in bulk, measured as protobuf them. */
      bytes: z.number().nonnegative(),
      /** Users by what a way makes of them. */
      ways: z.object({
        single: count,
        bulk: count,
        onlyBulk: count,
        newIds: count,
        later: count,
        isOlder: z.boolean(),
        isLeast: z.boolean().optional(),
        emails: count,
        sms: count,
      }),
    })
    .optional(),
  summary: reportSummary,
});
export type ReportFile = z.infer<typeof reportFile>;
