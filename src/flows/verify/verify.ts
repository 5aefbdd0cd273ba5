/** Compares the users of a source with a target, and reports each that is not there as expected. */
import type { Client } from '../../api/client.ts';
import { type IdportEvent, note, type RecordPlace, type RunContext } from '../../events.ts';
import { formatCounted } from '../../lib/quantity.ts';
import { count, type Counts } from '../../records/tally.ts';
import { isPlaceholder } from '../../records/placeholder-password.ts';
import type { SignInKind } from '../../records/sign-in.ts';
import type { MachineRecord, UserRecord } from '../../records/user.ts';
import type { UserV1 } from '../../wire/user.ts';
import { joinOwned } from '../source/owned-entries.ts';
import { encodeMetadataEntry } from '../../targets/human-user.ts';
import { readUsers, type SourceUser, type UserSource } from '../source/read-users.ts';
import { isUserInShard, type Shard } from '../source/shard.ts';
import { readRemovals, type IsRemoved } from '../reconcile/event-log.ts';
import { createdAt, type UserKey } from '../reconcile/find-users.ts';
import { createWait } from '../reconcile/list-lag.ts';
import { compareAgain, findMissing, waitForUsers, type CatchUp } from './catch-up.ts';
import { compareDetails } from './details.ts';
import { compareGrants, expectGrants, type ExpectedGrants } from './compare-grants.ts';
import { ExpectedUsers, listDiffers } from './expected-users.ts';
import { expectListed, mayArriveUnverified, showListed } from './fields.ts';
import { listUsers } from './list-users.ts';
import { OtherShards } from './other-shards.ts';
import { isLogged, notListed, readLogged, warnOfUnlisted, type Logged } from './unlisted.ts';
import { linkEntry, metadataEntry, passwordEntry, totpEntry } from './read-details.ts';

/** `blocked`: the same, but active only in the source: the user cannot sign in. */
export type VerifyOutcome = 'same' | 'blocked' | 'missing' | 'extra' | 'differs' | 'unknown';

/** The result for one user. */
export interface Compared {
  readonly outcome: VerifyOutcome;
  /** In the source; absent for a user that is only at the target. */
  readonly place?: RecordPlace;
  /** At the target; empty where no user was found. */
  readonly targetId: string;
  readonly userName: string;
  /** As the source has it, for `extra` the target; empty where there is none. */
  readonly email: string;
  /** Names of the fields that differ, and of those that cannot be known. */
  readonly fields: readonly string[];
  readonly unknown: readonly string[];
  /** Why the record could not be imported. */
  readonly detail: string;
}

export interface VerifyRequest {
  readonly source: UserSource;
  readonly client: Client;
  readonly orgs: readonly string[];
  /** Compares only the users of this one. */
  readonly shard?: Shard | undefined;
  /** New ids by old ones, from an id map; other users are found by their own id, then by user name. */
  readonly newIds: Iterable<readonly [oldId: string, newId: string]>;
  /** Of which users to compare metadata, links and passwords, which no list shows. */
  readonly details: 'source' | 'all' | 'none';
  readonly withExport: boolean;
  /** Ids of projects at the target by those of the body; undefined where there are no grants to compare. */
  readonly projectIds?: ReadonlyMap<string, string> | undefined;
  /** How long to wait for the service's lists, in milliseconds. */
  readonly wait?: number | undefined;
  /** Folders where journals of the imports may lie: they tell when the service was last written to. */
  readonly journals?: readonly string[] | undefined;
  readonly concurrency: number;
  readonly perSecond: number | undefined;
  /** Report also users that are as expected; else they are only counted. */
  readonly reportSame: boolean;
  readonly report: (compared: Compared) => Promise<void>;
}

export interface VerifyCounts extends Record<VerifyOutcome, number> {
  /** Of the unknown and the different ones: users that a list of the service, which is behind, does not show yet. */
  notYet: number;
  /** Service accounts of the target, where the source has none at all. */
  accounts: number;
  /** Users by how they can sign in at the target; those whom it is not known of are left out. */
  readonly signIn: Counts;
  /** Users by name of the field that differs, and of the field that cannot be known. */
  readonly fields: Counts;
  readonly unknownFields: Counts;
}

