/**
 * Reads the entries of a body in the order of sending, numbered: each is ready to be sent, or has a reason why it must not be.
 * Gives users new ids in them (`--ids new`), for a target where the old ids are taken, as ids of a deleted organization are.
 */
import { inputChanged, type Input } from '../../lib/input.ts';
import { isInRanges, type ListRange } from '../../journal/lines.ts';
import type { PhoneRule } from '../../records/messages.ts';
import { readEntries } from '../../sources/org-data/organizations.ts';
import type { BodyScan } from '../../sources/org-data/scan-body.ts';
import { readEntry, type Entry, type EntryPlace, type Unfit } from '../../targets/bulk/entry.ts';
import { foldName } from '../../records/text.ts';
import { entryKinds, ownedLists, userLists } from '../../wire/org-entries.ts';
import { hash } from 'node:crypto';
import { TextMarks } from '../../compact/key-table.ts';
import { firstText, isObject, type JsonObject, parseObject } from '../../lib/json-value.ts';

/** One list, over all organizations. */
interface Round extends ListRange {
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
  let from = 0;
  for (const { name: list } of entryKinds) {
    const orgStarts = [from];
    for (const { orgId, counts } of orgs) {
      const count = list === 'org' && creates.has(orgId) ? 1 : (counts.get(list) ?? 0);
      orgStarts.push(orgStarts.at(-1)! + count);
    }
    const end = orgStarts.at(-1)!;
    if (end > from) rounds.push({ list, from, end, orgStarts });
    from = end;
  }
  return rounds;
}

/** Returns the lists in the order of sending with their number of entries, as the journal's header and the tally have them. */
export const listCounts = (plan: Plan): [list: string, count: number][] =>
  plan.map(({ list, from, end }) => [list, end - from]);

/** Returns the index of an entry's organization in the body. Organizations without entries share the start of the next one. */
export function orgOfEntry(plan: Plan, number: number) {
  const round = plan.find((each) => isInRanges([each], number));
  return round?.orgStarts.findLastIndex((start) => start <= number) ?? -1;
}

export interface ImportSource {
  readonly input: Input;
  readonly scan: BodyScan;
  readonly plan: Plan;
  /** Names of organizations to create, by id. */
  readonly creates: ReadonlyMap<string, string>;
  /** Set if users get other ids than in the input. */
  readonly rename?: RenameUsers;
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
) {
  const { firstForm } = scan;
  const marks = new TextMarks();
  for (const round of plan) {
    const { list, from, end } = round;
    if (lists?.includes(list) === false) continue;
    let number = from;
    for await (const { org, text } of roundEntries(input, scan, round, creates)) {
      // The plan leaves this list out for an organization that already exists.
      if (round.orgStarts[org] === round.orgStarts[org + 1]) continue;
      const orgId = scan.orgs[org]?.orgId ?? '';
      const place = { number, list, orgId, firstForm, phone };
      const planned: PlannedEntry = {
        ...place,
        index: number - from,
        text,
        read() {
          const renamed = rename?.(list, text);
          const entry = readEntry(place, renamed?.text ?? text);
          if (!('text' in entry)) return entry;
          const { id, user } = entry;
          // Of two users with one id, the service would give the second factors of this one to the other. A user without an id is
          // looked up by the name, so no other may have it.
          if (user && id !== '' && marks.add(id) !== -1) return duplicate('id');
          const sameName = user && marks.add(`\n${orgId}\n${foldName(user.userName)}`, Number(id !== ''));
          if (user && sameName !== -1 && (id === '' || sameName === nameless)) return duplicate('username');
          return { ...entry, planned, oldId: renamed?.oldId };
        },
      };
      yield planned;
      number += 1;
    }
    if (number !== end) throw inputChanged(input.name);
  }
}

/** Yields the entries of a list. For `org`, these include the organizations to create that have no entry in the body. */
async function* roundEntries(
  input: Input,
  { orgs }: BodyScan,
  { list }: Round,
  creates: ReadonlyMap<string, string>,
) {
  const entries = readEntries(input, [list]);
  if (list !== 'org' || creates.size === 0) {
    yield* entries;
    return;
  }
  const given = new Map<number, string>();
  for await (const { org, text } of entries) given.set(org, text);
  for (const [org, { orgId }] of orgs.entries()) {
    const text = given.get(org) ?? '{}';
    const name = creates.get(orgId);
    if (name !== undefined) yield { org, text: JSON.stringify({ ...parseObject(text), org: { name } }) };
    else if (given.has(org)) yield { org, text };
  }
}

/** Mark of the name of a user without an id. */
const nameless = 0;

const duplicate = (of: 'id' | 'username'): Unfit => ({ code: `user-skipped:duplicate-${of}`, detail: '' });

export function isEntry(entry: ImportEntry | Unfit): entry is ImportEntry {
  return 'text' in entry;
}

/** Returns an entry with the new id as JSON, or undefined if the entry has no id of a user in the body. */
type RenameUsers = Awaited<ReturnType<typeof createNewIds>>;

/** `texts` are all entries of the lists of users. The same key and id always give the same new id. */
export async function createNewIds(texts: AsyncIterable<{ readonly text: string }>, key: string) {
  const known = new TextMarks();
  for await (const { text } of texts) {
    const id = firstText(parseObject(text), ...userFields);
    if (id !== '') known.add(id, ofBody);
  }
  const isOfBody = (id: string) => known.add(id, notOfBody) === ofBody;

  return (list: string, text: string) => {
    const isOfUser = userLists.includes(list) || ownedLists.includes(list);
    // The fields in which an entry of the list names its user.
    const fields = list === 'userMetadata' ? ['id'] : userFields;
    const entry = isOfUser ? parseObject(text) : {};
    const id = firstText(entry, ...fields);
    if (id === '' || !isOfBody(id)) return undefined;
    return { text: JSON.stringify(withId(entry, fields, newIdOf(key, id))), oldId: id };
  };
}

/** Marks of ids: of a user in the body, or only named by related entries. */
const ofBody = 1;
const notOfBody = 2;

/** Returns 18 digits, like the service's own ids, which will not begin with a 9 for decades. */
export function newIdOf(key: string, id: string) {
  const digits = BigInt(`0x${hash('sha256', `${key}\n${id}`, 'hex').slice(0, 16)}`) % 10n ** 17n;
  return `9${String(digits).padStart(17, '0')}`;
}

const userFields = ['userId', 'user_id'];

/** Replaces the id. Service accounts also have it in their `user` object. */
function withId(entry: JsonObject, fields: readonly string[], id: string) {
  const changed: Record<string, unknown> = { ...entry };
  for (const field of fields) if (typeof changed[field] === 'string') changed[field] = id;
  if (isObject(entry['user'])) changed['user'] = withId(entry['user'], fields, id);
  return changed;
}
