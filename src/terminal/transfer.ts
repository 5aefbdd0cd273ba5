/** The summaries of a bulk import and of an export. */
import type { IdportEvent, ListCounts } from '../events.ts';
import { formatBytes, formatCount, formatCounted, formatSeconds } from '../lib/quantity.ts';
import { ended } from '../records/import-tally.ts';
import { type Reason, reasons } from '../records/reasons.ts';
import { noPaint, type Paint } from './paint.ts';
import type { RunState } from './run-state.ts';
import { formatSections, type Row, type Section } from './sections.ts';

type ImportEnd = Extract<IdportEvent, { type: 'import:end' }>;
type ExportEnd = Extract<IdportEvent, { type: 'export:end' }>;
type Files = Pick<RunState, 'files'>;

/** One, and several. */
const listNames: Readonly<Record<string, readonly [string, string]>> = {
  humanUsers: ['user', 'users'],
  machineUsers: ['machine user', 'machine users'],
  userMetadata: ['metadata entry', 'metadata entries'],
  userGrants: ['role grant', 'role grants'],
  org: ['organization', 'organizations'],
  policies: ['set of policies', 'sets of policies'],
};

export function formatImportEnd(
  end: ImportEnd,
  state: Files,
  width: number,
  paint: Paint = noPaint,
): string[] {
  const [users, others] = partition(
    end.lists,
    ({ list }) => list === 'humanUsers' || list === 'machineUsers',
  );
  const total = users.reduce((sum, counts) => sum + counts.total, 0);
  const title = `${formatCounted(total, 'user')} in ${formatSeconds(end.seconds)}, ${formatCounted(end.requests, 'request')}`;
  return formatSections(
    [
      { title, rows: users.flatMap((counts) => countRows(counts, users.length > 1)) },
      { title: 'Other entries', rows: others.map(otherRow) },
      { title: 'Reasons', tone: 'warning', rows: end.reasons.map(reasonRow) },
      files(state),
      next(end, state),
    ],
    width,
    paint,
  );
}

export function formatExportEnd(
  end: ExportEnd,
  state: Files,
  width: number,
  paint: Paint = noPaint,
): string[] {
  const users = end.orgs.reduce((sum, { counts }) => sum + (counts['humanUsers'] ?? 0), 0);
  const title = `${formatCounted(end.orgs.length, 'organization')}, ${formatCounted(users, 'user')} in ${formatSeconds(end.seconds)}`;
  return formatSections(
    [
      {
        title,
        rows: end.orgs.map(({ orgId, name, counts, passwords, otp }) => ({
          text: `${name === '' ? orgId : `${name} (${orgId})`}: ${contents(counts, passwords, otp)}`,
        })),
      },
      { title: 'Not in the export', tone: 'warning', rows: end.lost.map((text) => ({ text })) },
      files(state),
    ],
    width,
    paint,
  );
}

/** One line, only where something went wrong. */
export function formatQuietImportEnd({ lists }: ImportEnd): string[] {
  const lost = lists.reduce((sum, { failed, rejected }) => sum + failed + rejected, 0);
  const total = lists.reduce((sum, counts) => sum + counts.total, 0);
  return lost === 0 ? [] : [`${formatCount(lost)} of ${formatCount(total)} entries were not imported`];
}

/** In the words of every other verb; below each figure, what it is made of. */
function countRows(counts: ListCounts, named: boolean): Row[] {
  const { total, created, existed, failed, rejected, unchanged = 0, withNotes = 0 } = counts;
  const of = named ? ` (${nameOf(counts.list, 2)})` : '';
  const notes = withNotes === 0 ? '' : ` (${formatCount(withNotes)} with notes)`;
  const parts: readonly Row[] = [
    { count: created, text: `written${of}${notes}` },
    {
      count: failed + rejected,
      text: `rejected${of}`,
      remarks: madeOf(
        [failed, 'refused by the service'],
        [rejected, 'not sent: the service would refuse them'],
      ),
    },
    {
      count: existed + unchanged,
      text: `skipped${of}`,
      remarks: madeOf([existed, 'already existed'], [unchanged, 'unchanged since the previous run']),
    },
  ];
  const sum = parts.map(({ count = 0 }) => formatCount(count)).join(' + ');
  const addsUp = ended(counts) === total;
  return [
    ...parts,
    addsUp
      ? { text: `The counts add up: ${sum} = ${formatCount(total)}.`, tone: 'good' }
      : {
          text: `The counts do not add up: ${sum} is not ${formatCount(total)}. Please report this.`,
          tone: 'bad',
        },
  ];
}

function madeOf(...parts: readonly (readonly [number, string])[]): string[] {
  return parts.filter(([count]) => count > 0).map(([count, text]) => `${formatCount(count)} ${text}`);
}

function otherRow({ list, total, created, existed, failed, rejected }: ListCounts): Row {
  const parts: readonly (readonly [number, string])[] = [
    [created, 'written'],
    [existed, 'already existed'],
    [failed, 'refused'],
    [rejected, 'not sent'],
  ];
  const said = parts.filter(([count]) => count > 0).map(([count, text]) => `${formatCount(count)} ${text}`);
  return { count: total, text: `${nameOf(list, total)}: ${said.join(', ')}` };
}

function reasonRow({ code, count }: ImportEnd['reasons'][number]): Row {
  const { cause, remedy }: Reason = reasons[code];
  return { count, text: `${code}: ${cause}`, remarks: [remedy] };
}

function files({ files }: Files): Section {
  return {
    title: 'Files',
    rows: files.map(({ path, what, bytes }) => ({ text: `${path} (${what}, ${formatBytes(bytes)})` })),
  };
}

function next({ lists }: ImportEnd, state: Files): Section {
  const lost = lists.some(({ failed, rejected }) => failed + rejected > 0);
  if (!lost) return { title: 'Next', rows: [] };
  const rejects = state.files.find(({ what }) => what === 'rejects');
  const text =
    rejects === undefined
      ? 'Run again with --resume --rejects <file> to write the entries that were not imported to a file, and fix them there.'
      : `Fix the entries in ${rejects.path} and import that file.`;
  return { title: 'Next', rows: [{ text }] };
}

function contents(counts: Readonly<Record<string, number>>, passwords: number, otp: number): string {
  const parts = Object.entries(counts).map(([list, count]) => `${formatCount(count)} ${nameOf(list, count)}`);
  if (passwords > 0) parts.push(formatCounted(passwords, 'password hash', 'password hashes'));
  if (otp > 0) parts.push(formatCounted(otp, 'TOTP secret'));
  return parts.length === 0 ? 'empty' : parts.join(', ');
}

/** `userLinks` is `user links`, one of them a `user link`. */
function nameOf(list: string, count: number): string {
  const several = list.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const [one, more] = listNames[list] ?? [several.replace(/s$/, ''), several];
  return count === 1 ? one : more;
}

function partition<Item>(items: readonly Item[], test: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}