interface Comparison {
  readonly request: VerifyRequest;
  readonly context: RunContext;
  readonly users: ExpectedUsers;
  readonly others: OtherShards;
  readonly counts: VerifyCounts;
  /** Whether the source has service accounts: then those of the target count as well. */
  machines: boolean;
  /** Users who were imported with the placeholder password. */
  placeholders: number;
  /** Records of the source that cannot be read as users. */
  rejected: number;
  /** The last users of the source, as the target should have them. */
  last: readonly UserKey[];
  /** What the body says of user grants. */
  grants?: ExpectedGrants;
  /** Whom lists may show although they are gone. */
  readonly isRemoved: IsRemoved;
  /** Who the log of the service has, where its lists do not show all: ids, and names as they are compared. */
  logged: Logged;
  /** Whether users that were not found are not there, instead of not known yet. */
  isSure: boolean;
}

export async function verifyUsers(request: VerifyRequest, context: RunContext): Promise<VerifyCounts> {
  const { source } = request;
  const owned = source.provider === 'body' ? await joinOwned(source.inputs) : undefined;
  return compareUsers({ ...request, source: { ...source, owned } }, context).finally(() => owned?.close());
}

async function compareUsers(request: VerifyRequest, context: RunContext): Promise<VerifyCounts> {
  const { emit } = context;
  const run: Comparison = {
    request,
    context,
    users: new ExpectedUsers(),
    others: new OtherShards(request.shard),
    counts: noCounts(),
    machines: false,
    placeholders: 0,
    rejected: 0,
    last: [],
    isRemoved: await readRemovals(request.client, request.orgs),
    logged: new Set(),
    isSure: true,
  };
  await expect(run);
  const { users } = run;
  const inputs = request.source.inputs.map(({ name }) => name);
  emit({ type: 'run:start', verb: 'verify', inputs, bytes: undefined, records: users.size });
  const catchUp = catchUpOf(run);
  await waitForUsers(catchUp, run.last);
  await listAll(run);
  run.isSure = await compareAgain(catchUp);
  run.isSure = (await findMissing(catchUp)) && run.isSure;
  if (run.isSure && users.found < users.size) run.logged = await readLogged(request.client, request.orgs);
  if (request.details !== 'none') {
    if (run.grants !== undefined) await compareGrants(run.grants, users, catchUp);
    const { client, orgs, journals = [], details: which, withExport, concurrency, perSecond } = request;
    const speed = { concurrency, perSecond };
    const ids = (): AsyncIterable<readonly [number, string]> => readIds(run);
    await compareDetails({ client, orgs, users, journals, which, withExport, ids, ...speed }, catchUp);
  }
  users.countSignIn(run.counts.signIn);
  await reportUsers(run);
  if (run.placeholders > 0) emit(describePlaceholders(run.placeholders));
  return run.counts;
}

function describePlaceholders(users: number): IdportEvent {
  return note(
    'verify:placeholder',
    `${formatCounted(users, 'user was', 'users were')} imported with the placeholder password. ` +
      'Who has a password of their own by now is not compared: idport jit remaining lists who has none.',
  );
}

function noCounts(): VerifyCounts {
  const outcomes = { same: 0, blocked: 0, missing: 0, extra: 0, differs: 0, unknown: 0 };
  const counts = { signIn: new Map(), fields: new Map(), unknownFields: new Map() };
  return { ...outcomes, notYet: 0, accounts: 0, ...counts };
}

type OnUser = (record: UserRecord | MachineRecord) => void;

/** In the same order and with the same numbers each time. */
async function* readSource(
  { request: { source, shard }, context }: Comparison,
  onOther?: OnUser,
): AsyncGenerator<SourceUser> {
  for await (const user of readUsers(source)) {
    context.signal.throwIfAborted();
    if (isUserInShard(shard, user)) yield user;
    else if (user.record.kind !== 'rejected') onOther?.(user.record);
  }
}

async function* readExpected(
  run: Comparison,
  onOther?: OnUser,
): AsyncGenerator<{
  readonly user: number;
  readonly record: UserRecord | MachineRecord;
  readonly kind: SignInKind;
}> {
  let user = 0;
  run.rejected = 0;
  for await (const { record, prospects } of readSource(run, onOther)) {
    if (record.kind === 'rejected') run.rejected += 1;
    else yield { user: user++, record, kind: prospects?.signIn ?? 'password' };
  }
}

