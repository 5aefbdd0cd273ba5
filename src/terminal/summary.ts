/** The summary at the end of every run, and what to do next. */
import type { EventOf } from '../events.ts';
import {
  formatBytes,
  formatCount,
  formatCounted,
  formatSeconds,
  printable,
  nameWithId,
  shellWord,
  withoutFlags,
  wordsOf,
} from '../lib/format.ts';
import {
  remediesOf,
  undoOutcomes,
  undoSection,
  verifySections,
  verifyOutcomes,
} from '../records/outcomes.ts';
import {
  nameOfList,
  reasonSections,
  runSections,
  type Row,
  type Section,
  waysSection,
} from '../records/sections.ts';
import { summarize, type Summary } from '../records/summary.ts';
import { noPaint, type Paint } from './paint.ts';
import type { RunState, WrittenFile } from './run-state.ts';
import { wrap } from './text.ts';
import { loginPagesHint } from '../records/placeholder-password.ts';
import { emailsAtFirstLogin, onlyBulkCodes } from '../records/sign-in.ts';

type RunEnd = EventOf<'run:end' | 'export:end' | 'verify:end' | 'undo:end'>;
type Ended = Pick<RunState, 'files'> & Partial<RunState>;

/** Returns no lines for a rollback that deleted every user of the run. Empty sections are left out. */
export function formatEnd(end: RunEnd, state: Ended, width: number, paint: Paint = noPaint) {
  if (end.type === 'undo:end' && end.users.deleted === end.users.created) return [];
  const { sections, next } = describeEnd(end, state);
  const rows = state.files.map(({ path, what, bytes }) => ({
    text: `${path === '-' ? 'standard output' : path} (${what}, ${formatBytes(bytes)})`,
  }));
  const files = { title: 'Files', rows };
  const steps = { title: 'Next', rows: next.map((text) => ({ text })) };
  return formatSections([...sections, files, steps], width, paint);
}

function describeEnd(end: RunEnd, { files, flags = [], command = '', forecast }: Ended) {
  switch (end.type) {
    case 'run:end': {
      const { verb, tally, seconds } = end;
      const summary = summarize(tally, flags);
      return {
        sections: [...runSections(summary, verb, seconds), ...reasonSections(summary), waysSection(forecast)],
        next: nextSteps({ verb, summary, files, flags, command }),
      };
    }
    case 'export:end':
      return { sections: exportSections(end), next: [] };
    case 'verify:end':
      return { sections: verifySections(end), next: afterVerify(end, { files, flags }) };
    case 'undo:end': {
      const time = `${formatSeconds(end.seconds)}, ${formatCounted(end.requests, 'request')}`;
      return { sections: [undoSection(end.users, time)], next: remediesOf(undoOutcomes, end.users) };
    }
  }
}

function exportSections({ orgs, lost, seconds }: EventOf<'export:end'>): Section[] {
  const users = orgs.reduce((sum, { counts }) => sum + (counts['humanUsers'] ?? 0), 0);
  const title = `${formatCounted(orgs.length, 'organization')}, ${formatCounted(users, 'user')} in ${formatSeconds(seconds)}`;
  const rows = orgs.map(({ orgId, name, counts, passwords, otp }) => ({
    text: `${nameWithId(name, orgId)}: ${contents(counts, passwords, otp)}`,
  }));
  const notExported = lost.map((text) => ({ text }));
  return [
    { title, rows },
    { title: 'Not in the export', tone: 'warning', rows: notExported },
  ];
}

function contents(counts: Readonly<Record<string, number>>, passwords: number, otp: number) {
  const parts = [
    ...Object.entries(counts).map(([list, count]) => `${formatCount(count)} ${nameOfList(list, count)}`),
    passwords > 0 && formatCounted(passwords, 'password hash', 'password hashes'),
    otp > 0 && formatCounted(otp, 'TOTP secret'),
  ];
  return parts.filter(Boolean).join(', ') || 'empty';
}

/** Leaves out hashes that are not written and rows beyond the limit of a section. */
function shownOnScreen({ rows, shown = rows.length, ...section }: Section): Section {
  const written = rows.filter(({ count, before }) => count !== 0 || before === undefined);
  const more = written.length - shown;
  const rest = { text: `and ${formatCount(more)} more: --report=<file> lists all` };
  return { ...section, rows: more > 0 ? [...written.slice(0, shown), rest] : written };
}

/** Leaves out empty sections. All counts are aligned in one column. */
function formatSections(sections: readonly Section[], width: number, paint: Paint) {
  const shown = sections.map(shownOnScreen).filter(({ rows }) => rows.length > 0);
  const counts = shown.flatMap(({ rows }) => rows.flatMap(({ count }) => count ?? []));
  const countWidth = Math.max(0, ...counts.map((count) => formatCount(count).length));
  return shown.flatMap(({ title, rows, tone }) => [
    '',
    ...wrap(printable(title), width, '', 2).map((line) =>
      tone === undefined ? paint.title(line) : paint.title(paint[tone](line)),
    ),
    ...rows.flatMap((row) => formatRow(row, countWidth, width, paint)),
  ]);
}

