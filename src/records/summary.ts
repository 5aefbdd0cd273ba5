/** Turns a tally into the summary that the screen, the report and its Markdown show. */
import { withoutAdviceOn } from '../lib/strings.ts';
import { lossKinds, count, type Counts, type Tally } from './tally.ts';
import { emailCauses, emailKinds } from './messages.ts';
import { type Reason, type ReasonCode, reasons } from './reasons.ts';
import { countSignIn } from './sign-in.ts';

export type Summary = ReturnType<typeof summarize>;

/** `given` are the flags of the run. Remedies do not name them. */
export function summarize(tally: Tally, given: readonly string[] = []) {
  const flags = new Set(given);
  const {
    read,
    written,
    withNotes,
    rejected,
    skipped,
    machines,
    sms,
    otp,
    links,
    metadata,
    inactive,
    others,
  } = tally;
  return {
    read,
    written,
    withNotes,
    rejected,
    skipped,
    machines,
    addsUp: read === written + withNotes + rejected + skipped,
    /** Algorithms of the written hashes, the most frequent first. `none` counts users without a password. */
    passwords: byCount(tally.passwords).map(([algorithm, count]) => ({ algorithm, count })),
    signIn: countSignIn(tally.signIn),
    refusals: [...tally.refusals.values()]
      .sort((a, b) => b.count - a.count)
      .map((refusal) => ({ ...refusal, remedy: fitRemedy(refusal.remedy, flags) })),
    hashes: countHashes(tally),
    notMigrated: notMigrated(tally),
    /**
     * Identity providers of the source without a counterpart at the target, and the number of users with a link to
     * them.
     */
    aliases: byCount(tally.aliases).map(([alias, count]) => ({ alias, count })),
    /** Why records were rejected or skipped, and the notes, the most frequent first. */
    rejections: countedReasons(tally.reasons, 'rejected', flags),
    skips: countedReasons(tally.reasons, 'skipped', flags),
    notes: countedReasons(tally.reasons, 'note', flags),
    emails: describeEmails(tally.emails),
    sms,
    otp,
    links,
    metadata,
    inactive,
    /** Only set for a bulk import. */
    others: others.size === 0 ? undefined : Array.from(others, ([list, counts]) => ({ list, ...counts })),
  };
}

/** Returns the emails that the import would send, by reason. Reasons without emails are left out. */
function describeEmails(emails: Counts) {
  return emailKinds
    .filter((kind) => kind !== 'none' && (emails.get(kind) ?? 0) > 0)
    .map((kind) => ({ kind, count: emails.get(kind) ?? 0, cause: emailCauses[kind] }));
}

/**
 * Returns the number of users by algorithm of their password hash, in the source and as written, the most frequent
 * first. Plain passwords are written as bcrypt. Users whose hash was dropped are written with none.
 */
function countHashes({ passwords, plain, dropped }: Tally) {
  const before = new Map(passwords);
  const move = (to: string, from: string, users: number) => {
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

/** Returns what the body does not carry. `kind` is a word for users, `codes` are what was counted. */
function notMigrated({ reasons: counts, repeats }: Tally) {
  return lossKinds
    .map(([kind, codes]) => {
      const seen: string[] = codes.filter((code) => (counts.get(code) ?? 0) > 0);
      const notes = seen.reduce((sum, code) => sum + (counts.get(code) ?? 0), 0);
      return { kind, codes: seen, count: notes - (repeats.get(kind) ?? 0) };
    })
    .filter(({ count }) => count > 0);
}

/** A remedy that needs no line of its own. */
export const nothingToDo = 'Nothing to do.';

const fitRemedy = (remedy: string, flags: ReadonlySet<string>) =>
  withoutAdviceOn(remedy, flags) ?? nothingToDo;

/** Returns the remedy of a code for a run with these flags. */
export const remedyOf = (code: ReasonCode, flags: ReadonlySet<string>) =>
  fitRemedy(reasons[code].remedy, flags);

function countedReasons(counts: Counts, outcome: Reason['outcome'], flags: ReadonlySet<string>) {
  return byCount(counts).flatMap(([code, count]) => {
    const reason: Reason = reasons[code as ReasonCode];
    if (reason.outcome !== outcome) return [];
    const { cause, consequence } = reason;
    return { code, count, cause, consequence, remedy: remedyOf(code as ReasonCode, flags) };
  });
}

/** Sorts by frequency, then by name, so that two runs over the same input have the same order. */
export function byCount(counts: Counts) {
  return [...counts].sort(([a, m], [b, n]) => n - m || Number(a > b) - Number(a < b));
}

/** For the way that was chosen (`--route`). `records/sections.ts` compares the others. */
const forecast = 'Emails that the import would send';

/** Returns the words of a verb's summary: what happened to a record without problems, and whether emails are forecast. */
export function wordsOf(verb: string) {
  if (verb.startsWith('import')) return { taken: 'written', emails: 'Emails that are sent' };
  return { taken: verb === 'check' ? 'would be written' : 'written', emails: forecast };
}

/** A setting in a sentence, which may end with it. */
const setting = /\b(ZITADEL_[A-Z0-9_]+)=(\S*[^\s.])/g;

/**
 * Returns the environment lines that the texts name. If a setting is named twice, lists are joined. Of minima the
 * lowest is kept, of maxima the highest.
 */
export function mergeSettings(texts: Iterable<string>) {
  const merged = new Map<string, string>();
  for (const text of texts) {
    for (const [, name = '', value = ''] of text.matchAll(setting)) {
      const before = merged.get(name);
      merged.set(name, before === undefined ? value : combine(name, before, value));
    }
  }
  return Array.from(merged, ([name, value]) => `${name}=${value}`).sort();
}

function combine(name: string, one: string, other: string) {
  if (/_MIN[A-Z0-9]+$/.test(name)) return String(Math.min(Number(one), Number(other)));
  if (/_MAX[A-Z0-9]+$/.test(name)) return String(Math.max(Number(one), Number(other)));
  return [...new Set([...one.split(','), ...other.split(',')])].join(',');
}
