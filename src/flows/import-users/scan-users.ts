/** Prepares a one-by-one import: reads the source to the end, and says how long the import will take and who gets an email. */
import { hash } from 'node:crypto';
import { UsageError } from '../../errors.ts';
import { requireRepeatable } from '../../lib/input.ts';
import { type Emit, note, type RunContext } from '../../events.ts';
import { formatCount, formatCounted, formatTimeAt } from '../../lib/format.ts';
import { countMessages, noMessageCounts } from '../../records/messages.ts';
import { unknownLengths } from '../../records/password-policy.ts';
import { isRealHash } from '../../records/placeholder-password.ts';
import { reasons } from '../../records/reasons.ts';
import { count, emptyTally } from '../../records/tally.ts';
import type { AcceptedRecord } from '../../records/user.ts';
import type { Notify } from '../../notice.ts';
import { chooseKey, createFingerprints, type Fingerprints, isNewPart } from '../incremental/fingerprint.ts';
import {
  createInputHash,
  filesOf,
  type OpenedSource,
  readUsers,
  type SourceUser,
  type UserSource,
  isUserInShard,
} from '../read/read-users.ts';
import { joinOwned } from '../read/owned-entries.ts';
import { encodeListedUser } from '../jit/user-list.ts';
import { followUpsOf } from './follow-up.ts';
import { type ImportUsersRequest, type StartOptions, dueMessages, orgOf } from './run.ts';
import type { UsersPlan } from '../runs/journal-users.ts';
import { readUserGrants } from '../../sources/org-data/projects.ts';
import { keptId } from './user-ids.ts';
import { createSelector, isTrial, namesOf } from './select-users.ts';

type ScanRequest = ImportUsersRequest & Pick<StartOptions, 'taken' | 'passwordEmails'>;

/** Opens the source for sending, with what a body has in separate lists (metadata, links, grants), and scans it. */
export async function scanSource(request: ScanRequest, { signal }: RunContext, notify: Notify) {
  const { selection, journal } = request;
  const { provider, inputs, options } = request.source;
  const { shard } = selection;
  const sizes = inputs.map(({ size }) => size ?? 0).join(', ');
  // The same key for all shards of an input, on any machine.
  const ofShards =
    shard && hash('sha256', `${shard.count} shards of ${sizes} bytes`, 'base64url').slice(0, 22);
  const { key } = await chooseKey(selection.previous, journal, ofShards);
  const owned = provider === 'body' ? await joinOwned(inputs, options) : undefined;
  const source = { ...request.source, owned };
  const fingerprints = createFingerprints(key);
  const scan = await scanUsers(source, request, fingerprints, notify, signal);
  if (owned !== undefined && scan.trial !== undefined) {
    const { users, orgs } = scan.trial;
    for await (const { userId, org } of readUserGrants(inputs)) if (users.has(userId)) orgs.add(org);
  }
  return { source, fingerprints, scan };
}

/** Throws if an input is a stream. Inputs are read twice, and again when the run is resumed. */
export function refuseStreams(source: OpenedSource) {
  requireRepeatable(filesOf(source), 'An import reads its input twice, and again when it is resumed');
}

const noCounts = () => ({
  all: 0,
  /** Users of the source, or of its shard. */
  users: 0,
  /** Users to be sent. */
  chosen: 0,
  /** Users created by a previous run and changed in the source since. */
  changed: 0,
  /** Users sent by a previous run, which saw no answer or a refusal. */
  unanswered: 0,
  /** Users whose password hash the profile refuses but the service may accept. */
  unsure: 0,
  /** Hashes to be sent, without those made of passwords in plain text. */
  hashes: 0,
  /** Users to be created with another id. */
  newIds: 0,
  /** All calls, without look-ups of new users and retries. */
  requests: 0,
});

const furtherCalls = ['state', 'metadata', 'linked logins'] as const;

export type UserScan = Awaited<ReturnType<typeof scanUsers>>;

