/**
 * Reads the entries of a body in the order of sending, numbered: each is ready to be sent, or has a reason why it must not be.
 */
import { inputChanged, type Input } from '../../lib/input.ts';
import type { PhoneRule } from '../../records/messages.ts';
import { readEntries, type RawEntry } from '../../sources/org-data/organizations.ts';
import type { BodyScan } from '../../sources/org-data/scan-body.ts';
import { readEntry, type Entry, type EntryPlace, type Unfit } from '../../targets/bulk/entry.ts';
import { entryKinds } from '../../wire/org-entries.ts';
import type { RenameUsers } from './new-ids.ts';

/** One list, over all organizations. */
interface Round {
  readonly list: string;
  /** Number of the round's first entry. */
  readonly start: number;
  readonly count: number;
  /** Number of the first entry of each organization, then the number after the last entry. */
  readonly orgStarts: readonly number[];
}

/** Lists in the order of sending. */
type Plan = readonly Round[];

/**
 * Plans the numbers of the entries. Organizations to create get an entry even if the body has none. `creates` has names by id.
 */
export function createPlan({ orgs }: BodyScan, creates: ReadonlyMap<string, string>): Plan {
  const rounds: Round[] = [];
  let start = 0;
  for (const { name: list } of entryKinds) {
    const orgStarts = [start];
    for (const { orgId, counts } of orgs) {
      const count = list === 'org' && creates.has(orgId) ? 1 : (counts.get(list) ?? 0);
      orgStarts.push(orgStarts.at(-1)! + count);
    }
    const end = orgStarts.at(-1)!;
    if (end > start) rounds.push({ list, start, count: end - start, orgStarts });
    start = end;
  }
  return rounds;
}

/** Returns the lists in the order of sending with their number of entries, as the journal's header and the tally have them. */
export const listCounts = (plan: Plan): [list: string, count: number][] =>
  plan.map(({ list, count }) => [list, count]);

/** Returns the index of an entry's organization in the body. Organizations without entries share the start of the next one. */
export function orgOfEntry(plan: Plan, number: number) {
  const round = plan.find(({ start, count }) => number >= start && number < start + count);
  return round?.orgStarts.findLastIndex((start) => start <= number) ?? -1;
}

export interface ImportSource {
  readonly input: Input;
  readonly scan: BodyScan;
  readonly plan: Plan;
  /** Names of organizations to create, by id. */
  readonly creates: ReadonlyMap<string, string>;
  /** Set if users get other ids than in the input. */
  readonly rename?: RenameUsers | undefined;
  readonly phone: PhoneRule;
}

export interface PlannedEntry extends EntryPlace {
  /** Position in the list, over all organizations. */
  readonly index: number;
  /** JSON of the entry, as the input has it. */
  readonly text: string;
  readonly read: () => ImportEntry | Unfit;
}

/** An entry that can be sent. */
export interface ImportEntry extends Entry {
  readonly planned: PlannedEntry;
  /** Id of the user in the input, if the import assigns another one. */
  readonly oldId?: string | undefined;
}

/** Reads the input once for each list (or for `lists` only). Throws if it has changed since the scan. */
export async function* planEntries(
  { input, scan, plan, creates, rename, phone }: ImportSource,
  lists?: readonly string[],
): AsyncGenerator<PlannedEntry> {
  const { firstForm } = scan;
  for (const round of plan) {
    const { list } = round;
    if (lists?.includes(list) === false) continue;
    let number = round.start;
    for await (const { org, text } of roundEntries(input, scan, round, creates)) {
      // The plan leaves this list out for an organization that already exists.
      if (round.orgStarts[org] === round.orgStarts[org + 1]) continue;
      const orgId = scan.orgs[org]?.orgId ?? '';
      const place = { number, list, orgId, firstForm, phone };
      const planned: PlannedEntry = {
        ...place,
        index: number - round.start,
        text,
        read() {
          const renamed = rename?.(list, text);
          const entry = readEntry(place, renamed?.text ?? text);
          return 'text' in entry ? { ...entry, planned, oldId: renamed?.oldId } : entry;
        },
      };
      yield planned;
      number += 1;
    }
    if (number !== round.start + round.count) throw inputChanged(input.name);
  }
}

/** Yields the entries of a list. For `org`, these include the organizations to create that have no entry in the body. */
async function* roundEntries(
  input: Input,
  { orgs }: BodyScan,
  { list }: Round,
  creates: ReadonlyMap<string, string>,
): AsyncGenerator<RawEntry> {
  if (list !== 'org' || creates.size === 0) {
    yield* readEntries(input, [list]);
    return;
  }
  let next = 0;
  const nameless = function* (end: number): Generator<RawEntry> {
    for (; next < end; next++) {
      const name = creates.get(orgs[next]?.orgId ?? '');
      if (name !== undefined) yield { org: next, list, text: JSON.stringify({ org: { name } }) };
    }
  };
  for await (const entry of readEntries(input, [list])) {
    yield* nameless(entry.org);
    const name = creates.get(orgs[entry.org]?.orgId ?? '');
    yield name === undefined ? entry : { ...entry, text: withName(entry.text, name) };
    next = entry.org + 1;
  }
  yield* nameless(orgs.length);
}

function withName(text: string, name: string) {
  return JSON.stringify({ ...(JSON.parse(text) as object), org: { name } });
}

export function isEntry(entry: ImportEntry | Unfit): entry is ImportEntry {
  return 'text' in entry;
}
