/** Holds one comparison: the users that the source expects, which are read again and again, and those that the target shows. */
import { type Client, searchPages } from '../../api/client.ts';
import { shownNotice } from '../../events.ts';
import { TextTable } from '../../compact/key-table.ts';
import type { Compared, VerifyOutcome } from '../../records/outcomes.ts';
import type { Counts } from '../../records/tally.ts';
import { foldName } from '../../records/text.ts';
import type { AcceptedRecord } from '../../records/user.ts';
import { listUsersResponse, type UserV1 } from '../../wire/user.ts';
import type { IsRemoved } from '../reconcile/event-log.ts';
import { createdAt } from '../reconcile/find-users.ts';
import type { ListContext } from '../reconcile/list-lag.ts';
import type { Notify } from '../../notice.ts';
import { readUsers, type UserSource, isInShard, isUserInShard, type Shard } from '../read/read-users.ts';
import type { ExpectedUsers } from './expected-users.ts';
import type { AppsOfProject } from '../resources/source-apps.ts';
import { expectListed, showListed } from './fields.ts';

type NewId = readonly [oldId: string, newId: string];

export interface VerifyRequest {
  readonly source: UserSource;
  readonly client: Client;
  readonly orgs: readonly string[];
  /** If set, compares only the users of this shard. */
  readonly shard?: Shard | undefined;
  /** Pairs of an id map. Other users are found by their source id, then by user name. */
  readonly newIds: Iterable<NewId> | AsyncIterable<NewId>;
  /** Users whose metadata, links and passwords to compare, which no list shows. */
  readonly details: 'source' | 'all' | 'none';
  readonly withExport: boolean;
  /** Applications of the source, to compare. */
  readonly apps?: AppsOfProject | undefined;
  /** How long to wait for the service's lists, in milliseconds. */
  readonly wait: number;
  /** Folders that may contain journals of the imports, which say when the service was last written to. */
  readonly journals?: readonly string[];
  readonly concurrency: number;
  readonly perSecond: number | undefined;
  /** Also reports users that are as expected, instead of only counting them. */
  readonly reportSame: boolean;
  readonly report: (compared: Compared) => Promise<void>;
}

export type VerifyCounts = ReturnType<typeof noCounts>;

export function noCounts() {
  const outcomes: Record<VerifyOutcome, number> = {
    same: 0,
    blocked: 0,
    missing: 0,
    extra: 0,
    differs: 0,
    unknown: 0,
  };
  const counts = (): Counts => new Map();
  return {
    ...outcomes,
    /** Projects, roles and applications that are missing or differ. */
    parts: 0,
    /** Unknown and differing users that a lagging list of the service does not show yet. */
    notYet: 0,
    /** Service accounts of the target, if the source has none at all. */
    accounts: 0,
    /** Users by how they can sign in at the target, without those for whom this is not known. */
    signIn: counts(),
    /** Users by name of the field that differs, and of the field that cannot be known. */
    fields: counts(),
    unknownFields: counts(),
  };
}

export interface Comparison {
  readonly request: VerifyRequest;
  readonly lists: ListContext;
  readonly users: ExpectedUsers;
  readonly others: ReturnType<typeof createOtherShards>;
  readonly counts: VerifyCounts;
  /** Whether the source has service accounts. If so, those of the target count, too. */
  machines: boolean;
  /** Records of the source that cannot be read as users. */
  rejected: number;
  /** Ids of users whom an import deactivated because they were no longer in the source. */
  readonly deactivated: ReadonlySet<string>;
  /** Reports whether a user that lists may still show was removed. */
  readonly isRemoved: IsRemoved;
}

/**
 * Yields the users in the same order and with the same numbers each time. The first pass gives the warnings of the source, and
 * learns of users that other shards compare.
 */
export async function* readSource(run: Comparison, isFirst = false) {
  const { source, shard } = run.request;
  const { emit, signal } = run.lists;
  const notify: Notify = (notice) => {
    if (isFirst && notice.level === 'warning') emit(shownNotice(notice));
  };
  for await (const user of readUsers(source, { notify })) {
    signal.throwIfAborted();
    const { record } = user;
    if (record.kind === 'machine') run.machines = true;
    if (isUserInShard(shard, user)) yield user;
    else if (isFirst && record.kind !== 'rejected') run.others.add(record);
  }
}

export async function* readExpected(run: Comparison, isFirst = false) {
  let user = 0;
  run.rejected = 0;
  for await (const { record } of readSource(run, isFirst)) {
    if (record.kind === 'rejected') run.rejected += 1;
    else yield { user: user++, record };
  }
}

/** Yields the target keys of the source's users for whom `isSought` is true. */
export async function* keysOf(run: Comparison, isSought: (user: number, record: AcceptedRecord) => boolean) {
  for await (const { user, record } of readExpected(run)) {
    const { id, userName } = record;
    if (isSought(user, record)) yield { user, id: run.users.targetId(user, id), userName };
  }
}

/**
 * Returns what the list should show. The organization counts only if there are several, because a body for one may have been
 * imported into another.
 */
export function listedOf({ orgs }: VerifyRequest, record: AcceptedRecord) {
  return expectListed(record, orgs.length > 1 ? (record.orgId ?? '') : '');
}

/** Sorts users who are added meanwhile to the end. */
const oldestFirst = { sortingColumn: 'USER_FIELD_NAME_CREATION_DATE' };

export async function listAll(run: Comparison) {
  const { client, orgs } = run.request;
  for (const [number, org] of orgs.entries()) {
    const pages = searchPages(client, '/management/v1/users/_search', listUsersResponse, {
      org,
      body: oldestFirst,
    });
    for await (const { result } of pages) await meetUsers(run, result, number);
  }
}

/** Compares listed users with the expected ones. `org` is an index. */
export async function meetUsers(run: Comparison, listed: readonly UserV1[], org: number) {
  const { users, counts, request, lists } = run;
  for (const user of listed) {
    if (run.isRemoved(user.id, createdAt(user))) continue;
    const meeting = users.meet(user.id, user.userName, org, request.orgs[org]);
    if (meeting === 'expected') {
      const number = users.byTargetId(user.id);
      users.compare(number, showListed(user, request.orgs.length > 1 ? request.orgs[org] : ''));
      const { passwordChanged = '' } = user.human ?? {};
      if (passwordChanged !== '') users.mark(number, 'has password');
      if (passwordChanged !== '' && passwordChanged !== user.details?.creationDate)
        users.mark(number, 'changed password');
    } else if (
      run.others.has(user) ||
      (user.state === 'USER_STATE_INACTIVE' && run.deactivated.has(user.id))
    ) {
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
  lists.emit({ type: 'run:progress', bytes: 0, records: users.found });
}

export const nothing = { fields: [], unknown: [], detail: '' } as const;

/**
 * Collects users of the source that other shards compare. At the target they are neither expected nor extra. Takes about 44 bytes
 * a user.
 */
export function createOtherShards(shard: Shard | undefined) {
  const [ids, names] = [new TextTable(), new TextTable()];
  return {
    add({ id, userName }: AcceptedRecord) {
      if (id !== '') ids.add(id);
      names.add(foldName(userName));
    },
    /** Reports whether another shard compares this user of the target or counts it as extra. False without shards. */
    has({ id, userName }: UserV1) {
      if (shard === undefined) return false;
      const isKnown = ids.find(id) !== -1 || names.find(foldName(userName)) !== -1;
      return isKnown || !isInShard(shard, id);
    },
  };
}
