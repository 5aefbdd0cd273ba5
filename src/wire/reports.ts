/** Schemas of the files that `--report <file>.json` writes, by `format`. Programs may rely on these shapes. */
import { z } from 'zod';

const text = z.string();
const count = z.int().nonnegative();
/** Seconds, bytes or a price. */
const amount = z.number().nonnegative().max(Number.MAX_SAFE_INTEGER);

const listOf = <Fields extends z.ZodRawShape>(fields: Fields) => z.array(z.object(fields));
const withCount = <Fields extends z.ZodRawShape>(fields: Fields) => listOf({ ...fields, count });

/** A file on disk. Size and hash are absent if it is not a regular file: a pipe, standard input. */
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
  /** Version of idport. */
  version: text,
  node: text,
  platform: text,
  /** Command as it was typed, without tokens. */
  command: text,
  /** Name of the target profile, if the verb uses one. */
  profile: text.optional(),
  /** Address of the service, if it was called. */
  target: text.optional(),
  organizations: z.array(text).optional(),
  journal: text.optional(),
  /** Shard of a run with `--shard`, for example `2/4`. */
  shard: text.optional(),
  inputs: z.array(hashedFile),
  /** Body that the run wrote. */
  outputs: z.array(hashedFile),
  /** File of rejected records, to be fixed and read again. */
  rejects: text.optional(),
  /** Requests, including the retries. `tooManyRequests` counts 429 responses. */
  requests: count,
  retries: count,
  tooManyRequests: count,
  waits: listOf({ reason: text, times: count, seconds: amount }),
  /** Records done after a number of seconds; at most 240 points, ascending. */
  timeline: listOf({ seconds: amount, records: count }),
});
export type RunFacts = z.infer<typeof runFacts>;

/** Fields about the run, which every report has. */
const ofRun = {
  version: z.literal(1),
  startedAt: z.iso.datetime(),
  seconds: amount,
  run: runFacts.optional(),
};

/** Emails that the import would send, or has sent, by reason. */
const emails = withCount({ kind: text, cause: text });

/** Users by how they can sign in after the import. Those with their old password come first. */
const signIn = withCount({ kind: text, meaning: text });

const passwords = withCount({ algorithm: text });

const countedReasons = withCount({
  code: text,
  cause: text,
  consequence: text,
  remedy: text,
});

/** A record that needs attention. In a bulk import it may be of another list, which `input` names. */
const convertedUser = z.object({
  /** Input as the user named it. `index` is the position of the record in it, from 0. */
  input: text,
  index: count,
  /** Id at the source, or the user name; empty if it has neither. */
  id: text,
  /** User name and email; empty if they could not be read. */
  userName: text,
  email: text,
  /** Id of the organization at the target, if known. */
  orgId: text.optional(),
  /** `written` means that only `signIn` needs attention. */
  outcome: z.enum(['written', 'noted', 'rejected', 'skipped']),
  /** How a user can sign in who cannot do so right away with the old password. */
  signIn: text.optional(),
  reasons: listOf({ code: text, detail: text.optional(), remedy: text }),
});

export type ReportedUser = z.infer<typeof convertedUser>;

/** A notice about the inputs as a whole. */
const reportedNotice = z.object({
  level: z.enum(['info', 'warning']),
  code: text,
  text,
  /** Lines of an input (elements if it has no lines), from 1, as ascending `[first, last]` pairs. */
  places: listOf({ input: text, ranges: z.array(z.tuple([count, count])) }).optional(),
});

/** Requests, seconds and price of a way to import. Seconds and price are absent if they cannot be known. */
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
  /** Why the run stopped early, if it did. The report then covers the users up to that point. */
  stopped: text.optional(),
  /** Comparison of the ways to import, for migrate and check. */
  forecast: z
    .object({
      profile: text,
      bulk: way,
      /** One by one, with `import-users`. */
      single: way,
      /** Size of all bulk requests in bytes of protobuf. */
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
    /** Whether `read = written + withNotes + rejected + skipped`. */
    addsUp: z.boolean(),
    passwords,
    signIn,
    refusals: withCount({
      algorithm: text,
      code: text,
      problem: text,
      remedy: text,
    }),
    /** Written users by algorithm of their password hash, in the source and as written. */
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
    /** Entries of lists without users in a bulk import: `read = written + rejected + skipped`. */
    others: z
      .array(z.object({ list: text, read: count, written: count, rejected: count, skipped: count }))
      .optional(),
  }),
});
export type ReportFile = z.infer<typeof reportFile>;

/** A user who differs at the target. It names fields, but never their values. */
const comparedUser = z.object({
  outcome: z.enum(['blocked', 'missing', 'extra', 'differs', 'unknown']),
  /** Place in the source: input, position of the record from 0, id. Absent for `extra`. */
  place: z.object({ input: text, index: count, id: text }).optional(),
  /** Id at the target; empty if no user was found. */
  targetId: text,
  userName: text,
  /** Email in the source; for `extra`, at the target. */
  email: text,
  fields: z.array(text),
  unknown: z.array(text),
  detail: text,
});

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
    /** Users who are equal except that they are active only in the source: they cannot sign in. */
    blocked: count,
    missing: count,
    differs: count,
    extra: count,
    unknown: count,
    /** Users who are unknown because the service's list does not show them yet. */
    notYet: count,
    /** Service accounts of the target, which are not compared. */
    accounts: count,
    /** How users sign in at the target, as far as known. */
    signIn,
    /** Users by the name of the field. */
    fields: z.record(text, count),
    unknownFields: z.record(text, count),
  }),
});

/** A user of the run who was not deleted. */
const keptUser = z.object({
  outcome: z.enum(['changed', 'foreign', 'refused']),
  /** Id in the source. */
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
  /** Whether nothing was deleted because the number was not confirmed. */
  dryRun: z.boolean(),
  /** Why the rollback stopped before its end. */
  stopped: text.optional(),
  /** `created = deleted + gone + foreign + changed + refused`, except in a dry run and after a stop. */
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
  /** Why the run ended. `hint` says what to do. */
  stopped: text,
  hint: text.optional(),
  exitCode: count,
});

/** Schemas by `format`; `item` is the schema of a user. */
export const reportFormats = {
  'idport-report': { file: reportFile, item: convertedUser },
  'idport-verify-report': { file: verifyReportFile, item: comparedUser },
  'idport-undo-report': { file: undoReportFile, item: keptUser },
  'idport-stopped-report': { file: stoppedReportFile, item: z.never() },
} as const;
