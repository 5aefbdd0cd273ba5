/** A source and a target in; a line for everybody who is not there as expected out. */
import type { Client } from '../../api/client.ts';
import type { Emit } from '../../events.ts';
import type { Clock } from '../../lib/clock.ts';
import type { UserV1 } from '../../wire/user.ts';
import { readLinkCalls, readMetadataCalls } from '../import-users/extras.ts';
import { readPeople, type PeopleSource } from '../import-users/people.ts';
import { Expectations } from './expectations.ts';
import { expectListed, showListed } from './fields.ts';
import { listUsers } from './list-users.ts';
import { seeExport } from './read-export.ts';

/** `=` same, `-` missing, `+` only in the target, `*` differs, `!` nobody knows. */
export type Sign = '=' | '-' | '+' | '*' | '!';

export interface VerifyLine {
  readonly sign: Sign;
  readonly id: string;
  readonly userName: string;
  /** Names of fields, or why nobody knows. */
  readonly detail: string;
}

export interface VerifyRequest {
  readonly source: PeopleSource;
  readonly client: Client;
  readonly orgs: readonly string[];
  /** New ids by old ones, from an id map; else people are found by their own id, then by user name. */
  readonly newIds: Iterable<readonly [oldId: string, newId: string]>;
  /** Also compare what only an export shows. */
  readonly withExport: boolean;
  /** Print those who are as expected, too. */
  readonly all: boolean;
  readonly print: (line: VerifyLine) => Promise<void>;
}

export interface VerifyContext {
  readonly emit: Emit;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface VerifyCounts {
  same: number;
  missing: number;
  extra: number;
  differs: number;
  unknown: number;
  /** Service accounts of the target that the source has none of. */
  accounts: number;
}

export async function verifyPeople(request: VerifyRequest, context: VerifyContext): Promise<VerifyCounts> {
  const { emit, signal } = context;
  const counts: VerifyCounts = { same: 0, missing: 0, extra: 0, differs: 0, unknown: 0, accounts: 0 };
  const names = request.source.inputs.map(({ name }) => name);
  const expected = await expect(request, signal);
  emit({ type: 'run:start', verb: 'verify', inputs: names, bytes: undefined, records: expected.people.size });
  let listed = 0;
  for (const org of request.orgs) {
    for await (const page of listUsers(request.client, org)) {
      for (const user of page) await meet(request, expected, user, counts);
      listed += page.length;
      emit({ type: 'run:progress', bytes: 0, records: Math.min(listed, expected.people.size) });
    }
  }
  if (request.withExport) await compareExports(request, expected.people, emit);
  await tellPeople(request, expected.people, counts);
  return counts;
}

interface Expected {
  readonly people: Expectations;
  readonly machines: boolean;
}

async function expect({ source, newIds }: VerifyRequest, signal: AbortSignal): Promise<Expected> {
  const people = new Expectations();
  let machines = false;
  for await (const { record } of readPeople(source, { notify: () => undefined })) {
    signal.throwIfAborted();
    if (record.kind === 'rejected') continue;
    if (record.kind === 'machine') machines = true;
    const hasPassword = record.kind === 'human' && record.passwordHash + record.plainPassword !== '';
    const person = people.add(record.id, record.userName, expectListed(record), hasPassword);
    for (const { key, value } of record.metadata) {
      people.expectMetadata(person, key, Buffer.from(value, 'utf8').toString('base64'));
    }
    if (record.kind === 'human') {
      for (const { configId, externalUserId } of record.links)
        people.expectLink(person, configId, externalUserId);
    }
  }
  if (source.provider === 'body') await expectExtras(source, people);
  for (const [oldId, newId] of newIds) people.alias(oldId, newId);
  return { people, machines };
}

async function expectExtras({ inputs }: PeopleSource, people: Expectations): Promise<void> {
  for (const input of inputs) {
    for await (const { userId, metadata } of readMetadataCalls(input)) {
      const person = people.byId(userId);
      if (person !== -1) for (const { key, value } of metadata) people.expectMetadata(person, key, value);
    }
    for await (const { userId, idpId, externalId } of readLinkCalls(input)) {
      const person = people.byId(userId);
      if (person !== -1) people.expectLink(person, idpId, externalId);
    }
  }
}

async function meet(
  { print }: VerifyRequest,
  { people, machines }: Expected,
  user: UserV1,
  counts: VerifyCounts,
): Promise<void> {
  const { id, userName } = user;
  const person = people.find(id, userName);
  if (person !== -1 && people.meet(person, id)) {
    people.compare(person, showListed(user));
    return;
  }
  if (user.machine !== undefined && !machines) {
    counts.accounts += 1;
    return;
  }
  counts.extra += 1;
  await print({ sign: '+', id, userName, detail: '' });
}

async function compareExports(
  { client, orgs }: VerifyRequest,
  people: Expectations,
  emit: Emit,
): Promise<void> {
  for (const org of orgs) {
    const refused = await seeExport(client, org, people);
    if (refused === undefined) continue;
    const text =
      `Metadata, links and passwords are not compared: the service gives no export of organization ${org} ` +
      `(${refused.text}). ${refused.hint ?? ''}`.trimEnd();
    emit({ type: 'notice', level: 'warning', code: 'verify:no-export', text });
    return;
  }
  for (let person = 0; person < people.size; person++) people.compareExported(person);
}

/** In the order of the source, which is read once more: memory has no names. */
async function tellPeople(
  { source, print, all }: VerifyRequest,
  people: Expectations,
  counts: VerifyCounts,
): Promise<void> {
  let person = 0;
  for await (const { record } of readPeople(source, { notify: () => undefined })) {
    if (record.kind === 'rejected') {
      // A conversion leaves people out on purpose; in a body they should be somebody.
      if (source.provider !== 'body') continue;
      counts.unknown += 1;
      const { code, detail, origin } = record;
      await print({
        sign: '!',
        id: origin.id,
        userName: '',
        detail: `${code}${detail === '' ? '' : `, ${detail}`}`,
      });
      continue;
    }
    const { id, userName } = record;
    const differences = people.differences(person);
    const found = people.isFound(person);
    person += 1;
    if (!found) {
      counts.missing += 1;
      await print({ sign: '-', id, userName, detail: '' });
    } else if (differences.length > 0) {
      counts.differs += 1;
      await print({ sign: '*', id, userName, detail: differences.join(', ') });
    } else {
      counts.same += 1;
      if (all) await print({ sign: '=', id, userName, detail: '' });
    }
  }
}