async function* readIds(run: Comparison): AsyncGenerator<readonly [number, string]> {
  for await (const { user, record } of readExpected(run)) yield [user, record.id];
}

/** Enough to know when an import has last written, also where one of them was refused. */
const lastUsers = 3;

async function expect(run: Comparison): Promise<void> {
  const { users, request } = run;
  const last: { user: number; id: string; userName: string }[] = [];
  const onOther = (record: UserRecord | MachineRecord): void => {
    if (record.kind === 'machine') run.machines = true;
    run.others.add(record);
  };
  for await (const { record, kind } of readExpected(run, onOther)) {
    const isMachine = record.kind === 'machine';
    if (isMachine) run.machines = true;
    const user = users.add(record.id, record.userName, listedOf(request, record));
    if (isMachine) users.mark(user, 'machine');
    users.setSignIn(user, kind);
    if (mayArriveUnverified(record)) users.mark(user, 'may be unverified');
    last.push({ user, id: record.id, userName: record.userName });
    if (last.length > lastUsers) last.shift();
    for (const { key, value } of record.metadata.map(encodeMetadataEntry)) {
      users.expect(user, 'metadata', metadataEntry(key, value));
    }
    // Entries of a body that no import takes.
    for (const { code, detail = '' } of record.notes) {
      if (code === 'single:metadata') users.expect(user, 'metadata', detail);
      if (code === 'single:link') users.expect(user, 'links', detail);
    }
    if (record.kind === 'machine') continue;
    if (record.passwordHash + record.plainPassword !== '') users.expect(user, 'password', passwordEntry);
    if (record.otpSecret !== '') users.expect(user, 'TOTP', totpEntry);
    if (isPlaceholder(record.passwordHash)) run.placeholders += 1;
    for (const { configId, externalUserId } of record.links)
      users.expect(user, 'links', linkEntry(configId, externalUserId));
  }
  if (request.projectIds !== undefined && request.details !== 'none') {
    run.grants = await expectGrants(request.source.inputs, request.orgs, request.projectIds, users);
  }
  for (const [oldId, newId] of request.newIds) users.alias(oldId, newId);
  run.last = last.map(({ user, id, userName }) => ({ id: users.targetId(user, id), userName }));
}

/**
 * What the list should show. The organization counts only where there are several: a body for one may have been
 * imported into another.
 */
function listedOf({ orgs }: VerifyRequest, record: UserRecord | MachineRecord): readonly string[] {
  return expectListed(record, orgs.length > 1 ? (record.orgId ?? '') : '');
}

async function meetUsers(run: Comparison, listed: readonly UserV1[], org: number): Promise<void> {
  const { users, counts, request, context } = run;
  for (const user of listed) {
    if (run.isRemoved(user.id, createdAt(user))) continue;
    const meeting = users.meet(user.id, user.userName, org);
    if (meeting === 'expected') {
      const number = users.byTargetId(user.id);
      users.compare(number, showListed(user, request.orgs.length > 1 ? request.orgs[org] : ''));
      if ((user.human?.passwordChanged ?? '') !== '') users.mark(number, 'has password');
    } else if (run.others.has(user)) {
      continue;
    } else if (meeting === 'extra' && user.machine !== undefined && !run.machines) {
      counts.accounts += 1;
    } else if (meeting === 'extra') {
      counts.extra += 1;
      const email = user.human?.email?.email ?? '';
      const { id: targetId, userName } = user;
      await request.report({ ...nothing, outcome: 'extra', targetId, userName, email });
    }
  }
  context.emit({ type: 'run:progress', bytes: 0, records: users.found });
}

const nothing = { fields: [], unknown: [], detail: '' } as const;

