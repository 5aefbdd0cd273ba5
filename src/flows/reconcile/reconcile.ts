/** Entries of a request whose answer was lost in; who of them is at the target, and since when, out. */
import { ApiError } from '../../api/api-error.ts';
import type { Intent } from '../../journal/lines.ts';
import type { Entry } from '../../targets/bulk/entry.ts';
import { findOrg } from '../preflight/check-orgs.ts';
import { findPeople, type Found, type Sought } from './find-users.ts';
import { userLists } from '../../wire/org-entries.ts';
import { peopleOf } from '../resume/journal-users.ts';
import { placeOf, type Plan } from '../import/plan.ts';
import type { ImportRun } from '../import/run.ts';

export interface Seen<Item> {
  /** Came after the request had left: ours. */
  readonly ours: readonly Item[];
  /** Was there before. */
  readonly older: readonly Item[];
  readonly missing: readonly Item[];
}

/** Looks again after so long, until nothing has changed twice. */
const pause = 2000;
const unchangedTwice = 2;

/** `since` is on the service's clock, in milliseconds. */
export async function whoIsThere(run: ImportRun, people: readonly Entry[], at: number): Promise<Seen<Entry>> {
  return sort(run, people.map(toSoughtEntry), (entry) => run.sentBefore.get(entry.number) ?? at);
}

/** The same, but the service's lists may be a moment behind: looks until nobody new appears. */
export async function whoAppears(run: ImportRun, people: readonly Entry[], at: number): Promise<Seen<Entry>> {
  return lookUntilStill(run, people.map(toSoughtEntry), ({ number }) => run.sentBefore.get(number) ?? at);
}

/**
 * Of what is no person, and was sent before: whether it is older than that. Only organizations show
 * when they were made.
 */
export async function isOlder(run: ImportRun, { list, number, orgId }: Entry): Promise<boolean> {
  if (list !== 'org') return false;
  const org = await findOrg(run.client, orgId);
  return org !== undefined && org.createdAt < run.sentBefore.get(number)!;
}

/**
 * The service may still be at work, and its lists follow a moment later: looks until the number of those who are there
 * stays the same. What is not a person cannot be looked up; sending it again does no harm.
 */
export async function reconcile(
  run: ImportRun,
  entries: readonly Entry[],
): Promise<{ ours: readonly Entry[]; older: readonly Entry[]; rest: readonly Entry[] }> {
  const people = entries.filter(({ person }) => person !== undefined);
  const seen = await lookUntilStill(run, people.map(toSoughtEntry), ({ number }) =>
    run.sentBefore.get(number)!,
  );
  // The service stores second factors after the person: the last one who arrived may be without.
  const last = [...seen.ours].toSorted((a, b) => a.number - b.number).at(-1);
  const doubtful = last?.person?.secondFactors === true ? last : undefined;
  const settled = new Set([...seen.ours, ...seen.older].filter((entry) => entry !== doubtful));
  return {
    ours: seen.ours.filter((entry) => entry !== doubtful),
    older: seen.older,
    rest: entries.filter((entry) => !settled.has(entry)),
  };
}

interface Open {
  readonly number: number;
  readonly orgId: string;
  readonly id: string;
  readonly userName: string;
}

/** Requests that an earlier run had sent when it was killed: settled without their texts, from the journal alone. */
export async function settleOpen(run: ImportRun, plan: Plan, orgIds: readonly string[]): Promise<void> {
  for (const intent of run.journal.open) {
    if (intent.entries.length === 0) continue;
    const people = openPeople(intent, plan, orgIds);
    for (const number of intent.entries) {
      if (!run.sentBefore.has(number)) run.sentBefore.set(number, intent.at);
    }
    const seen = await lookUntilStill(run, people.map(toSoughtOpen), ({ number }) =>
      run.sentBefore.get(number)!,
    );
    // Who arrived last is sent again: the service may have been stopped before the second factors.
    const last = [...seen.ours].toSorted((a, b) => a.number - b.number).at(-1);
    const created = seen.ours.filter((person) => person !== last).map(({ number }) => number);
    const existed = seen.older.map(({ number }) => number);
    const settled = new Set([...created, ...existed]);
    await run.journal.settle({
      attempt: intent.attempt,
      created: created.toSorted((a, b) => a - b),
      existed: existed.toSorted((a, b) => a - b),
      failed: [],
      noted: [],
      doubtful: intent.entries.filter((number) => !settled.has(number)),
      ids: [],
    });
  }
}

function openPeople(intent: Intent, plan: Plan, orgIds: readonly string[]): Open[] {
  const isPerson = (number: number): boolean => userLists.includes(placeOf(plan, number).list);
  return Array.from(peopleOf(intent, isPerson), ({ entry, id, userName }) => ({
    number: entry,
    orgId: orgIds[placeOf(plan, entry).org] ?? '',
    id,
    userName,
  }));
}

interface SoughtItem<Item> extends Sought {
  readonly item: Item;
  readonly orgId: string;
}

const toSoughtEntry = (entry: Entry): SoughtItem<Entry> => ({
  item: entry,
  orgId: entry.orgId,
  id: entry.person?.id ?? '',
  userName: entry.person?.userName ?? '',
});
const toSoughtOpen = (open: Open): SoughtItem<Open> => ({ item: open, ...open });

async function lookUntilStill<Item>(
  run: ImportRun,
  people: readonly SoughtItem<Item>[],
  since: (item: Item) => number,
): Promise<Seen<Item>> {
  let seen = await sort(run, people, since);
  for (let unchanged = 0; unchanged < unchangedTwice && seen.missing.length > 0;) {
    run.emit({ type: 'run:waiting', reason: 'service-busy', seconds: pause / 1000 });
    await run.clock.sleep(pause, run.signal);
    const next = await sort(run, people, since);
    unchanged = next.missing.length === seen.missing.length ? unchanged + 1 : 0;
    seen = next;
  }
  return seen;
}

async function sort<Item>(
  run: ImportRun,
  people: readonly SoughtItem<Item>[],
  since: (item: Item) => number,
): Promise<Seen<Item>> {
  const seen = { ours: [] as Item[], older: [] as Item[], missing: [] as Item[] };
  for (const orgId of new Set(people.map((person) => person.orgId))) {
    const members = people.filter((person) => person.orgId === orgId);
    const found = await findPeople(run.client, orgId, members).catch(nobodyWithoutOrg);
    for (const [place, { item }] of members.entries()) {
      const user: Found | undefined = found.get(place);
      if (user === undefined) seen.missing.push(item);
      else if (user.createdAt >= since(item)) seen.ours.push(item);
      else seen.older.push(item);
    }
  }
  return seen;
}

/** Of calls that name an organization in their header. */
export const noSuchOrg = 'AUTH-Bs7Ds';

/** An organization that is still to be created has nobody. */
function nobodyWithoutOrg(error: unknown): Map<number, Found> {
  if (error instanceof ApiError && error.id === noSuchOrg) return new Map();
  throw error;
}
