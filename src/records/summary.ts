/** Turns a tally into the summary that the screen, the report and its Markdown show. */
import { withoutFlags } from '../lib/sentences.ts';
import { lossKinds } from './losses.ts';
import { emailCauses, emailKinds, type EmailKind } from './messages.ts';
import { type Reason, type ReasonCode, reasons } from './reasons.ts';
import { countSignIn, type SignInCount } from './sign-in.ts';
import { count, type Counts, type Refusal, type Tally } from './tally.ts';

export interface CountedReason {
  readonly code: string;
  /** Users it concerns. */
  readonly count: number;
  readonly cause: string;
  readonly consequence: string;
  readonly remedy: string;
}

/** `plain text` is of the source only; `none` is users without a password hash. */
export interface HashCount {
  readonly algorithm: string;
  readonly before: number;
  readonly after: number;
}

/** Something of the source that the body does not carry: `kind` is a word for users, `codes` are what is counted. */
export interface NotMigrated {
  readonly kind: string;
  readonly count: number;
  readonly codes: readonly string[];
}

export interface Summary {
  readonly read: number;
  readonly written: number;
  readonly withNotes: number;
  readonly rejected: number;
  readonly skipped: number;
  readonly machines: number;
  /** True where `read = written + withNotes + rejected + skipped`. */
  readonly addsUp: boolean;
  /** Algorithms of the hashes written, the most frequent first; `none` is users without a password. */
  readonly passwords: readonly { readonly algorithm: string; readonly count: number }[];
  readonly signIn: readonly SignInCount[];
  readonly refusals: readonly Refusal[];
  /** Users by algorithm of their password hash: in the source, and as written. The most frequent first. */
  readonly hashes: readonly HashCount[];
  readonly notMigrated: readonly NotMigrated[];
  /** Identity providers of the source without a counterpart at the target, with the users who have a link to them. */
  readonly aliases: readonly { readonly alias: string; readonly count: number }[];
  /** Why records were rejected or skipped, then what else was noted; the most frequent first. */
  readonly rejections: readonly CountedReason[];
  readonly skips: readonly CountedReason[];
  readonly notes: readonly CountedReason[];
  /** Emails that the import would send, by reason; nothing with a count of 0. */
  readonly emails: readonly { readonly kind: EmailKind; readonly count: number; readonly cause: string }[];
  readonly sms: number;
  readonly otp: number;
  readonly links: number;
  readonly metadata: number;
  readonly inactive: number;
}

/** `given` are the flags of the run, which no remedy names. */
export function summarize(tally: Tally, given: readonly string[] = []): Summary {
  const flags = new Set(given);
  return {
    read: tally.read,
    written: tally.written,
    withNotes: tally.withNotes,
    rejected: tally.rejected,
    skipped: tally.skipped,
    machines: tally.machines,
    addsUp: tally.read === tally.written + tally.withNotes + tally.rejected + tally.skipped,
    passwords: byCount(tally.passwords).map(([algorithm, count]) => ({ algorithm, count })),
    signIn: countSignIn(tally.signIn),
    refusals: [...tally.refusals.values()]
      .sort((a, b) => b.count - a.count)
      .map((refusal) => withFitRemedy(refusal, flags)),
    hashes: countHashes(tally),
    notMigrated: notMigrated(tally),
    aliases: byCount(tally.aliases).map(([alias, count]) => ({ alias, count })),
    rejections: countedReasons(tally.reasons, 'rejected', flags),
    skips: countedReasons(tally.reasons, 'skipped', flags),
    notes: countedReasons(tally.reasons, 'note', flags),
    emails: describeEmails(tally.emails),
    sms: tally.sms,
    otp: tally.otp,
    links: tally.links,
    metadata: tally.metadata,
    inactive: tally.inactive,
  };
}

export function describeEmails(emails: Counts): Summary['emails'] {
  return emailKinds
    .filter((kind) => kind !== 'none' && (emails.get(kind) ?? 0) > 0)
    .map((kind) => ({ kind, count: emails.get(kind) ?? 0, cause: emailCauses[kind] }));
}

