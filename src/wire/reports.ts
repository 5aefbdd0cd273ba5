/** The report files that `--report <file>.json` writes, by their `format`: programs may rely on these shapes. */
import { z } from 'zod';

const count = z.int().nonnegative();
/** Of seconds, bytes and prices. */
const amount = z.number().nonnegative().max(Number.MAX_SAFE_INTEGER);

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

const runFacts = z.object({
  /** The version of idport. */
  version: z.string(),
  node: z.string(),
  platform: z.string(),
  /** As it was typed, without tokens. */
  command: z.string(),
  /** The name of the target profile, where the verb uses one. */
  profile: z.string().optional(),
  /** The address of the service, where it was called. */
  target: z.string().optional(),
  organizations: z.array(z.string()).optional(),
  journal: z.string().optional(),
  /** Of a run with `--shard`: `2/4`. */
  shard: z.string().optional(),
  inputs: z.array(hashedFile),
  /** The body that the run wrote. */
  outputs: z.array(hashedFile),
  /** The file of rejected records, to be fixed and read again. */
  rejects: z.string().optional(),
  /** Requests, with those that were sent again; 429 responses. */
  requests: count,
  retries: count,
  tooManyRequests: count,
  waits: z.array(z.object({ reason: z.string(), times: count, seconds: amount })),
  /** Records done after so many seconds; at most 240 points, ascending. */
  timeline: z.array(z.object({ seconds: amount, records: count })),
});
export type RunFacts = z.infer<typeof runFacts>;

/** The part about the run in every report. */
const ofRun = {
  version: z.literal(1),
  startedAt: z.iso.datetime(),
  seconds: amount,
  run: runFacts.optional(),
};

const withCount = <Fields extends z.ZodRawShape>(fields: Fields) => z.array(z.object({ ...fields, count }));

/** Emails that the import would send, or has sent, by reason. */
const emails = withCount({ kind: z.string(), cause: z.string() });

/** Users by how they can sign in after the import; those with their old password are the first. */
const signIn = withCount({ kind: z.string(), meaning: z.string() });

const passwords = withCount({ algorithm: z.string() });

const countedReasons = withCount({
  code: z.string(),
  cause: z.string(),
  consequence: z.string(),
  remedy: z.string(),
});

/** A record that needs attention; of a bulk import, also one of another list, which `input` names. */
const convertedUser = z.object({
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
  /** For users who cannot sign in right away with their old password: how they can. */
  signIn: z.string().optional(),
  reasons: z.array(z.object({ code: z.string(), detail: z.string().optional(), remedy: z.string() })),
});

export type ReportedUser = z.infer<typeof convertedUser>;

/** Something about the inputs as a whole. */
const reportedNotice = z.object({
  level: z.enum(['info', 'warning']),
  code: z.string(),
  text: z.string(),
  /** Where: lines of an input (elements where it has no lines), from 1, as ascending `[first, last]` pairs. */
  places: z.array(z.object({ input: z.string(), ranges: z.array(z.tuple([count, count])) })).optional(),
});

/** Requests, seconds and price of a way to import; absent where it cannot be known. */
const way = z.object({
  requests: count,
  seconds: amount.optional(),
  cost: amount.optional(),
});

