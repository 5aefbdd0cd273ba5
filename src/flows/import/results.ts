/**
 * Records the results of entries of a bulk import: in the journal, then in the counts, the report and the rejects file. Sets
 * verified addresses that arrived unverified.
 */
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import { isObject, keepDigits, tryParseJson } from '../../lib/json-value.ts';
import type { ReasonCode } from '../../records/reasons.ts';
import { entryTally } from '../../records/tally.ts';
import { guessId } from '../../targets/bulk/entry.ts';
import { kindOf, userLists } from '../../wire/org-entries.ts';
import { findAll } from '../reconcile/look-up.ts';
import { type Reported, tellExisting, tellRejected, tellWritten } from '../report/run-outputs.ts';
import type { ImportEntry, PlannedEntry } from './entries.ts';
import { type ImportRun, reportProgress } from './run.ts';
import { note } from '../../events.ts';
import { formatCounted } from '../../lib/format.ts';
import type { Note } from '../../records/user.ts';
import { readUser } from '../reconcile/find-users.ts';

export interface EntryTrouble {
  readonly entry: ImportEntry;
  readonly code: ReasonCode;
  readonly detail: string;
}

/** Results of the entries of one request. Entries that it does not name were not done. */
interface Results {
  readonly created?: readonly ImportEntry[];
  readonly existed?: readonly ImportEntry[];
  readonly failed?: readonly EntryTrouble[];
  readonly noted?: readonly EntryTrouble[];
  /** Entries to send again, which may have been done all the same. */
  readonly unconfirmed?: readonly ImportEntry[];
  /** When the request last wrote, on the clock that stamps users. */
  readonly writtenAt?: number | undefined;
}

/** Records results in the journal, and counts them once they are on disk. */
export async function settle(run: ImportRun, attempt: number, results: Results = {}) {
  const { created = [], existed = [], noted = [], unconfirmed = [], writtenAt } = results;
  const failed = (results.failed ?? []).map((trouble) =>
    run.removed.has(trouble.entry.number)
      ? { ...trouble, detail: `${trouble.detail}; it was deleted to be replaced, and is gone` }
      : trouble,
  );
  await run.journal.settle(attempt, {
    created: numbers(created),
    existed: numbers(existed),
    failed: failed.map(toFailure),
    noted: noted.map(toFailure),
    unconfirmed: numbers(unconfirmed),
    writtenAt,
  });
  await countResults(run, { created, existed, failed, noted });
  reportProgress(run, 0);
}

/** Number of concurrent calls for what creating users leaves out. */
const atOnce = 8;

/** Counts results of this run or of the part before a resume. */
export async function countResults(
  run: ImportRun,
  { created = [], existed = [], failed = [], noted = [] }: Results,
) {
  const refused = failed.map(({ entry }) => entry);
  await addToIdMap(run, 'created', created);
  await addToIdMap(run, 'existed', existed);
  await addToIdMap(run, 'failed', refused);
  const count = async (entry: ImportEntry) => {
    const { user, list } = entry;
    if (user === undefined) return countOther(run, list, 'written');
    const { otp, ...traits } = user.traits();
    const notes = noted.filter((one) => one.entry === entry).map(({ code, detail }) => ({ code, detail }));
    await tellWritten(run, reportedOf(run, entry.planned, entry), {
      ...user,
      traits: { ...traits, otp: otp && !notes.some(({ detail }) => detail.startsWith('TOTP')) },
      messages: user.signIn && user.messages,
      notes: [...notes, ...(await finishEmail(run, entry))],
    });
  };
  await forEachConcurrent(created, atOnce, count);
  for (const entry of existed) {
    if (entry.user === undefined) countOther(run, entry.list, 'skipped');
    else await tellExisting(run, reportedOf(run, entry.planned, entry));
  }
  for (const { entry, code, detail } of failed)
    await tellRejected(run, reportedOf(run, entry.planned, entry), code, detail);
}

/**
 * Adds users to the id map. A user without an id in the body is named by its user name, and its id at the service is looked up.
 */
export async function addToIdMap(
  run: ImportRun,
  state: 'created' | 'existed' | 'failed',
  entries: readonly ImportEntry[],
) {
  const { idMap } = run;
  if (idMap === undefined) return;
  const users = entries.flatMap(({ user, ...entry }) => (user === undefined ? [] : [{ ...entry, ...user }]));
  const sought = state === 'failed' ? [] : users.filter(({ id }) => id === '');
  const keys = sought.map(({ userName, orgId }) => ({ id: '', userName, orgs: [orgId] }));
  const found = await findAll({ ...run, reads: 'all' }, keys);
  for (const user of users) {
    const { id, oldId, userName } = user;
    const newId = id || (found[sought.indexOf(user)]?.id ?? '');
    idMap.add({ oldId: (oldId ?? id) || userName, newId: state === 'failed' ? '' : newId, state });
  }
}

export function countOther({ tally }: ImportRun, list: string, state: 'written' | 'skipped') {
  const counts = entryTally(tally, list);
  counts.read += 1;
  counts[state] += 1;
}

/** Returns an entry for reports and the rejects file. `entry` is absent if the entry cannot be read. */
export function reportedOf({ source }: ImportRun, planned: PlannedEntry, entry?: ImportEntry): Reported {
  const { list, index, orgId, text } = planned;
  const { userName = '', email = '' } = entry?.user ?? {};
  const id = entry === undefined ? guessId(text) : (entry.oldId ?? (entry.id || userName));
  return {
    names: { origin: { input: `${source.input.name} ${list}`, index, id }, userName, email, orgId },
    list: userLists.includes(list) ? undefined : list,
    raw() {
      const value = tryParseJson(keepDigits(text)) ?? text;
      const isMember = kindOf(list).members !== undefined && isObject(value);
      return { orgId, ...(isMember ? value : { [list]: [value] }) };
    },
  };
}

/** Returns the numbers in ascending order, as the journal needs them. */
export function numbers(items: readonly { readonly number: number }[]) {
  return items.map(({ number }) => number).toSorted((a, b) => a - b);
}

function toFailure({ entry, code, detail }: EntryTrouble) {
  return { entry: entry.number, code, detail };
}

/** Finishes a user that the run has created. A resumed run sets all addresses again, which changes nothing. */
async function finishEmail(run: ImportRun, { orgId, user }: ImportEntry): Promise<readonly Note[]> {
  if (!user?.losesVerification) return [];
  if (run.emailAfter === 'leave') {
    run.unverified += 1;
    return [];
  }
  const { client } = run;
  const { id, userName, email } = user;
  const known = id === '' ? await readUser(client, orgId, { id, userName }) : { id };
  const ended =
    known &&
    (await client.attempt({
      method: 'PUT',
      path: `/v2/users/human/${encodeURIComponent(known.id)}`,
      org: orgId,
      body: { email: { email, isVerified: true } },
    }));
  if (ended?.ok) return [];
  if (ended !== undefined && ended.error.verdict !== 'refused') throw ended.error;
  const detail = ended === undefined ? 'the user was not found by the user name' : ended.error.text;
  return [{ code: 'import:email-unverified', detail }];
}

export function reportUnverified({ unverified: count, emit }: ImportRun) {
  if (count === 0) return;
  const one = count === 1;
  const text = `${formatCounted(count, 'user')} with a verified email address ${one ? 'has' : 'have'} no password: the service keeps the ${one ? 'address' : 'addresses'} unverified until the user answers its initialization email. --email-after=verified sets ${one ? 'it' : 'them'} to verified.`;
  emit(note('email:unverified', text));
}