/** Plain passwords are written as bcrypt; users whose hash was dropped are written with none. */
function countHashes({ passwords, plain, dropped }: Tally): HashCount[] {
  const before = new Map(passwords);
  const move = (to: string, from: string, users: number): void => {
    before.set(from, Math.max(0, (before.get(from) ?? 0) - users));
    count(before, to, users);
  };
  if (plain > 0) move('plain text', 'bcrypt', plain);
  for (const [algorithm, users] of dropped) move(algorithm, 'none', users);
  return [...before.keys()]
    .map((algorithm) => ({
      algorithm,
      before: before.get(algorithm) ?? 0,
      after: passwords.get(algorithm) ?? 0,
    }))
    .filter(({ before, after }) => before + after > 0)
    .sort((a, b) => b.before - a.before || b.after - a.after || (a.algorithm < b.algorithm ? -1 : 1));
}

function notMigrated({ reasons: counts, repeats }: Tally): NotMigrated[] {
  return lossKinds
    .map(([kind, codes]) => {
      const seen = codes.filter((code) => (counts.get(code) ?? 0) > 0);
      const notes = seen.reduce((sum, code) => sum + (counts.get(code) ?? 0), 0);
      return { kind, codes: seen, count: notes - (repeats.get(kind) ?? 0) };
    })
    .filter(({ count }) => count > 0);
}

function withFitRemedy<Refused extends { readonly remedy: string }>(
  refusal: Refused,
  flags: ReadonlySet<string>,
): Refused {
  return { ...refusal, remedy: withoutFlags(refusal.remedy, flags) ?? nothingToDo };
}

/** A remedy that needs no line of its own. */
export const nothingToDo = 'Nothing to do.';

/** The remedy of a code for a run with these flags. */
export function remedyOf(code: ReasonCode, flags: ReadonlySet<string>): string {
  return withoutFlags(reasons[code].remedy, flags) ?? nothingToDo;
}

function countedReasons(
  counts: Counts,
  outcome: Reason['outcome'],
  flags: ReadonlySet<string>,
): CountedReason[] {
  return byCount(counts).flatMap(([code, count]) => {
    const reason: Reason = reasons[code as ReasonCode];
    if (reason.outcome !== outcome) return [];
    const { cause, consequence } = reason;
    return { code, count, cause, consequence, remedy: remedyOf(code as ReasonCode, flags) };
  });
}

/** The most frequent first, then by name, so that two runs over one input say the same in the same order. */
export function byCount(counts: Counts): [string, number][] {
  return [...counts].sort(([a, m], [b, n]) => n - m || Number(a > b) - Number(a < b));
}

/** How the summary of a verb speaks: `check` writes nothing, `import-users` has sent the emails. */
export interface VerbWords {
  /** What became of a record without trouble. */
  readonly taken: string;
  /** The users are at the target. */
  readonly done: boolean;
  readonly emails: string;
}

/** By the way that was chosen (`--route`); the others are compared by `records/sections.ts`. */
const forecast = 'Emails that the import would send';

const byVerb: ReadonlyMap<string, VerbWords> = new Map([
  ['check', { taken: 'would be written', done: false, emails: forecast }],
  ['import-users', { taken: 'written', done: true, emails: 'Emails that are sent' }],
]);

export function wordsOf(verb: string): VerbWords {
  return byVerb.get(verb) ?? { taken: 'written', done: false, emails: forecast };
}

const settingLine = /^(ZITADEL_[A-Z0-9_]+)=(\S+)$/;

/**
 * Each text is one or more environment lines with blanks between; other texts are passed over. The same setting named
 * twice becomes one line: lists are joined, of minima the lowest and of maxima the highest is kept.
 */
export function mergeSettings(texts: Iterable<string>): string[] {
  const merged = new Map<string, string>();
  for (const text of texts) {
    const lines = text.split(' ').map((word) => settingLine.exec(word));
    for (const line of lines.includes(null) ? [] : lines) {
      const [, name = '', value = ''] = line ?? [];
      const before = merged.get(name);
      merged.set(name, before === undefined ? value : combine(name, before, value));
    }
  }
  return Array.from(merged, ([name, value]) => `${name}=${value}`).sort();
}

function combine(name: string, one: string, other: string): string {
  if (/_MIN[A-Z0-9]+$/.test(name)) return String(Math.min(Number(one), Number(other)));
  if (/_MAX[A-Z0-9]+$/.test(name)) return String(Math.max(Number(one), Number(other)));
  return [...new Set([...one.split(','), ...other.split(',')])].join(',');
}