export const reportFile = z.object({
  format: z.literal('idport-report'),
  ...ofRun,
  verb: z.string(),
  inputs: z.array(z.string()),
  users: z.array(convertedUser),
  notices: z.array(reportedNotice),
  /** Why the run gave up, if it did. The report then covers the users up to there. */
  stopped: z.string().optional(),
  /** Of migrate and check: the ways to import. */
  forecast: z
    .object({
      profile: z.string(),
      bulk: way,
      /** `import-users`. */
      single: way,
      /** Of all requests in bulk, as protobuf. */
      bytes: amount,
      /** Users by outcome. */
      ways: z.object({
        single: count,
        bulk: count,
        onlyBulk: count,
        newIds: count,
        later: count,
        isOlder: z.boolean(),
        emails: count,
        sms: count,
      }),
    })
    .optional(),
  summary: z.object({
    read: count,
    written: count,
    withNotes: count,
    rejected: count,
    skipped: count,
    machines: count,
    /** True where `read = written + withNotes + rejected + skipped`. */
    addsUp: z.boolean(),
    passwords,
    signIn,
    refusals: withCount({
      algorithm: z.string(),
      code: z.string(),
      problem: z.string(),
      remedy: z.string(),
    }),
    /** Users who are written, by algorithm of their password hash, in the source and as written. */
    hashes: z.array(z.object({ algorithm: z.string(), before: count, after: count })),
    notMigrated: withCount({ kind: z.string(), codes: z.array(z.string()) }),
    aliases: withCount({ alias: z.string() }),
    rejections: countedReasons,
    skips: countedReasons,
    notes: countedReasons,
    emails,
    sms: count,
    otp: count,
    links: count,
    metadata: count,
    inactive: count,
    /** Entries of lists that hold no users, of a bulk import: `read = written + rejected + skipped`. */
    others: z
      .array(z.object({ list: z.string(), read: count, written: count, rejected: count, skipped: count }))
      .optional(),
  }),
});
export type ReportFile = z.infer<typeof reportFile>;

/** A user who differs at the target. Names of fields, never their values. */
const comparedUser = z.object({
  outcome: z.enum(['blocked', 'missing', 'extra', 'differs', 'unknown']),
  /** In the source: the input, the place of the record in it from 0, its id. Absent for `extra`. */
  place: z.object({ input: z.string(), index: count, id: z.string() }).optional(),
  /** At the target; empty where no user was found. */
  targetId: z.string(),
  userName: z.string(),
  /** As the source has it, for `extra` the target. */
  email: z.string(),
  fields: z.array(z.string()),
  unknown: z.array(z.string()),
  detail: z.string(),
});
export type ReportedComparison = z.infer<typeof comparedUser>;

export const verifyReportFile = z.object({
  format: z.literal('idport-verify-report'),
  ...ofRun,
  inputs: z.array(z.string()),
  url: z.string(),
  orgs: z.array(z.string()),
  users: z.array(comparedUser),
  logins: z.array(z.object({ userName: z.string(), succeeded: z.boolean(), detail: z.string() })),
  requests: count,
  summary: z.object({
    same: count,
    /** Equal except that they are active only in the source: they cannot sign in. */
    blocked: count,
    missing: count,
    differs: count,
    extra: count,
    unknown: count,
    /** Unknown because the service's list does not show them yet. */
    notYet: count,
    /** Service accounts of the target, which are not compared. */
    accounts: count,
    /** How users sign in at the target, as far as it is known. */
    signIn,
    /** Users by name of the field. */
    fields: z.record(z.string(), count),
    unknownFields: z.record(z.string(), count),
  }),
});

/** A user of the run who was not deleted. */
const keptUser = z.object({
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

const undoReportFile = z.object({
  format: z.literal('idport-undo-report'),
  ...ofRun,
  journal: z.string(),
  url: z.string(),
  users: z.array(keptUser),
  /** Nothing was deleted: the number was not confirmed. */
  dryRun: z.boolean(),
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

/** The report of a run that ended before it had anything to report. */
export const stoppedReportFile = z.object({
  format: z.literal('idport-stopped-report'),
  ...ofRun,
  verb: z.string(),
  /** Always empty. */
  users: z.array(z.never()),
  /** Why the run ended, and what to do. */
  stopped: z.string(),
  hint: z.string().optional(),
  exitCode: z.int().nonnegative(),
});

/** `item` is the shape of a user. */
export const reportFormats = {
  'idport-report': { file: reportFile, item: convertedUser },
  'idport-verify-report': { file: verifyReportFile, item: comparedUser },
  'idport-undo-report': { file: undoReportFile, item: keptUser },
  'idport-stopped-report': { file: stoppedReportFile, item: z.never() },
} as const;
