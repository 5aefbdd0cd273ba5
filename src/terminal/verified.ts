/** The end of a comparison in, the lines that people read about it out; who it was stands on standard output. */
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
      people(end),
      { title: 'Fields that differ (people)', tone: 'bad', rows: byCount(end.fields) },
      {
        title: 'Fields that nobody can know (people)',
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
export function formatQuietVerifyEnd({ people, logins }: VerifyEnd): string[] {
  const parts = troubles(people).filter(([count]) => count > 0);
  const said = parts.map(([count, text]) => `${formatCount(count)} ${text}`);
  const refused = logins.tried - logins.succeeded;
  if (refused > 0) said.push(`${formatCounted(refused, 'login')} refused`);
  return said.length === 0 ? [] : [said.join(', ')];
}

const troubles = (people: VerifyEnd['people']): readonly (readonly [number, string])[] => [
  [people.missing, 'missing at the target'],
  [people.differs, 'different'],
  [people.extra, 'only at the target'],
  [people.unknown, 'unknown'],
];

function people({ people, requests, seconds }: VerifyEnd): Section {
  const { same, missing, differs, unknown, accounts } = people;
  const compared = same + missing + differs + unknown;
  const bad = missing + differs + unknown + people.extra > 0;
  const rows: Row[] = [
    { count: same, text: 'same', ...(bad ? {} : { tone: 'good' as const }) },
    ...troubles(people).map(([count, text]): Row => ({
      count,
      text,
      ...(count > 0 ? { tone: 'bad' } : {}),
    })),
  ];
  if (accounts > 0) rows.push({ count: accounts, text: 'service accounts of the target, passed over' });
  const title = `${formatCounted(compared, 'person', 'people')} compared in ${formatSeconds(seconds)}, ${formatCounted(requests, 'request')}`;
  return { title, rows };
}

function logins({ logins: { tried, succeeded } }: VerifyEnd): Row[] {
  if (tried === 0) return [];
  const rows: Row[] = [{ count: succeeded, text: 'signed in' }];
  if (tried > succeeded) rows.push({ count: tried - succeeded, text: 'did not sign in', tone: 'bad' });
  return rows;
}

function next(
  { people: { missing, unknown, extra, differs }, unknownFields }: VerifyEnd,
  hasFile: boolean,
): Row[] {
  const texts: string[] = [];
  if (missing > 0) texts.push('Import those who are missing: idport import-users with --user for each.');
  if (unknown > 0 && Object.keys(unknownFields).length > 0) {
    texts.push('For what is unknown give a token that may read it, or leave it out with --details=none.');
  }
  if (extra > 0) texts.push('With --allow-extra those who are only at the target are no difference.');
  if (missing + unknown + differs > 0 && !hasFile) {
    texts.push('Run again with --report <file>.md or .json to keep who it was.');
  }
  return texts.map((text) => ({ text }));
}