function formatRow(row: Row, countWidth: number, width: number, paint: Paint) {
  const head = row.count === undefined ? '  ' : `  ${formatCount(row.count).padStart(countWidth)}  `;
  const lines = wrap(printable(row.text), width, head);
  const mark = row.tone && paint[row.tone];
  const remarks = (row.remarks ?? []).flatMap((remark) =>
    wrap(printable(remark), width, ' '.repeat(head.length + 2)).map(paint.faint),
  );
  return [...(mark ? lines.map(mark) : lines), ...remarks];
}

/** A run that has ended. No advice names the flags of the run. */
interface EndedRun extends Pick<RunState, 'verb' | 'files' | 'flags' | 'command'> {
  readonly summary: Summary;
}

/** Returns a few sentences, the most urgent first; none if nothing is left to do. */
function nextSteps(run: EndedRun) {
  const { verb, summary, files } = run;
  const later = emailsAtFirstLogin(summary.signIn);
  if (verb.startsWith('import'))
    return [...fixRejected(run), ...later, ...listOthers(summary, files), ...proveArrival(run)];
  if (verb === 'check') return [...openRefusals(run), ...later];
  if (!verb.startsWith('migrate')) return [];
  return [
    ...fixRejected(run),
    ...openRefusals(run),
    ...offerJit(run),
    ...later,
    ...expectMessages(summary, files),
    ...askService(run),
  ];
}

function askService({ summary, flags, files }: EndedRun) {
  const { written, withNotes } = summary;
  const body = files.find(({ what, path }) => what === 'body' && isKept(path));
  if (body === undefined || written + withNotes === 0) return [];
  const jit = flags.includes('--jit-list') ? ' --jit' : '';
  const route = summary.emails.length + summary.sms > 0 ? ' --route=import' : '';
  return [
    `Preflight at your service: idport check ${shellWord(body.path)}${jit}${route}, with --url and a token if none are set.`,
  ];
}

/** Reports whether a file stays on disk. The shell's `>(gpg ...)` and standard output go to another program. */
const isKept = (path: string) => path !== '-' && !path.startsWith('/dev/');

/** Flags that name the files written by a conversion. */
const outputs = {
  body: 'output',
  report: 'report',
  rejects: 'rejects',
  list: 'jit-list',
  'mail list': 'mail-list',
};

/**
 * Flags that are left out: the rejects file replaces them, or they are about users who are not in it, or about the journal of the
 * run.
 */
const replaced = (
  'realm users prove prove-password database database-password-file database-rate ' +
  'directory bind-dn bind-password-file offset limit only-failed deleted resume fresh journal id-map'
).split(' ');

/**
 * Returns the command of the run for the rejects file, in which only file names change. Output names are always given: without
 * new ones, names in the configuration would replace the files of the first conversion.
 */
function runAgain({ command, files }: EndedRun, rejects: string, input?: string) {
  const written = new Map<string, string>();
  // The page of a report comes after its JSON.
  for (const { what, path } of files) {
    const flag = outputs[what as keyof typeof outputs];
    if (flag !== undefined && isKept(path)) written.set(flag, path.replace(/(?=\.[^./\\]*$|$)/, '-2'));
  }
  const words: string[] = wordsOf(withoutFlags(command, [...replaced, ...written.keys()]));
  // The body comes after the verb.
  if (input === undefined) words[2] = shellWord(rejects);
  else words.push(`--${input}=${shellWord(rejects)}`);
  return [...words, ...Array.from(written, ([flag, path]) => `--${flag}=${shellWord(path)}`)].join(' ');
}

function fixRejected(run: EndedRun) {
  const { verb, summary, files, flags } = run;
  const { rejected, others = [], rejections } = summary;
  if (rejected === 0 && others.every((list) => list.rejected === 0)) return [];
  const areAll = (isMeant: (code: string) => boolean) =>
    rejections.length > 0 && rejections.every(({ code }) => isMeant(code));
  if (areAll((code) => code === 'record:not-json'))
    return ['Fix these records in the source, and convert it again.'];
  const rejects = files.find(({ what }) => what === 'rejects')?.path;
  const isMigrate = verb.startsWith('migrate');
  if (rejects === undefined) {
    const again = isMigrate ? 'Run again with' : 'Run again with --resume';
    return [`${again} --rejects=<file> to write the rejected records to a file, and fix them there.`];
  }
  const isExport = isMigrate || flags.includes('--from');
  if (areAll((code) => onlyBulkCodes.has(code))) {
    const how = isExport
      ? `idport migrate makes a body of ${rejects} for idport import.`
      : `idport import ${shellWord(rejects)}`;
    return [`Import these users in bulk: ${how}`];
  }
  return [isExport ? fixExport(run, rejects, isMigrate) : fixBody(run, rejects)];
}