/** Throws `UsageError` if a requested user is not in the input. */
async function scanUsers(
  source: UserSource,
  request: ScanRequest,
  fingerprints: Fingerprints,
  notify: Notify,
  signal: AbortSignal,
) {
  const { selection, taken, mailList, log, org, passwordEmails } = request;
  const select = createSelector(selection, fingerprints);
  const hash = createInputHash();
  const counts = noCounts();
  /** Counts of users that cannot be sent. */
  const tally = emptyTally();
  /** Messages to the users of all shards. */
  const messages = noMessageCounts();
  const unknownUsers = new Set(selection.users);
  const asked = { org, passwordEmails, route: source.policy.route };
  const trial = isTrial(selection) ? { users: new Set<string>(), orgs: new Set<string>() } : undefined;
  const add = async (user: SourceUser) => {
    const { record } = user;
    if (unknownUsers.size > 0) for (const name of namesOf(record)) unknownUsers.delete(name);
    const selected = select(user);
    const isOwn = isUserInShard(selection.shard, user);
    if (isOwn) counts.users += 1;
    // Lists users whom this run does not send, too. A receiver has one list, and a previous run may have created the user.
    if (isOwn && record.atFirstLogin !== undefined && record.kind === 'human')
      await log.listForFirstLogin(encodeListedUser({ ...record, ...record.atFirstLogin }));
    if (typeof selected === 'string') return;
    const { before } = selected;
    if (record.kind === 'rejected') {
      if (isOwn) {
        tally[reasons[record.code].outcome === 'skipped' ? 'skipped' : 'rejected'] += 1;
        count(tally.reasons, record.code);
      }
      return;
    }
    let due;
    if (record.kind === 'human') {
      due = await dueMessages(asked, record, before);
      // If the unanswered request never arrived, this run creates the user.
      if (due.email === 'none' && before?.older[0] === '') due = await dueMessages(asked, record, undefined);
      countMessages(messages, due);
      if (record.signIn !== undefined) count(messages.signIn, record.signIn);
    }
    // All shards of a trial have the same organizations, so that their journals can be merged.
    trial?.users.add(record.id);
    trial?.orgs.add(orgOf(request, record));
    if (!isOwn) return;
    counts.chosen += 1;
    if (record.kind === 'human' && isRealHash(record.passwordHash)) counts.hashes += 1;
    if (record.isUnsure && record.state === 'active') counts.unsure += 1;
    if (before === undefined) await countNew(counts, record, request);
    else {
      counts[before.older.length === 0 ? 'changed' : 'unanswered'] += 1;
      // The user is read first, as are changed metadata and links. A state has a call of its own.
      counts.requests += 2 + furtherCalls.filter((part) => isNewPart(before, record, part)).length;
    }
    if (record.kind === 'human' && due !== undefined) await mailList?.add(record, due);
  };
  for await (const user of readUsers(source, { notify, onBytes: (block) => hash.add(block) })) {
    signal.throwIfAborted();
    counts.all += 1;
    await add(user);
  }
  await taken.ask();
  refuseUnknown(unknownUsers);
  const plan = { users: counts.all, grants: source.owned?.grants ?? 0 };
  return {
    ...counts,
    /** Ids of the users of a trial, and of the organizations that they and their grants belong to. */
    trial,
    // Those whose ids are taken. A resumed run may have created these users itself.
    ...taken.counts,
    tally: { ...tally, read: counts.users, rejected: tally.rejected + taken.counts.elsewhere },
    plan,
    requests: counts.requests + grantsOf(plan, counts.chosen),
    messages,
    input: { names: source.inputs.map(({ name }) => name), live: source.live, ...hash.finish() },
  };
}

/** Counts the calls for a user who is not in the journal, and has the service asked whether its id is taken. */
async function countNew(counts: ReturnType<typeof noCounts>, record: AcceptedRecord, request: ScanRequest) {
  const { api, idRule, taken } = request;
  const toSend = 1 + followUpsOf(record, api).length;
  counts.requests += toSend;
  const kept = api === 'v2' ? keptId(idRule, record.id) : undefined;
  const onTaken = () => {
    counts.chosen -= 1;
    counts.requests -= toSend;
  };
  if (kept !== undefined) await taken.add(kept, { kind: record.kind, org: orgOf(request, record), onTaken });
  else if (record.id !== '') counts.newIds += 1;
}

/** Estimates how many grants this run makes: only its own users get theirs. */
const grantsOf = ({ users, grants }: UsersPlan, chosen: number) =>
  Math.ceil((grants * chosen) / Math.max(1, users));

/** Throws `UsageError` for `--user` values that match no user. Otherwise a misspelled name would be skipped silently. */
function refuseUnknown(unknownUsers: ReadonlySet<string>) {
  if (unknownUsers.size === 0) return;
  const names = Array.from(unknownUsers, (name) => JSON.stringify(name)).join(' or ');
  throw new UsageError(
    `no user in the input is ${names}`,
    '--user takes an id, a user name or an email address, as the input has them.',
  );
}

/** Reports, before the run begins, how long it will take. */
export function reportForecast(
  scan: UserScan,
  { perSecond, orgs, journal, selection: { shard } }: ImportUsersRequest,
  emit: Emit,
) {
  const { chosen, changed, unanswered, existing, elsewhere, newIds, requests, tally, plan } = scan;
  const rejected = tally.rejected + tally.skipped;
  const why = [
    ...tally.reasons.keys(),
    elsewhere > 0 && `${formatCount(elsewhere)} because the id is taken in another organization`,
  ];
  const parts = [
    `${formatCount(chosen)} of ${formatCounted(plan.users, 'user')} to ${orgs.length === 1 ? `organization ${orgs[0]?.orgId}` : formatCounted(orgs.length, 'organization')}`,
    formatCounted(requests, 'request'),
    requests > 0 && formatTimeAt(requests, perSecond),
    shard && `shard ${shard.index} of ${shard.count}`,
    changed > 0 && `${formatCount(changed)} of them changed in the source since`,
    unanswered > 0 && `${formatCount(unanswered)} of them failed before, or got no answer`,
    existing > 0 && `${formatCounted(existing, 'is', 'are')} there already`,
    newIds > 0 &&
      `${formatCounted(newIds, 'gets', 'get')} a new id${existing > 0 ? ' unless already there' : ''}`,
    rejected > 0 && `${formatCounted(rejected, 'is', 'are')} left out (${why.filter(Boolean).join(', ')})`,
    journal.resume && 'minus users already in the journal',
  ].filter(Boolean);
  emit(note('import:quote', `${parts.join(', ')}.`));
}

/** Notes users who count as able to sign in although their hash may not work. A dry run also notes what no hash shows. */
export function reportUnsure(
  { unsure, hashes }: UserScan,
  { source: { policy }, dryRun }: ImportUsersRequest,
  emit: Emit,
) {
  if (dryRun && hashes > 0) emit(note('passwords:length', unknownLengths(hashes)));
  if (unsure === 0) return;
  const text = `${formatCounted(unsure, 'user counts', 'users count')} as able to sign in, although the profile ${policy.profile.name} refuses their password hash; it is sent anyway. If the service refuses it too, these users are rejected: say what yours accepts with --target-profile.`;
  emit(note('hash:unsure', text));
}
