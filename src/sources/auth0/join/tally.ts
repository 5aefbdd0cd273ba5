/** Counts the outcome of each password line, and keeps the numbers (4 bytes each) of those that were not joined. */
import { formatCount, formatCounted } from '../../../lib/quantity.ts';
import type { Notice } from '../../source.ts';
import { type LineFile, LineNumbers } from './line-numbers.ts';
import type { LineProblem } from './password-line.ts';
import type { LineOutcomes } from './segment.ts';
import type { Rank } from './user-index.ts';

/** Every line ends as exactly one of these. */
export class JoinTally implements LineOutcomes {
  read = 0;
  readonly joinedByRank = [0, 0, 0, 0, 0, 0];
  repeatedLines = 0;
  readonly outrankedLines = new LineNumbers();
  readonly conflictingLines = new LineNumbers();
  readonly ambiguousLines = new LineNumbers();
  readonly unmatchedLines = new LineNumbers();
  readonly brokenLines = new LineNumbers();
  readonly problems = new Map<LineProblem, number>();

  joined(rank: Rank, lines: 1 | -1): void {
    this.joinedByRank[rank]! += lines;
  }

  repeated(): void {
    this.repeatedLines++;
  }

  outranked(ordinal: number): void {
    this.outrankedLines.push(ordinal);
  }

  conflicting(ordinal: number): void {
    this.conflictingLines.push(ordinal);
  }

  ambiguous(ordinal: number): void {
    this.ambiguousLines.push(ordinal);
  }

  unmatched(ordinal: number): void {
    this.unmatchedLines.push(ordinal);
  }

  broken(ordinal: number, problem: LineProblem): void {
    this.brokenLines.push(ordinal);
    this.problems.set(problem, (this.problems.get(problem) ?? 0) + 1);
  }

  get joinedLines(): number {
    return this.joinedByRank.reduce((sum, lines) => sum + lines, 0);
  }
}

/** The tally as notices: one line about all, one for every kind of line that were not joined. */
export function joinNotices(tally: JoinTally, files: readonly LineFile[]): Notice[] {
  const [, alternate = 0, object = 0, linked = 0, connection = 0, email = 0] = tally.joinedByRank;
  const ways = [
    count(alternate + object, 'by user id'),
    count(linked, 'by the id of a linked account'),
    count(connection, 'by email and connection'),
    count(email, 'by email alone'),
    count(tally.repeatedLines, 'a repetition'),
  ].filter((way) => way !== '');
  const summary: Notice = {
    level: 'info',
    code: 'password:join',
    text: `${formatCounted(tally.read, 'password line')} read, ${formatCount(tally.joinedLines)} joined${ways.length === 0 ? '' : `: ${ways.join(', ')}`}`,
  };
  const problems = kinds.flatMap(({ code, list, text }): Notice[] => {
    const lines = list(tally);
    if (lines.length === 0) return [];
    const words = `${formatCounted(lines.length, 'password line')} ${text(tally)}`;
    return [{ level: 'warning', code, text: words, places: lines.placesIn(files) }];
  });
  return [summary, ...problems];
}

interface Kind {
  readonly code: string;
  readonly list: (tally: JoinTally) => LineNumbers;
  readonly text: (tally: JoinTally) => string;
}

const kinds: readonly Kind[] = [
  {
    code: 'password:unmatched-line',
    list: (tally) => tally.unmatchedLines,
    text: () => 'match no user in the users given',
  },
  {
    code: 'password:ambiguous-line',
    list: (tally) => tally.ambiguousLines,
    text: () => 'may belong to several users, who are imported without a password',
  },
  {
    code: 'password:conflicting-line',
    list: (tally) => tally.conflictingLines,
    text: () => 'contradict each other: those users are imported without a password',
  },
  {
    code: 'password:outranked-line',
    list: (tally) => tally.outrankedLines,
    text: () => 'share an email with users whose own line was found by a stronger match, and were left out',
  },
  {
    code: 'password:unreadable-line',
    list: (tally) => tally.brokenLines,
    text: (tally) =>
      `cannot be read (${[...tally.problems].map(([problem, n]) => `${n}: ${problem}`).join('; ')})`,
  },
];

function count(lines: number, words: string): string {
  return lines === 0 ? '' : `${formatCount(lines)} ${words}`;
}
