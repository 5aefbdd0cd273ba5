/** The summary of a comparison; the users that differ are listed on standard output. */
import type { IdportEvent } from '../events.ts';
import { formatBytes, formatCount, formatCounted, formatSeconds } from '../lib/quantity.ts';
import { noPaint, type Paint } from './paint.ts';
import type { RunState } from './run-state.ts';
import { formatSections, type Row, type Section } from './sections.ts';

type VerifyEnd = Extract<IdportEvent, { type: 'verify:end' }>;

export function formatVerifyEnd(
  end: VerifyEnd,
  { files }: Pick<RunState, 'files'>,
  width: number,
  paint: Paint = noPaint,
): string[] {
  const byCount = (counts: Readonly<Record<string, number>>): Row[] =>
    Object.entries(counts)
      .sort(([, a], [, b]) => b - a)
      .map(([text, count]) => ({ text, count }));
  return formatSections(
    [
      users(end),
      { title: 'Fields that differ (users)', tone: 'bad', rows: byCount(end.fields) },
      {
        title: 'Fields that cannot be compared (users)',
        tone: 'warning',
        rows: byCount(end.unknownFields),
      },
      { title: 'Logins', rows: logins(end) },
      {
        title: 'Files',
        rows: files.map(({ path, what, bytes }) => ({ text: `${path} (${what}, ${formatBytes(bytes)})` })),
      },
      { title: 'Next', rows: next(end, files.length > 0) },
    ],
    width,
    paint,
  );
}

/** One line, only where something is not as it should be. */
export function formatQuietVerifyEnd({ users, logins }: VerifyEnd): string[] {
  const parts = troubles(users).filter(([count]) => count > 0);
  const said = parts.map(([count, text]) => `${formatCount(count)} ${text}`);
  const refused = logins.tried - logins.succeeded;
  if (refused > 0) said.push(`${formatCounted(refused, 'login')} refused`);
  return said.length === 0 ? [] : [said.join(', ')];
}

const troubles = (users: VerifyEnd['users']): readonly (readonly [number, string])[] => [
  ...(users.blocked > 0
    ? [[users.blocked, 'the same, but cannot sign in (initial, locked, deactivated)'] as const]
    : []),
  [users.missing, 'missing at the target'],
  [users.differs, 'different'],
  [users.extra, 'only at the target'],
  [users.unknown, 'unknown'],
];

function users({ users, requests, seconds }: VerifyEnd): Section {
  const { same, blocked, missing, differs, unknown, accounts } = users;
  const compared = same + blocked + missing + differs + unknown;
  const bad = blocked + missing + differs + unknown + users.extra > 0;
  const rows: Row[] = [
    { count: same, text: 'same', ...(bad ? {} : { tone: 'good' as const }) },
    ...troubles(users).map(([count, text]): Row => ({
      count,
      text,
      ...(count > 0 ? { tone: 'bad' } : {}),
    })),
  ];
  if (accounts > 0) rows.push({ count: accounts, text: 'service accounts of the target, ignored' });
  const title = `${formatCounted(compared, 'user')} compared in ${formatSeconds(seconds)}, ${formatCounted(requests, 'request')}`;
  return { title, rows };
}

function logins({ logins: { tried, succeeded } }: VerifyEnd): Row[] {
  if (tried === 0) return [];
  const rows: Row[] = [{ count: succeeded, text: 'logged in' }];
  if (tried > succeeded) rows.push({ count: tried - succeeded, text: 'could not log in', tone: 'bad' });
  return rows;
}

function next(
  { users: { blocked, missing, unknown, notYet, extra, differs }, unknownFields }: VerifyEnd,
  hasFile: boolean,
): Row[] {
  const texts: string[] = [];
  if (missing > 0) {
    texts.push(
      'Import the missing users: idport import-users with --resume if the import was interrupted, else with --user for each.',
    );
  }
  if (notYet > 0) {
    texts.push(`${formatCounted(notYet, 'user')} not known yet: run it again, or wait longer with --wait.`);
  }
  if (unknown > 0 && Object.keys(unknownFields).length > 0) {
    texts.push('To compare unknown fields, use a token that may read them; --details=none skips them.');
  }
  if (extra > 0) texts.push('--allow-extra accepts users who exist only at the target.');
  if (blocked + missing + unknown + differs > 0 && !hasFile) {
    texts.push('Run again with --report <file>.md or .json to keep the list.');
  }
  return texts.map((text) => ({ text }));
}
