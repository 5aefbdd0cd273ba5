/** The entries of a body in the order of sending, with their numbers: each ready to be sent, or why it must not be. */
import { inputChanged, type Input } from '../../lib/input.ts';
import type { PhoneRule } from '../../records/messages.ts';
import { readEntries, type RawEntry } from '../../sources/org-data/organizations.ts';
import type { BodyScan } from '../../sources/org-data/scan-body.ts';
import { readEntry, type Entry, type Unfit } from '../../targets/bulk/entry.ts';
import { entryKinds } from '../../wire/org-entries.ts';
import type { RenameUsers } from './new-ids.ts';

/** One list of all organizations. */
interface Round {
  readonly list: string;
  /** Number of its first entry. */
  readonly start: number;
  readonly count: number;
  /** Number of the first entry of each organization, then the number behind the last entry. */
  readonly orgStarts: readonly number[];
}

/** The lists in the order of sending. */
type Plan = readonly Round[];

/** Organizations to create get an entry even where the body has none. `creates` has names by id. */
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

/** The lists in the order of sending, with the number of their entries: as the journal's header and the tally have them. */
export const listCounts = (plan: Plan): [list: string, count: number][] =>
  plan.map(({ list, count }) => [list, count]);

/** Index of the organization in the body. Empty ones have the start of the next one. */
export function orgOfEntry(plan: Plan, number: number): number {
  const round = plan.find(({ start, count }) => number >= start && number < start + count);
  return round?.orgStarts.findLastIndex((start) => start <= number) ?? -1;
}

export interface ImportSource {
  readonly input: Input;
  readonly scan: BodyScan;
  readonly plan: Plan;
  /** Names of organizations to create, by id. */
  readonly creates: ReadonlyMap<string, string>;
  /** Where users get other ids than in the input. */
  readonly rename?: RenameUsers | undefined;
  readonly phone: PhoneRule;
}

export interface PlannedEntry {
  readonly number: number;
  readonly list: string;
  readonly orgId: string;
  /** Its place in the list, over all organizations. */
  readonly index: number;
  /** JSON, as the input has it. */
  readonly text: string;
  readonly read: () => ImportEntry | Unfit;
}

/** An entry that can be sent. */
export interface ImportEntry extends Entry {
  readonly planned: PlannedEntry;
  /** The user's id in the input, where the import assigns another one. */
  readonly oldId?: string | undefined;
}

/** Reads the input once for each list (or for `lists` only). Throws where it has changed since the scan. */
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
      // Of an organization that is there it may be left out.
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

/** The entries of a list; those of `org` include the organizations to create that have no entry in the body. */
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

/** Whether the entry can be sent. */
export function isEntry(entry: ImportEntry | Unfit): entry is ImportEntry {
  return 'text' in entry;
}
