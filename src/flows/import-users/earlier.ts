/** Journals of earlier runs in; who was brought over by them, with which content, and who is gone since, out. */
import type { JournalHeader } from '../../journal/lines.ts';
import { readLines } from '../../journal/load.ts';
import { TextTable } from '../../lib/text-table.ts';
import type { MachineRecord, UserRecord } from '../../records/user.ts';
import { readPlan } from './plan.ts';
import { UsageError } from '../../errors.ts';

export interface Before {
  readonly fingerprint: string;
  /** That the service gave, where the run created the person; else empty. */
  readonly id: string;
}

export interface Earlier {
  /** Of the fingerprints of all of them. */
  readonly key: string;
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

/** About 60 bytes a person. Later journals win. Throws `journal:*`, or `UsageError` where they do not belong together. */
export async function loadEarlier(
  paths: readonly string[],
  expect: { url: string; org: string },
): Promise<Earlier> {
  const table = new TextTable();
  const before: (Before | undefined)[] = [];
  let seen: Uint8Array | undefined;
  let key: string | undefined;

  for (const path of paths) {
    for await (const { header, name, fingerprint, id } of readPeopleOf(path)) {
      if (header !== undefined) {
        check(path, header, expect, key);
        key = header.settings['fingerprints'];
        continue;
      }
      const known = table.find(name);
      if (known !== -1) before[known] = { fingerprint, id };
      else before[table.add(name)] = { fingerprint, id };
    }
  }
  const mark = (): Uint8Array => (seen ??= new Uint8Array(table.size));

  return {
    key: key ?? '',
    people: table.size,
    find({ id, userName }) {
      const at = table.find(nameOf(id, userName));
      return at === -1 ? undefined : before[at];
    },
    see({ id, userName }) {
      const at = table.find(nameOf(id, userName));
      if (at !== -1) mark()[at] = 1;
    },
    async *vanished() {
      const told = mark();
      for (const path of paths) {
        for await (const { header, name } of readPeopleOf(path)) {
          if (header !== undefined) continue;
          const at = table.find(name);
          if (told[at] === 1) continue;
          told[at] = 1;
          yield name.slice(name.indexOf(' ') + 1);
        }
      }
    },
  };
}

interface Read {
  readonly header?: JournalHeader;
  readonly name: string;
  readonly fingerprint: string;
  readonly id: string;
}

/** The header first; then everybody who was created or was there already. */
async function* readPeopleOf(path: string): AsyncGenerator<Read> {
  const open = new Map<number, readonly (readonly [number, string, string])[]>();
  for await (const { line } of readLines(path)) {
    if (line.kind === 'header') yield { header: line.header, name: '', fingerprint: '', id: '' };
    if (line.kind === 'intent') {
      const { attempt, entries, people } = line.intent;
      const named = people.map(
        ([id, userName, fingerprint], at) => [entries[at]!, nameOf(id, userName), fingerprint] as const,
      );
      if (named.length > 0) open.set(attempt, named);
    }
    if (line.kind === 'outcome') {
      const { attempt, created, existed, ids } = line.outcome;
      const done = new Set([...created, ...existed]);
      const own = new Map(created.length > 0 ? ids : []);
      for (const [entry, name, fingerprint] of open.get(attempt) ?? []) {
        if (done.has(entry)) yield { name, fingerprint, id: own.get(entry) ?? '' };
      }
      open.delete(attempt);
    }
  }
}

function check(
  path: string,
  header: JournalHeader,
  expect: { url: string; org: string },
  key: string | undefined,
): void {
  const { verb, url, orgs, settings, plan } = header;
  if (verb !== 'import-users' || readPlan(plan) === undefined) {
    throw new UsageError(`--since-journal ${path}: it is of idport ${verb}, not of import-users`);
  }
  if (url !== expect.url) {
    throw new UsageError(`--since-journal ${path}: it is about ${url}, not ${expect.url}`);
  }
  if (!orgs.includes(expect.org)) {
    throw new UsageError(
      `--since-journal ${path}: it is about organization ${orgs.join(', ')}, not ${expect.org}`,
    );
  }
  if (key !== undefined && settings['fingerprints'] !== key) {
    throw new UsageError(`--since-journal ${path}: it does not belong to the journals before it`, {
      hint: 'Give the journal of the first run, then those of the runs that followed it with --since-journal.',
    });
  }
}