/** Looks for the users that the list does not show; says whether the others are missing for sure. */
function catchUpOf(run: Comparison): CatchUp {
  const { users, request, context, isRemoved } = run;
  const { client, orgs } = request;
  return {
    ...context,
    client,
    orgs,
    isRemoved,
    wait: createWait(request.wait),
    countMissing: () => users.size - users.found,
    async *missing() {
      for await (const { user, record } of readExpected(run)) {
        if (!users.has(user, 'found'))
          yield { id: users.targetId(user, record.id), userName: record.userName };
      }
    },
    countDiffering: () => users.count(...listDiffers),
    async *takeDiffering() {
      for await (const { user, record } of readExpected(run)) {
        if (!listDiffers.some((flag) => users.has(user, flag))) continue;
        users.unmeet(user, listedOf(request, record));
        yield { id: users.targetId(user, record.id), userName: record.userName };
      }
    },
    meet: (listed, org) => meetUsers(run, listed, org),
    listAll: () => listAll(run),
  };
}

async function listAll(run: Comparison): Promise<void> {
  const { client, orgs } = run.request;
  for (const [number, org] of orgs.entries()) {
    await listUsers(client, org, (listed) => meetUsers(run, listed, number));
  }
}

/** In the order of the source, which is read once more because memory has no names. */
async function reportUsers(run: Comparison): Promise<void> {
  const { users, counts, request } = run;
  // Then the source need not be read once more.
  if (!request.reportSame && run.rejected === 0 && users.areAllSame()) {
    counts.same = users.size;
    return;
  }
  let next = 0;
  let unlisted = 0;
  for await (const { record } of readSource(run)) {
    const place: RecordPlace = {
      ...record.origin,
      id: record.kind === 'rejected' ? record.origin.id : record.id,
    };
    if (record.kind === 'rejected') {
      // A conversion leaves records out on purpose; in a body each should be a user.
      if (request.source.provider !== 'body') continue;
      const detail = record.detail === '' ? record.code : `${record.code}, ${record.detail}`;
      counts.unknown += 1;
      const unnamed = { targetId: '', userName: '', email: '' };
      await request.report({ ...nothing, ...unnamed, outcome: 'unknown', place, detail });
      continue;
    }
    const user = next++;
    const { userName } = record;
    const email = record.kind === 'human' ? record.email : '';
    if (!users.has(user, 'found') && isLogged(run.logged, users.targetId(user, record.id), userName)) {
      counts.unknown += 1;
      unlisted += 1;
      const targetId = users.targetId(user, record.id);
      const found = { targetId, userName, email, detail: notListed };
      await request.report({ ...nothing, ...found, outcome: 'unknown', place });
      continue;
    }
    if (!users.has(user, 'found')) {
      if (run.isSure && record.kind === 'human') count(counts.signIn, 'missing');
      await reportMissing(run, { ...nothing, outcome: 'missing', place, targetId: '', userName, email });
      continue;
    }
    const differing = users.differences(user, () => listedOf(request, record));
    const unknown = users.unknown(user);
    const barrier = users.blockedBy(user);
    const isBlocked = barrier !== '' && unknown.length === 0 && differing.every((field) => field === 'state');
    const fields = isBlocked ? [] : differing;
    const outcome = isBlocked ? 'blocked' : outcomeOf(fields, unknown);
    counts[outcome] += 1;
    const isPostponed = users.has(user, 'postponed');
    if (isPostponed) counts.notYet += 1;
    for (const field of fields) count(counts.fields, field);
    for (const field of unknown) count(counts.unknownFields, field);
    if (outcome === 'same' && !request.reportSame) continue;
    const targetId = users.targetId(user, record.id);
    const why = users.unlisted.has(user) ? notListed : barrier;
    const detail = isPostponed ? notYet : why;
    await request.report({ outcome, place, targetId, userName, email, fields, unknown, detail });
  }
  if (unlisted > 0) warnOfUnlisted(unlisted, run.context.emit);
}

async function reportMissing({ counts, request, isSure }: Comparison, compared: Compared): Promise<void> {
  if (isSure) {
    counts.missing += 1;
    return request.report(compared);
  }
  counts.unknown += 1;
  counts.notYet += 1;
  return request.report({ ...compared, outcome: 'unknown', detail: notYet });
}

const notYet = 'not known yet: the list of the service is behind';

function outcomeOf(fields: readonly string[], unknown: readonly string[]): VerifyOutcome {
  if (fields.length > 0) return 'differs';
  return unknown.length > 0 ? 'unknown' : 'same';
}
