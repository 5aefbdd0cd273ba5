/** Joins the multi-factor files to a segment of users, in one pass. */
import type { Input } from '../../../lib/input.ts';
import { formatCount, formatCounted } from '../../../lib/quantity.ts';
import type { Notice } from '../../source.ts';
import type { FactorStore } from './factor-store.ts';
import { type LineFile, LineNumbers } from './line-numbers.ts';
import { MfaLines } from './mfa-line.ts';
import { numberAt, scanNumbered } from './numbered.ts';
import { readBatch } from './key-job.ts';
import type { UserIndex } from './user-index.ts';

/** The state over all passes; the counts are those of the first one. */
export interface FactorJoin {
  readonly inputs: readonly Input[];
  readonly files: LineFile[];
  readonly unmatched: LineNumbers;
  readonly unreadable: LineNumbers;
  read: number;
}

export function startFactorJoin(inputs: readonly Input[]): FactorJoin {
  return { inputs, files: [], unmatched: new LineNumbers(), unreadable: new LineNumbers(), read: 0 };
}

/** Puts the factors of users between the slots `start` and `end` into the store. */
export async function joinFactors(
  join: FactorJoin,
  index: UserIndex,
  store: FactorStore,
  start: number,
  end: number,
): Promise<void> {
  const isFirst = join.files.length === 0;
  const sink = new MfaLines();
  let before = 0;
  for (const [place, input] of join.inputs.entries()) {
    join.files[place] ??= { input: input.name, before };
    let last = 0;
    for await (const { elements, numbers } of scanNumbered(input, 'mfa')) {
      readBatch(input.name, elements, sink);
      for (const [at, line] of sink.lines.entries()) {
        const slots = line === undefined ? [] : index.findUser(line.userId);
        if (line !== undefined) {
          for (const slot of slots) if (slot >= start && slot < end) store.add(slot, line);
        }
        if (!isFirst) continue;
        join.read++;
        if (line === undefined) join.unreadable.push(before + numberAt(numbers, at));
        else if (slots.length === 0) join.unmatched.push(before + numberAt(numbers, at));
      }
      last = numbers.last;
    }
    before += last;
  }
}

export function factorNotices({ read, unmatched, unreadable, files }: FactorJoin): Notice[] {
  const joined = read - unmatched.length - unreadable.length;
  const notices: Notice[] = [
    {
      level: 'info',
      code: 'mfa:join',
      text: `${formatCounted(read, 'multi-factor line')} read, ${formatCount(joined)} joined`,
    },
  ];
  if (unmatched.length > 0) {
    notices.push({
      level: 'warning',
      code: 'mfa:unmatched-line',
      text: `${formatCounted(unmatched.length, 'multi-factor line')} match no user in the users given`,
      places: unmatched.placesIn(files),
    });
  }
  if (unreadable.length > 0) {
    notices.push({
      level: 'warning',
      code: 'mfa:unreadable-line',
      text: `${formatCounted(unreadable.length, 'multi-factor line')} cannot be read`,
      places: unreadable.placesIn(files),
    });
  }
  return notices;
}
