/** A source and a target in; a line for everybody who is not there as expected out. */
import type { Client } from '../../api/client.ts';
import type { Emit, Place } from '../../events.ts';
import type { Clock } from '../../lib/clock.ts';
import { count, type Counts } from '../../records/tally.ts';
import type { MachineRecord, UserRecord } from '../../records/user.ts';
import type { UserV1 } from '../../wire/user.ts';
import { readLinkCalls, readMetadataCalls } from '../import-users/related-calls.ts';
import { readPeople, type PeopleSource, type Person } from '../source/read-users.ts';
import { compareDetails } from './details.ts';
import { linkEntry, metadataEntry, passwordEntry } from './detail-entries.ts';
import { Expectations } from './expected-users.ts';
import { expectListed, showListed } from './fields.ts';
import { listUsers, seekUsers } from './list-users.ts';

export type Outcome = 'same' | 'missing' | 'extra' | 'differs' | 'unknown';

/** What became of one person. */
export interface Compared {
  readonly outcome: Outcome;
  /** In the source; absent for who is only at the target. */
  readonly place?: Place;
  /** At the target; empty where nobody was found. */
  readonly targetId: string;
  readonly userName: string;
  /** Names of the fields that differ, and of those that nobody can know. */
  readonly fields: readonly string[];
  readonly unknown: readonly string[];
  /** Why nobody could have imported the record. */
  readonly detail: string;
}

export interface VerifyRequest {
  readonly source: PeopleSource;
  readonly client: Client;
  readonly orgs: readonly string[];
  /** New ids by old ones, from an id map; else people are found by their own id, then by user name. */
  readonly newIds: Iterable<readonly [oldId: string, newId: string]>;
  /** Of whom to compare metadata, links and passwords, which no list shows. */
  readonly details: 'source' | 'all' | 'none';
  readonly withExport: boolean;
  readonly concurrency: number;
  readonly perSecond: number | undefined;
  /** Tell also of those who are as expected; else they are only counted. */
  readonly tellSame: boolean;
  /** Told everybody who is not as expected. */
  readonly tell: (compared: Compared) => Promise<void>;
}

