/** The file that `verify --report <file>.json` writes: the shape that programs may rely on. */
import { z } from 'zod';
import { signInCounts } from './report.ts';
import { runFacts } from './run-facts.ts';

const count = z.int().nonnegative();

/** A user who is not at the target as expected. Names of fields and never their values. */
export const reportedUser = z.object({
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

export type ReportedComparison = z.infer<typeof reportedUser>;

export const reportedLogin = z.object({ userName: z.string(), succeeded: z.boolean(), detail: z.string() });

export const verifyReportFile = z.object({
  format: z.literal('idport-verify-report'),
  version: z.literal(1),
  inputs: z.array(z.string()),
  url: z.string(),
  orgs: z.array(z.string()),
  startedAt: z.iso.datetime(),
  users: z.array(reportedUser),
  logins: z.array(reportedLogin),
  seconds: z.number().nonnegative(),
  requests: count,
  run: runFacts.optional(),
  summary: z.object({
    same: count,
    /** The same, but active only in the source: they cannot sign in. */
    blocked: count,
    missing: count,
    differs: count,
    extra: count,
    unknown: count,
    /** Of the unknown ones: users that the list of the service, which is behind, does not show yet. */
    notYet: count,
    /** Service accounts of the target that were passed over. */
    accounts: count,
    /** How users sign in, as the target is; users of whom that is not known are left out. */
    signIn: signInCounts,
    /** Users by name of the field. */
    fields: z.record(z.string(), count),
    unknownFields: z.record(z.string(), count),
  }),
});
