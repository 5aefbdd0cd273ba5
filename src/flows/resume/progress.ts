/** The journal of a run that stopped in, how far it had come out: in the words of whoever ran it. */
import type { LoadedJournal } from '../../journal/load.ts';
import { State } from '../../journal/states.ts';
import { formatCount, formatCounted } from '../../lib/quantity.ts';
import { peopleListsOf } from './journal-users.ts';

interface Progress {
  done: number;
  all: number;
}

/** `312 of 1,000 users are done, and 0 of 40 other entries` */
export function describeProgress(journal: Pick<LoadedJournal, 'header' | 'states'>): string {
  const { header, states } = journal;
  if (header.verb === 'undo') {
    const all = Number(header.settings['confirmed'] ?? 0);
    return `${ofAll({ done: states.count(State.created), all }, 'person', 'people')} deleted`;
  }
  const { people, others } = countDone(journal);
  const users = `${ofAll(people, 'user')} done`;
  // What follows a person one by one has no number before it is asked for.
  if (header.verb !== 'import' || others.all === 0) return users;
  return `${users}, and ${formatCount(others.done)} of ${formatCounted(others.all, 'other entry', 'other entries')}`;
}

function countDone({ header, states }: Pick<LoadedJournal, 'header' | 'states'>) {
  const people: Progress = { done: 0, all: 0 };
  const others: Progress = { done: 0, all: 0 };
  const lists = peopleListsOf(header.verb);
  let start = 0;
  for (const [list, count] of header.plan) {
    const end = start + count;
    const progress = lists.includes(list) ? people : others;
    progress.all += count;
    progress.done += count - states.count(State.none, start, end) - states.count(State.open, start, end);
    start = end;
  }
  return { people, others };
}

function ofAll({ done, all }: Progress, noun: string, plural?: string): string {
  return `${formatCount(done)} of ${formatCounted(all, noun, plural)} ${all === 1 ? 'is' : 'are'}`;
}
