/** Writes the report, the rejects file and the id map of a finished import, from the input and the journal. */
import { State } from '../../journal/load.ts';
import { isObject, keepDigits, tryParseJson } from '../../lib/json-value.ts';
import type { Sink } from '../../lib/sink.ts';
import { countMessages } from '../../records/messages.ts';
import { rejectedKey } from '../../records/rejects.ts';
import { count } from '../../records/tally.ts';
import { OrgRuns } from '../../targets/bulk/chunk.ts';
import { guessId, type Entry, type EntryUser } from '../../targets/bulk/entry.ts';
import { userLists } from '../../wire/org-entries.ts';
import { findAll } from '../reconcile/look-up.ts';
import { encodeIdMapRow, idMapHeader, keepIdMap, type IdMapRow, type IdMapState } from '../report/id-map.ts';
import { type CreatedTally, emptyCreatedTally, type ReportedEntry } from '../report/import-report.ts';
import { commit } from '../report/run-outputs.ts';
import { isEntry, planEntries, type PlannedEntry } from './entries.ts';
import type { ImportOutputs } from './request.ts';
import type { ImportRun, Trouble } from './run.ts';

/** A resumed run writes all of it, also what was done before. `stopped`: why the run ended before its end. */
export async function writeOutputs(
  { run, seconds }: { readonly run: ImportRun; readonly seconds: number },
  outputs: ImportOutputs,
  stopped?: string,
): Promise<void> {
  const { report } = outputs;
  if (report === undefined && outputs.rejects === undefined && outputs.idMap === undefined) return;
  const rejects = outputs.rejects && (await beginRejects(run, outputs.rejects));
  const idMap = outputs.idMap && (await beginIdMap(run, outputs.idMap));
  const startedAt = run.clock.now() - seconds * 1000;
  await report?.begin({ input: run.source.input.name, url: run.client.url, startedAt });
  const created = emptyCreatedTally();
  for await (const planned of planEntries(run.source)) {
    if (stopped === undefined) run.signal.throwIfAborted();
    const trouble = run.troubles.get(planned.number);
    const isUser = userLists.includes(planned.list);
    if (!isUser && trouble === undefined) continue;
    const read = planned.read();
    const entry = isEntry(read) ? read : undefined;
    const state = isUser ? run.journal.states.get(planned.number) : State.none;
    if (state === State.created && planned.list === 'humanUsers' && entry?.user !== undefined) {
      countCreated(created, entry.user);
    }
    const reported = toReported(planned, { entry, state, trouble });
    if (reported !== undefined) await report?.add(reported);
    if (trouble !== undefined && trouble.outcome !== 'noted') await rejects?.write(planned, trouble);
    if (isUser) await idMap?.write(planned, entry, state);
  }
  await rejects?.end();
  await idMap?.end();
  await report?.end({ tally: run.tally, created, seconds, stopped });
}

function countCreated(created: CreatedTally, user: EntryUser): void {
  countMessages(created, user.messages);
  count(created.passwords, user.algorithm());
  if (user.signIn !== undefined) count(created.signIn, user.signIn);
  if (user.otp) created.otp += 1;
}

interface Outcome {
  /** Undefined for one that cannot be read. */
  readonly entry: Entry | undefined;
  /** Of a user. */
  readonly state: State;
  readonly trouble: Trouble | undefined;
}

/** Undefined for an entry that needs no attention. */
function toReported(
  { list, index, orgId, text }: PlannedEntry,
  { entry, state, trouble }: Outcome,
): ReportedEntry | undefined {
  const kind = state === State.created ? entry?.user?.signIn : undefined;
  const signIn = kind === 'password' ? undefined : kind;
  const existed = state === State.existed;
  if (trouble === undefined && !existed && signIn === undefined) return undefined;
  const { userName = '', email = '' } = entry?.user ?? {};
  const id = entry === undefined ? guessId(text) : (entry.oldId ?? (entry.id || userName));
  const named = { list, index, orgId, id, userName, email, ...(signIn === undefined ? {} : { signIn }) };
  if (trouble === undefined) return { ...named, outcome: existed ? 'existed' : 'written' };
  const { outcome, code, detail } = trouble;
  return { ...named, outcome, reason: { code, detail } };
}

/** The rejects file is a body: fix it and import it. */
async function beginRejects({ emit, body: { timeout, firstForm } }: ImportRun, sink: Sink) {
  const runs = new OrgRuns();
  await sink.write(`{"${firstForm ? 'dataOrgsv1' : 'dataOrgs'}":{"orgs":[`);
  return {
    async write({ list, orgId, text }: PlannedEntry, trouble: Trouble): Promise<void> {
      await sink.write(runs.add({ list, orgId, text: withReason(text, trouble) }));
    },
    async end(): Promise<void> {
      await sink.write(`${runs.end()}]},"timeout":${JSON.stringify(timeout)}}\n`);
      await commit(sink, 'rejects', emit);
    },
  };
}

/** The service ignores the added key; it says what to fix. */
function withReason(text: string, { code, detail }: Trouble): string {
  const value = tryParseJson(keepDigits(text));
  const record = isObject(value) ? value : { raw: value === undefined ? text : value };
  return JSON.stringify({ [rejectedKey]: { code, detail }, ...record });
}

interface IdMapEntry extends IdMapRow {
  readonly orgId: string;
  /** Of a user whose id the service chose: it is looked up. */
  readonly sought: string | undefined;
}

/** Users are looked up so many at a time. */
const atOnce = 500;

/** A user without an id in the body is named by the user name. */
async function beginIdMap(run: ImportRun, { sink, path }: NonNullable<ImportOutputs['idMap']>) {
  let rows: IdMapEntry[] = [];
  // Not earlier: a run that stops must not replace the map of the previous run.
  keepIdMap(path, run.emit);
  await sink.write(`${idMapHeader}\n`);

  const flush = async (): Promise<void> => {
    const sought = rows.filter((row) => row.sought !== undefined);
    const keys = sought.map(({ orgId, sought }) => ({ id: '', userName: sought!, orgs: [orgId] }));
    const found = await findAll({ ...run, reads: 'all' }, keys);
    const chosen = new Map(sought.map((row, at) => [row, found[at]?.id ?? '']));
    for (const row of rows) await sink.write(encodeIdMapRow({ ...row, newId: chosen.get(row) ?? row.newId }));
    rows = [];
  };

  return {
    async write({ orgId, text }: PlannedEntry, entry: Entry | undefined, end: State): Promise<void> {
      const { id = guessId(text), userName = '' } = entry?.user ?? {};
      const oldId = entry?.oldId ?? id;
      const state = stateOf(end);
      const sought = id === '' && state !== 'failed' ? userName : undefined;
      const newId = state === 'failed' ? '' : id;
      rows.push({ orgId, oldId: oldId || userName, newId, state, sought });
      if (rows.length >= atOnce) await flush();
    },
    async end(): Promise<void> {
      await flush();
      await commit(sink, 'id map', run.emit);
    },
  };
}

function stateOf(state: State): IdMapState {
  if (state === State.created) return 'created';
  return state === State.existed || state === State.unchanged ? 'existed' : 'failed';
}
