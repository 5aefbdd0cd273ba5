/** Journals of earlier runs in; who was brought over by them, with which content, and who is gone since, out. */
import type { Intent } from '../../journal/lines.ts';
import { readLines } from '../../journal/load.ts';
import { formatCounted } from '../../lib/quantity.ts';
import { TextTable } from '../../lib/text-table.ts';
import type { MachineRecord, UserRecord } from '../../records/user.ts';
import { BeforeTable, type Before, type Left } from './previous-table.ts';
import { peopleOf, personTest } from '../resume/journal-users.ts';
import { openPasses, type EarlierRuns, type Pass } from './previous-journals.ts';

export interface Earlier {
  /** Of the fingerprints of all of them. */
  readonly key: string;
  /** All of them count what stands about a person in lists of their own. */
  readonly withLists: boolean;
  readonly people: number;
  find(record: Named): Before | undefined;
  /** Notes that the person is in the source of this run too. */
  see(record: Named): void;
  /** Id (else user name) of everybody who was brought over and was not seen. Reads the journals again. */
  vanished(): AsyncIterable<string>;
}

type Named = Pick<UserRecord | MachineRecord, 'id' | 'userName'>;

/** The name of a person over all runs: the id of the source, or failing that the user name. */
const nameOf = (id: string, userName: string): string =>
  id === '' ? `name ${userName.trim().toLowerCase()}` : `id ${id}`;

/**
 * About 46 bytes a person. Later journals win. Throws `journal:*`, or `UsageError` where they do not belong together.
 */
export async function loadEarlier(paths: readonly string[], expect: EarlierRuns): Promise<Earlier> {
  const table = new TextTable();
  const before = new BeforeTable();
  let seen: Uint8Array | undefined;
  const { passes, way } = await openPasses(paths, expect);
  for (const pass of passes) {
    for await (const { name, end, ...left } of readPeopleOf(pass)) {
      const known = table.find(name);
      if (end === 'failed' && (known === -1 || before.get(known) === undefined)) continue;
      const at = known === -1 ? table.add(name) : known;
      if (end === 'undone') before.remove(at);
      else if (end === 'there') before.set(at, left);
      else before.set(at, { ...(before.get(at) ?? nobody), fingerprint: '' });
    }
  }
  const mark = (): Uint8Array => (seen ??= new Uint8Array(table.size));

  return {
    key: way.key,
    withLists: way.withLists,
    people: table.size,
    find({ id, userName }) {
      const at = table.find(nameOf(id, userName));
      return at === -1 ? undefined : before.get(at);
    },
    see({ id, userName }) {
      const at = table.find(nameOf(id, userName));
      if (at !== -1) mark()[at] = 1;
    },
    async *vanished() {
      const told = mark();
      for (const pass of passes) {
        for await (const { name } of readPeopleOf(pass)) {
          const at = table.find(name);
          if (at === -1 || told[at] === 1 || before.get(at) === undefined) continue;
          told[at] = 1;
          yield name.slice(name.indexOf(' ') + 1);
        }
      }
    },
  };
}

const nobody = { id: '', createdSince: undefined };

interface Read extends Left {
  readonly name: string;
  /** `failed`: nobody knows what of the person is at the target; to be sent again, whatever the content. */
  readonly end: 'there' | 'failed' | 'undone';
}

/** Everybody who was created, was there already, or was refused. */
async function* readPeopleOf({ path, header, isUndone }: Pass): AsyncGenerator<Read> {
  const open = new Map<number, Intent>();
  const isPerson = personTest(header, path);
  for await (const { line } of readLines(path)) {
    if (line.kind === 'intent') open.set(line.intent.attempt, line.intent);
    if (line.kind !== 'outcome') continue;
    const { attempt, ids } = line.outcome;
    const intent = open.get(attempt);
    open.delete(attempt);
    if (intent === undefined) continue;
    const created = new Set(line.outcome.created);
    const existed = new Set(line.outcome.existed);
    const refused = new Set(line.outcome.failed.map(({ entry }) => entry));
    const given = new Map(ids);
    for (const { entry, id, userName, fingerprint, at } of peopleOf(intent, isPerson)) {
      const name = nameOf(id, userName);
      const nothing = { name, fingerprint: '', ...nobody };
      if (refused.has(entry)) yield { ...nothing, end: 'failed' };
      else if (created.has(entry) && isUndone(entry)) yield { ...nothing, end: 'undone' };
      else if (created.has(entry))
        yield { name, end: 'there', fingerprint, id: given.get(entry) ?? '', createdSince: at };
      else if (existed.has(entry)) yield { ...nothing, end: 'there', fingerprint };
    }
  }
  // Nobody saw the answer, and the undo found them.
  for (const intent of open.values()) {
    for (const { entry, id, userName } of peopleOf(intent, isPerson)) {
      if (isUndone(entry)) yield { name: nameOf(id, userName), fingerprint: '', ...nobody, end: 'undone' };
    }
  }
}

const shownVanished = 1000;

/** Somebody has to decide about each; undefined where nobody is gone. */
export async function describeVanished(earlier: Earlier): Promise<string | undefined> {
  const first: string[] = [];
  let all = 0;
  for await (const name of earlier.vanished()) {
    all += 1;
    if (first.length < shownVanished) first.push(name);
  }
  if (all === 0) return undefined;
  const more = all > first.length ? ` and ${all - first.length} more` : '';
  return (
    `${formatCounted(all, 'person', 'people')} of the earlier run ${all === 1 ? 'is' : 'are'} not in the source any more: ` +
    `${first.join(', ')}${more}. They stay at the target.`
  );
}