function fixBody(run: EndedRun, rejects: string) {
  const fix = `Fix the records in ${rejects} and import`;
  // The journal of an incremental run has to be named as well.
  return run.command.startsWith('idport import') && !run.flags.includes('--since-journal')
    ? `${fix} them: ${runAgain(run, rejects)}`
    : `${fix} that file.`;
}

/** The rejects file is not a body. */
function fixExport(run: EndedRun, rejects: string, isMigrate: boolean) {
  const { verb, command, flags } = run;
  const isKeycloak = /migrate keycloak|--from=keycloak/.test(`${verb} ${command}`);
  // The records name roles, groups and organizations. Only the realm says what these are.
  if (isKeycloak && (flags.includes('--roles') || flags.includes('--org-by')))
    return `Fix the users of ${rejects} in the export and convert it again: their organizations and roles need the rest of the realm. import-users skips the users who exist.`;
  const again = isMigrate ? 'convert them to files of their own' : 'import them';
  return `Fix the records in ${rejects} and ${again}: ${runAgain(run, rejects, isKeycloak ? 'realm' : 'users')}`;
}

/** Offers a report, which lists who cannot sign in right away. */
function listOthers({ signIn }: Summary, files: readonly WrittenFile[]) {
  const isListed = files.some(({ what }) => what === 'report');
  if (isListed || signIn.every(({ kind, count }) => kind === 'password' || count === 0)) return [];
  return ['Run again with --resume --report=<file> to list who cannot sign in right away, and why.'];
}

function proveArrival({ summary: { written, withNotes }, flags }: EndedRun) {
  if (written + withNotes === 0) return [];
  // Users that a bucket's own job created cannot be rolled back. Those that an incremental run changed stay changed.
  const undo = flags.includes('--gcs') ? '' : '; idport undo deletes the users that this import created';
  return [`idport verify compares every user with the source${undo}.`];
}

/** Offered if the operator can change the settings that the section of refused hashes names. */
function openRefusals({ verb, summary, flags }: EndedRun) {
  if (!summary.refusals.some(({ remedy }) => remedy.startsWith('ZITADEL_'))) return [];
  const isDone = verb === 'check' || keepsHashes(flags);
  const again = isDone ? 'before the import' : 'and convert again with --on-refused-hash=keep';
  return [`To migrate the refused hashes, change the settings above at the target ${again}.`];
}

const offered = new Set(['set-password', 'answer-email', 'first-login', 'old-system']);

/** Offered if hashes are refused and left out, or if the export has none at all. */
function offerJit({ summary, flags }: EndedRun) {
  const isOffered = summary.signIn.some(({ kind }) => offered.has(kind));
  const gaveNone = summary.hashes.every(({ algorithm }) => algorithm === 'none');
  const hasList = flags.includes('--jit-list');
  const isRefused = summary.refusals.length > 0 && (hasList || !keepsHashes(flags));
  if (!isOffered || !(isRefused || gaveNone)) return [];
  const hint = gaveNone && !hasList ? ` ${loginPagesHint}` : '';
  const again =
    gaveNone || hasList
      ? ''
      : 'convert again with --jit-list=jit.ndjson (and --jit-placeholder for the login pages of the service, Login V2), ';
  // If no user has a hash, the export may have left them out.
  const start = gaveNone ? 'If the old system has passwords that this export does not show, login' : 'Login';
  return [
    `${start}-time migration spares users a new password: ${again}import with import-users --jit, and idport jit checks the old password at the first login.${hint}`,
  ];
}

/** Without --target-profile, refused hashes are kept. */
function keepsHashes(flags: readonly string[]) {
  return flags.includes('--on-refused-hash') || !flags.includes('--target-profile');
}

function expectMessages(summary: Summary, files: readonly WrittenFile[]) {
  const emails = summary.emails.reduce((sum, { count }) => sum + count, 0);
  const parts = [
    emails > 0 && formatCounted(emails, 'email'),
    summary.sms > 0 && `${formatCount(summary.sms)} SMS`,
  ].filter(Boolean);
  if (parts.length === 0) return [];
  const list = files.find(({ what }) => what === 'mail list')?.path ?? '--mail-list=<file>';
  return [
    `In bulk (idport import), the service will send ${parts.join(' and ')}: ${list} says to whom. idport import-users sends none.`,
  ];
}

function afterVerify({ users }: EventOf<'verify:end'>, { files, flags }: Pick<EndedRun, 'files' | 'flags'>) {
  const { notYet, blocked, missing, unknown, differs } = users;
  const wait = `${formatCounted(notYet, 'user')} not known yet: run it again, or wait longer with --wait.`;
  const keep = 'Run again with --report=<file>.md or .json to keep the list.';
  const isListed = files.length > 0 || blocked + missing + unknown + differs === 0;
  return [
    ...remediesOf(verifyOutcomes, {
      ...users,
      unknown: unknown - notYet,
      extra: flags.includes('--allow-extra') ? 0 : users.extra,
    }),
    ...(notYet > 0 ? [wait] : []),
    ...(isListed ? [] : [keep]),
  ];
}