export interface VerifyContext {
  readonly emit: Emit;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface VerifyCounts extends Record<Outcome, number> {
  /** Service accounts of the target that the source has none of. */
  accounts: number;
  /** People by name of the field that differs, and by that of one that nobody can know. */
  readonly fields: Counts;
  readonly unknownFields: Counts;
}

interface Run {
  readonly request: VerifyRequest;
  readonly context: VerifyContext;
  readonly people: Expectations;
  readonly counts: VerifyCounts;
  /** The source has service accounts: then those of the target count as well. */
  machines: boolean;
  /** Records of the source that cannot be read as people. */
  rejected: number;
}

export async function verifyPeople(request: VerifyRequest, context: VerifyContext): Promise<VerifyCounts> {
  const { emit } = context;
  const run: Run = {
    request,
    context,
    people: new Expectations(),
    counts: noCounts(),
    machines: false,
    rejected: 0,
  };
  await expect(run);
  const { people } = run;
  const inputs = request.source.inputs.map(({ name }) => name);
  emit({ type: 'run:start', verb: 'verify', inputs, bytes: undefined, records: people.size });
  for (const [number, org] of request.orgs.entries()) {
    await listUsers(request.client, org, (users) => meetUsers(run, users, number));
  }
  if (people.found < people.size && people.size - people.found <= mostSought) await lookAgain(run);
  if (request.details !== 'none') {
    const { client, orgs, details: whom, withExport, concurrency, perSecond } = request;
    const speed = { concurrency, perSecond };
    const ids = (): AsyncIterable<readonly [number, string]> => readIds(run);
    await compareDetails({ client, orgs, people, whom, withExport, ids, ...speed }, context);
  }
  await tellPeople(run);
  return run.counts;
}

function noCounts(): VerifyCounts {
  const outcomes = { same: 0, missing: 0, extra: 0, differs: 0, unknown: 0 };
  return { ...outcomes, accounts: 0, fields: new Map(), unknownFields: new Map() };
}

/** In the same order and with the same numbers each time. */
async function* readSource({ request, context }: Run): AsyncGenerator<Person> {
  for await (const person of readPeople(request.source, { notify: () => undefined })) {
    context.signal.throwIfAborted();
    yield person;
  }
}

async function* readExpected(
  run: Run,
): AsyncGenerator<{ readonly person: number; readonly record: UserRecord | MachineRecord }> {
  let person = 0;
  run.rejected = 0;
  for await (const { record } of readSource(run)) {
    if (record.kind === 'rejected') run.rejected += 1;
    else yield { person: person++, record };
  }
}

async function* readIds(run: Run): AsyncGenerator<readonly [number, string]> {
  for await (const { person, record } of readExpected(run)) yield [person, record.id];
}

async function expect(run: Run): Promise<void> {
  const { people, request } = run;
  for await (const { record } of readExpected(run)) {
    const isMachine = record.kind === 'machine';
    if (isMachine) run.machines = true;
    const person = people.add(record.id, record.userName, expectListed(record), { isMachine });
    for (const { key, value } of record.metadata) {
      people.expect(person, 'metadata', metadataEntry(key, Buffer.from(value, 'utf8').toString('base64')));
    }
    if (record.kind === 'machine') continue;
    if (record.passwordHash + record.plainPassword !== '') people.expect(person, 'password', passwordEntry);
    for (const { configId, externalUserId } of record.links)
      people.expect(person, 'links', linkEntry(configId, externalUserId));
  }
  if (request.source.provider === 'body') await expectExtras(request.source, people);
  for (const [oldId, newId] of request.newIds) people.alias(oldId, newId);
}

async function expectExtras({ inputs }: PeopleSource, people: Expectations): Promise<void> {
  for (const input of inputs) {
    for await (const { userId, metadata } of readMetadataCalls(input)) {
      const person = people.byId(userId);
      if (person === -1) continue;
      for (const { key, value } of metadata) people.expect(person, 'metadata', metadataEntry(key, value));
    }
    for await (const { userId, idpId, externalId } of readLinkCalls(input)) {
      const person = people.byId(userId);
      if (person !== -1) people.expect(person, 'links', linkEntry(idpId, externalId));
    }
  }
}

async function meetUsers(run: Run, users: readonly UserV1[], org: number): Promise<void> {
  const { people, counts, request, context } = run;
  for (const user of users) {
    const meeting = people.meet(user.id, user.userName, org);
    if (meeting === 'expected') {
      const person = people.byTargetId(user.id);
      people.compare(person, showListed(user));
      if ((user.human?.passwordChanged ?? '') !== '') people.proveHasPassword(person);
    } else if (meeting === 'extra' && user.machine !== undefined && !run.machines) {
      counts.accounts += 1;
    } else if (meeting === 'extra') {
      counts.extra += 1;
      await request.tell({ ...nothing, outcome: 'extra', targetId: user.id, userName: user.userName });
    }
  }
  context.emit({ type: 'run:progress', bytes: 0, records: people.found });
}

const nothing = { fields: [], unknown: [], detail: '' } as const;

/** More than these are missing for another reason than that the lists are late. */
const mostSought = 250;
const lateness = 1000;

/** Lists follow what was done after a moment, and pages shift when somebody is deleted meanwhile. */
async function lookAgain(run: Run): Promise<void> {
  const { people, request, context } = run;
  context.emit({ type: 'run:waiting', reason: 'service-busy', seconds: lateness / 1000 });
  await context.clock.sleep(lateness, context.signal);
  const ids: string[] = [];
  const names: string[] = [];
  for await (const { person, record } of readExpected(run)) {
    if (people.isFound(person)) continue;
    const id = people.targetId(person, record.id);
    if (id !== '') ids.push(id);
    names.push(record.userName.trim());
  }
  for (const [number, org] of request.orgs.entries()) {
    await seekUsers(request.client, org, { ids, names }, (users) => meetUsers(run, users, number));
  }
}

/** In the order of the source, which is read once more: memory has no names. */
async function tellPeople(run: Run): Promise<void> {
  const { people, counts, request } = run;
  // Then the source need not be read once more.
  if (!request.tellSame && run.rejected === 0 && people.areAllSame()) {
    counts.same = people.size;
    return;
  }
  let next = 0;
  for await (const { record } of readSource(run)) {
    const place: Place = { ...record.origin, id: record.kind === 'rejected' ? record.origin.id : record.id };
    if (record.kind === 'rejected') {
      // A conversion leaves people out on purpose; in a body they should be somebody.
      if (request.source.provider !== 'body') continue;
      const detail = record.detail === '' ? record.code : `${record.code}, ${record.detail}`;
      counts.unknown += 1;
      await request.tell({ ...nothing, outcome: 'unknown', place, targetId: '', userName: '', detail });
      continue;
    }
    const person = next++;
    const { userName } = record;
    if (!people.isFound(person)) {
      counts.missing += 1;
      await request.tell({ ...nothing, outcome: 'missing', place, targetId: '', userName });
      continue;
    }
    const fields = people.differences(person, () => expectListed(record));
    const unknown = people.unknown(person);
    const outcome = judge(fields, unknown);
    counts[outcome] += 1;
    for (const field of fields) count(counts.fields, field);
    for (const field of unknown) count(counts.unknownFields, field);
    if (outcome === 'same' && !request.tellSame) continue;
    const targetId = people.targetId(person, record.id);
    await request.tell({ outcome, place, targetId, userName, fields, unknown, detail: '' });
  }
}

function judge(fields: readonly string[], unknown: readonly string[]): Outcome {
  if (fields.length > 0) return 'differs';
  return unknown.length > 0 ? 'unknown' : 'same';
}
