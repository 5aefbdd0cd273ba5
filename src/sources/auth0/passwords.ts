/** Joins the password export to the users: its lines, and what is told of them at the end. */
import type { Input } from '../../lib/input.ts';
import { formatCount, formatCounted } from '../../lib/quantity.ts';
import type { Notice, ScanAids } from '../source.ts';
import { Claims } from '../table/claims.ts';
import type { Outcome } from '../table/judgement.ts';
import { RowNumbers } from '../table/row-numbers.ts';
import { readNumbered } from './numbered.ts';
import { readPasswordLine } from './password-line.ts';

export interface Passwords {
  readonly claims: Claims;
  /** After the last user. */
  notices(): Notice[];
}

export async function readPasswords(
  inputs: readonly Input[],
  openSpillFile: ScanAids['openSpillFile'],
): Promise<Passwords> {
  const claims = new Claims(openSpillFile);
  const numbers = new RowNumbers();
  await readNumbered(inputs, 'passwords', (record, input, number) => {
    const line = readPasswordLine(record);
    if (typeof line === 'string') claims.addBroken(line);
    else claims.add(line);
    numbers.push(input, number);
  });
  return { claims, notices: () => describeLines(claims, numbers) };
}

/** One notice about all lines, one for every kind of line that was not joined. */
function describeLines(claims: Claims, numbers: RowNumbers): Notice[] {
  const counts = new Map<Outcome, number>();
  for (let row = 0; row < claims.size; row++) {
    const outcome = claims.outcomeOf(row);
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  const count = (...all: readonly Outcome[]): number =>
    all.reduce((sum, outcome) => sum + (counts.get(outcome) ?? 0), 0);
  const ways = [
    [count(1, 2), 'by user id'],
    [count(3), 'by the id of a linked account'],
    [count(4), 'by email and connection'],
    [count(5), 'by email alone'],
    [count('repeated'), 'a repetition'],
  ] as const;
  const told = ways.filter(([lines]) => lines > 0).map(([lines, words]) => `${formatCount(lines)} ${words}`);
  const read = `${formatCounted(claims.size, 'password line')} read`;
  const joined = `${formatCount(count(1, 2, 3, 4, 5))} joined`;
  return [
    {
      level: 'info',
      code: 'password:join',
      text: `${read}, ${[joined, told.join(', ')].filter(Boolean).join(': ')}`,
    },
    ...kinds.flatMap(({ outcome, code, text }): Notice[] => {
      if (count(outcome) === 0) return [];
      const words = outcome === 'broken' ? `cannot be read (${describeProblems(claims)})` : text;
      return [
        {
          level: 'warning',
          code,
          text: `${formatCounted(count(outcome), 'password line')} ${words}`,
          places: numbers.placesOf((row) => claims.outcomeOf(row) === outcome),
        },
      ];
    }),
  ];
}

const kinds: readonly { readonly outcome: Outcome; readonly code: string; readonly text: string }[] = [
  { outcome: 'unmatched', code: 'password:unmatched-line', text: 'match no user in the users given' },
  {
    outcome: 'ambiguous',
    code: 'password:ambiguous-line',
    text: 'may belong to several users, who are imported without a password',
  },
  {
    outcome: 'conflicting',
    code: 'password:conflicting-line',
    text: 'contradict each other: those users are imported without a password',
  },
  {
    outcome: 'outranked',
    code: 'password:outranked-line',
    text: 'share an email with users whose own line was found by a stronger match, and were left out',
  },
  { outcome: 'broken', code: 'password:unreadable-line', text: '' },
];

function describeProblems(claims: Claims): string {
  const counts = new Map<string, number>();
  for (let row = 0; row < claims.size; row++) {
    const problem = claims.problemOf(row);
    if (problem !== '') counts.set(problem, (counts.get(problem) ?? 0) + 1);
  }
  return [...counts].map(([problem, lines]) => `${lines}: ${problem}`).join('; ');
}
