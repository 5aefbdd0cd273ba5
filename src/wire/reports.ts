/** The report files that `--report <file>.json` writes, by their `format`: programs may rely on these shapes. */
import { z } from 'zod';

const text = z.string();
const count = z.int().nonnegative();
/** Of seconds, bytes and prices. */
const amount = z.number().nonnegative().max(Number.MAX_SAFE_INTEGER);

const listOf = <Fields extends z.ZodRawShape>(fields: Fields) => z.array(z.object(fields));
const withCount = <Fields extends z.ZodRawShape>(fields: Fields) => listOf({ ...fields, count });

/** A file as it lies on disk. Without size and hash where it is no regular file: a pipe, standard input. */
const hashedFile = z.object({
  name: text,
  bytes: count.optional(),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
});
export type HashedFile = z.infer<typeof hashedFile>;

const runFacts = z.object({
  /** The version of idport. */
  version: text,
  node: text,
  platform: text,
  /** As it was typed, without tokens. */
  command: text,
  /** The name of the target profile, where the verb uses one. */
  profile: text.optional(),
  /** The address of the service, where it was called. */
  target: text.optional(),
  organizations: z.array(text).optional(),
  journal: text.optional(),
  /** Of a run with `--shard`: `2/4`. */
  shard: text.optional(),
  inputs: z.array(hashedFile),
  /** The body that the run wrote. */
  outputs: z.array(hashedFile),
  /** The file of rejected records, to be fixed and read again. */
  rejects: text.optional(),
  /** Requests, with those that were sent again; 429 responses. */
  requests: count,
  retries: count,
  tooManyRequests: count,
  waits: listOf({ reason: text, times: count, seconds: amount }),
  /** Records done after so many seconds; at most 240 points, ascending. */
  timeline: listOf({ seconds: amount, records: count }),
});
export type RunFacts = z.infer<typeof runFacts>;

/** The part about the run in every report. */
const ofRun = {
  version: z.literal(1),
  startedAt: z.iso.datetime(),
  seconds: amount,
  run: runFacts.optional(),
};

/** Emails that the import would send, or has sent, by reason. */
const emails = withCount({ kind: text, cause: text });

/** Users by how they can sign in after the import; those with their old password are the first. */
const signIn = withCount({ kind: text, meaning: text });

const passwords = withCount({ algorithm: text });

const countedReasons = withCount({
  code: text,
  cause: text,
  consequence: text,
  remedy: text,
});

/** A record that needs attention; of a bulk import, also one of another list, which `input` names. */
const convertedUser = z.object({
  /** The input as the user named it, and the place of the record in it, from 0. */
  input: text,
  index: count,
  /** The source's own id, or its user name; empty when it has neither. */
  id: text,
  /** As far as they could be read; else empty. */
  userName: text,
  email: text,
  /** The id of the organization at the target, where it is known. */
  orgId: text.optional(),
  /** `written`: only its `signIn` needs attention. */
  outcome: z.enum(['written', 'noted', 'rejected', 'skipped']),
  /** For users who cannot sign in right away with their old password: how they can. */
  signIn: text.optional(),
  reasons: listOf({ code: text, detail: text.optional(), remedy: text }),
});

export type ReportedUser = z.infer<typeof convertedUser>;

/** Something about the inputs as a whole. */
const reportedNotice = z.object({
  level: z.enum(['info', 'warning']),
  code: text,
  text: text,
  /** Where: lines of an input (elements where it has no lines), from 1, as ascending `[first, last]` pairs. */
  places: listOf({ input: text, ranges: z.array(z.tuple([count, count])) }).optional(),
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
  verb: text,
  inputs: z.array(text),
  users: z.array(convertedUser),
  notices: z.array(reportedNotice),
  /** Why the run gave up, if it did. The report then covers the users up to there. */
  stopped: text.optional(),
  /** Of migrate and check: the ways to import. */
  forecast: z
    .object({
      profile: text,
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
      algorithm: text,
      code: text,
      problem: text,
      remedy: text,
    }),
    /** Users who are written, by algorithm of their password hash, in the source and as written. */
    hashes: listOf({ algorithm: text, before: count, after: count }),
    notMigrated: withCount({ kind: text, codes: z.array(text) }),
    aliases: withCount({ alias: text }),
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
      .array(z.object({ list: text, read: count, written: count, rejected: count, skipped: count }))
      .optional(),
  }),
});
export type ReportFile = z.infer<typeof reportFile>;

/** A user who differs at the target. Names of fields, never their values. */
const comparedUser = z.object({
  outcome: z.enum(['blocked', 'missing', 'extra', 'differs', 'unknown']),
  /** In the source: the input, the place of the record in it from 0, its id. Absent for `extra`. */
  place: z.object({ input: text, index: count, id: text }).optional(),
  /** At the target; empty where no user was found. */
  targetId: text,
  userName: text,
  /** As the source has it, for `extra` the target. */
  email: text,
  fields: z.array(text),
  unknown: z.array(text),
  detail: text,
});
export type ReportedComparison = z.infer<typeof comparedUser>;

export const verifyReportFile = z.object({
  format: z.literal('idport-verify-report'),
  ...ofRun,
  inputs: z.array(text),
  url: text,
  orgs: z.array(text),
  users: z.array(comparedUser),
  logins: listOf({ userName: text, succeeded: z.boolean(), detail: text }),
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
    fields: z.record(text, count),
    unknownFields: z.record(text, count),
  }),
});

/** A user of the run who was not deleted. */
const keptUser = z.object({
  outcome: z.enum(['changed', 'foreign', 'refused']),
  /** In the source. */
  id: text,
  targetId: text,
  orgId: text,
  userName: text,
  email: text,
  detail: text,
});
export type KeptUser = z.infer<typeof keptUser>;

const undoReportFile = z.object({
  format: z.literal('idport-undo-report'),
  ...ofRun,
  journal: text,
  url: text,
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
  verb: text,
  /** Always empty. */
  users: z.array(z.never()),
  dryRun: z.boolean().optional(),
  /** Why the run ended, and what to do. */
  stopped: text,
  hint: text.optional(),
  exitCode: count,
});

/** `item` is the shape of a user. */
export const reportFormats = {
  'idport-report': { file: reportFile, item: convertedUser },
  'idport-verify-report': { file: verifyReportFile, item: comparedUser },
  'idport-undo-report': { file: undoReportFile, item: keptUser },
  'idport-stopped-report': { file: stoppedReportFile, item: z.never() },
} as const;
