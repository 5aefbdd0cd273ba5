/** Journals of earlier runs in; who was brought over by them, with which content, and who is gone since, out. */
import { existsSync } from 'node:fs';
import type { Intent, JournalHeader } from '../../journal/lines.ts';
import { readLines } from '../../journal/load.ts';
import { formatCounted } from '../../lib/quantity.ts';
import { TextTable } from '../../lib/text-table.ts';
import type { MachineRecord, UserRecord } from '../../records/user.ts';
import { UsageError } from '../../errors.ts';
import { readWay } from './fingerprint.ts';
import { BeforeTable, type Before, type Left } from './before-table.ts';
import { refuseUndone } from '../open-journal.ts';
import { peopleOf, personTest, type PersonTest } from '../journal-people.ts';

/** What the journals must be about. */
export interface EarlierRuns {
  readonly verb: 'import' | 'import-users';
  readonly url: string;
  readonly orgs: readonly string[];
}

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

/** About 46 bytes a person. Later journals win. Throws `journal:*`, or `UsageError` where they do not belong together. */
export async function loadEarlier(paths: readonly string[], expect: EarlierRuns): Promise<Earlier> {
  const table = new TextTable();
  const before = new BeforeTable();
  let seen: Uint8Array | undefined;
  let key: string | undefined;
  let withLists = true;

  for (const path of paths) {
    if (!existsSync(path)) throw noJournal(path, 'there is no such file');
    let isJournal = false;
    for await (const { header, name, failed, ...left } of readPeopleOf(path)) {
      if (header !== undefined) {
        check(path, header, expect, key);
        await refuseUndone(path, header);
        isJournal = true;
        key = header.settings['fingerprints'];
        withLists &&= readWay(header.settings)?.withLists ?? false;
        continue;
      }
      const at = table.find(name);
      if (failed && at === -1) continue;
      const { id, createdSince } = failed ? before.get(at) : left;
      before.set(at === -1 ? table.add(name) : at, { fingerprint: left.fingerprint, id, createdSince });
    }
    // One line without an end reads like a journal that was cut off; then everybody would be new.
    if (!isJournal) throw noJournal(path, 'it is no journal of idport');
  }
  const mark = (): Uint8Array => (seen ??= new Uint8Array(table.size));

  return {
    key: key ?? '',
    withLists,
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
      for (const path of paths) {
        for await (const { header, name, failed } of readPeopleOf(path)) {
          if (header !== undefined || failed) continue;
          const at = table.find(name);
          if (told[at] === 1) continue;
          told[at] = 1;
          yield name.slice(name.indexOf(' ') + 1);
        }
      }
    },
  };
}

interface Read extends Left {
  readonly header?: JournalHeader;
  readonly name: string;
  /** Nobody knows what of the person is at the target: to be sent again, whatever the content. */
  readonly failed: boolean;
}

/** The header first; then everybody who was created, was there already, or was refused. */
async function* readPeopleOf(path: string): AsyncGenerator<Read> {
  const open = new Map<number, Intent>();
  let isPerson: PersonTest = () => false;
  for await (const { line } of readLines(path)) {
    if (line.kind === 'header') {
      const { header } = line;
      isPerson = personTest(header, path);
      yield { header, name: '', failed: false, fingerprint: '', id: '', createdSince: undefined };
    }
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
      const isNew = created.has(entry);
      const failed = refused.has(entry);
      if (!isNew && !failed && !existed.has(entry)) continue;
      yield {
        name: nameOf(id, userName),
        failed,
        // No content has this one.
        fingerprint: failed ? '' : fingerprint,
        id: isNew ? (given.get(entry) ?? '') : '',
        createdSince: isNew ? at : undefined,
      };
    }
  }
}

function noJournal(path: string, why: string): UsageError {
  return new UsageError(`--since-journal ${path}: ${why}`, {
    hint: 'Give the journal of the first pass; it stands beside what was imported then (<body>.users.journal or <body>.journal).',
  });
}

function check(path: string, header: JournalHeader, expect: EarlierRuns, key: string | undefined): void {
  const { verb, url, orgs, settings } = header;
  if (verb !== expect.verb) {
    throw new UsageError(`--since-journal ${path}: it is of idport ${verb}, not of ${expect.verb}`);
  }
  if (url !== expect.url) {
    throw new UsageError(`--since-journal ${path}: it is about ${url}, not ${expect.url}`);
  }
  if (!expect.orgs.some((org) => orgs.includes(org))) {
    throw new UsageError(
      `--since-journal ${path}: it is about organization ${orgs.join(', ')}, not ${expect.orgs.join(', ')}`,
    );
  }
  if (key !== undefined && settings['fingerprints'] !== key) {
    throw new UsageError(`--since-journal ${path}: it does not belong to the journals before it`, {
      hint: 'Give the journal of the first run, then those of the runs that followed it with --since-journal.',
    });
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
