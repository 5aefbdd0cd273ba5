/** Compares the users of a source with a target, and reports each that is not as expected. */
import { basename } from 'node:path';
import { type Emit, note, type RunContext, warning } from '../../events.ts';
import { formatCounted } from '../../lib/format.ts';
import type { Compared } from '../../records/outcomes.ts';
import { count } from '../../records/tally.ts';
import { foldName } from '../../records/text.ts';
import type { AcceptedRecord } from '../../records/user.ts';
import { joinOwned } from '../read/owned-entries.ts';
import { encodeMetadataEntry } from '../../targets/human-user.ts';
import { listLoggedUsers, readRemovals } from '../reconcile/event-log.ts';
import { readSentUsers } from '../runs/journal-users.ts';
import { readRun, type Run, warnOfUnreadable } from '../runs/list-runs.ts';
import { findJournals, loadJournal, type FoundJournal } from '../../journal/load.ts';
import type { HashPolicy } from '../read/check-record.ts';
import { compareAgain, findMissing, findElsewhere, readMissing, waitForUsers } from './catch-up.ts';
import {
  type Comparison,
  listAll,
  listedOf,
  noCounts,
  nothing,
  createOtherShards,
  readExpected,
  readSource,
  type VerifyRequest,
} from './comparison.ts';
import { compareDetails, linkEntry, metadataEntry, passwordEntry, totpEntry } from './details.ts';
import { compareGrants, compareProjects } from './compare-grants.ts';
import { ExpectedUsers } from './expected-users.ts';
import { mayArriveUnverified } from './fields.ts';

export async function verifyUsers(request: VerifyRequest, context: RunContext) {
  const { source } = request;
  const owned = source.provider === 'body' ? await joinOwned(source.inputs, source.options) : undefined;
  return compareUsers({ ...request, source: { ...source, owned } }, context).finally(() => owned?.close());
}

async function compareUsers(given: VerifyRequest, context: RunContext) {
  const { emit } = context;
  const { journals, deactivated } = await lastRuns(given, emit);
  const source = { ...given.source, policy: asImported(given.source.policy, journals) };
  const request = { ...given, source };
  const { client, orgs } = request;
  const run: Comparison = {
    request,
    lists: { ...context, client, wait: { left: request.wait } },
    users: new ExpectedUsers(),
    others: createOtherShards(request.shard),
    counts: noCounts(),
    machines: false,
    rejected: 0,
    deactivated,
    isRemoved: await readRemovals(client, orgs),
  };
  const last = await expect(run);
  const { users, counts } = run;
  const inputs = source.inputs.map(({ name }) => name);
  emit({ type: 'run:start', verb: 'verify', inputs, records: users.size });
  await waitForUsers(run, last);
  await listAll(run);
  const isCompared = await compareAgain(run);
  const isSure = (await findMissing(run)) && isCompared;
  const isComplete = !isSure || users.found === users.size;
  const logged: Logged = isComplete ? () => undefined : await readLogged(run, journals, emit);
  // Users who were created after the lists were read are not lost.
  if (!isComplete) await readMissing(run, logged);
  // Right after an import, the lists of projects are not complete before that of users is.
  const projectIds = await compareProjects(run);
  const elsewhere = isComplete ? new Map<string, string>() : await findElsewhere(run);
  if (request.details !== 'none') {
    if (projectIds !== undefined) await compareGrants(run, projectIds);
    await compareDetails(run);
  }
  users.countSignIn(counts.signIn, source.provider !== 'body' && !knowsHashes(given.source.policy, journals));
  await reportUsers(run, { isSure, logged, elsewhere });
  if (source.provider !== 'body' && run.rejected > 0) {
    const left = formatCounted(run.rejected, 'record of the source is', 'records of the source are');
    emit(note('verify:left-out', `${left} not compared: a conversion with these flags leaves them out.`));
  }
  return counts;
}

/** Enough to know when an import last wrote, even if one of these users was refused. */
const lastUsers = 3;

/** Returns the keys of the source's last users at the target. */
async function expect(run: Comparison) {
  const { users, request } = run;
  const last: { user: number; id: string; userName: string }[] = [];
  for await (const { record } of readExpected(run, true)) {
    const user = users.add(record.id, record.userName, listedOf(request, record), record.names);
    if (record.kind === 'machine') users.mark(user, 'machine');
    users.setSignIn(user, record.prospects?.signIn ?? 'password');
    if (mayArriveUnverified(record)) users.mark(user, 'may be unverified');
    last.push({ user, id: record.id, userName: record.userName });
    if (last.length > lastUsers) last.shift();
    for (const { key, value } of record.metadata.map(encodeMetadataEntry)) {
      users.expect(user, 'metadata', metadataEntry(key, value));
    }
    // Entries of a body that no import accepts.
    for (const { code, detail = '' } of record.notes) {
      if (code === 'single:metadata') users.expect(user, 'metadata', detail);
      if (code === 'single:link') users.expect(user, 'links', detail);
    }
    if (record.kind === 'machine') continue;
    if (record.passwordHash + record.plainPassword !== '') users.expect(user, 'password', passwordEntry);
    if (record.otpSecret !== '') users.expect(user, 'TOTP', totpEntry);
    for (const { configId, externalUserId } of record.links)
      users.expect(user, 'links', linkEntry(configId, externalUserId));
  }
  for await (const [oldId, newId] of request.newIds) users.alias(oldId, newId);
  return last.map(({ user, id, userName }) => ({ id: users.targetId(user, id), userName }));
}

interface LastRun extends FoundJournal {
  readonly run: Run | undefined;
}

/** Returns the last import of this source in each folder, as far as its journals show, and the users whom they deactivated. */
async function lastRuns(
  { client: { url }, orgs, source: { inputs }, journals = [] }: VerifyRequest,
  emit: Emit,
) {
  const warn = warnOfUnreadable(emit);
  const names = new Set(inputs.map(({ name }) => basename(name)));
  const isOurs = ({ header }: FoundJournal) =>
    header.verb.startsWith('import') &&
    header.url === url &&
    header.orgs.some((org) => orgs.includes(org)) &&
    header.input.names.some((name) => names.has(basename(name)));
  const last: LastRun[] = [];
  const deactivated = new Set<string>();
  for (const folder of journals) {
    const ours = (await findJournals(folder, warn)).filter(isOurs);
    const later = ours.filter(({ header }) => header.settings['since-journal'] ?? header.follows);
    for (const { path } of later)
      for (const { id } of (await loadJournal(path).catch(warn))?.left.values() ?? []) deactivated.add(id);
    const journal = ours.at(-1);
    if (journal === undefined) continue;
    const run = await readRun(journal, basename(journal.path)).catch(warn);
    last.push({ ...journal, run });
  }
  return { journals: last, deactivated };
}

/** Uses the run's settings, which say better than flags who signs in through `idport jit` and which hashes were left out. */
function asImported(policy: HashPolicy, journals: readonly FoundJournal[]): HashPolicy {
  const isSet = (name: string) => journals.some(({ header }) => header.settings[name] === 'yes');
  const listed = isSet('jit-list') ? ({ onRefusedHash: 'drop', atFirstLogin: true } as const) : {};
  return { ...policy, ...listed, jit: policy.jit === true || isSet('jit') };
}

/**
 * Reports whether it is known which hashes were written. The export does not say it, but flags or the run that converted it do.
 */
const knowsHashes = ({ onRefusedHash }: HashPolicy, journals: readonly FoundJournal[]) =>
  onRefusedHash !== 'keep' ||
  journals.some(
    ({ header: { settings } }) =>
      settings['jit-placeholder'] !== 'yes' || settings['targetProfile'] === undefined,
  );

interface Knowledge {
  /** Whether users that were not found do not exist, instead of not being known yet. */
  readonly isSure: boolean;
  /** Users in the service's event log, if its lists do not show all. */
  readonly logged: Logged;
  /** Organizations of users who are in another one than the source says, by id. */
  readonly elsewhere: ReadonlyMap<string, string>;
}

/** Reports users in the order of the source, which is read once more because names are not kept in memory. */
async function reportUsers(run: Comparison, known: Knowledge) {
  const { users, counts, request, lists } = run;
  // The source need not be read again.
  if (!request.reportSame && run.rejected === 0 && users.areAllSame()) {
    counts.same = users.size;
    return;
  }
  let next = 0;
  let unlisted = 0;
  for await (const { record } of readSource(run)) {
    const isRejected = record.kind === 'rejected';
    // A conversion leaves records out on purpose, but each record of a body should be a user.
    if (isRejected && request.source.provider !== 'body') continue;
    const id = isRejected ? record.origin.id : record.id;
    const place = { ...record.origin, id };
    const user = isRejected ? -1 : next++;
    const compared = isRejected
      ? { ...unnamed, detail: record.detail === '' ? record.code : `${record.code}, ${record.detail}` }
      : judge(run, known, user, record);
    const { outcome, detail, fields, unknown } = compared;
    counts[outcome] += 1;
    if (outcome === 'missing' && record.kind === 'human') count(counts.signIn, 'missing');
    if (detail === notYet) counts.notYet += 1;
    if (detail === notListed && !users.has(user, 'found')) unlisted += 1;
    for (const field of fields) count(counts.fields, field);
    for (const field of unknown) count(counts.unknownFields, field);
    if (outcome !== 'same' || request.reportSame) await request.report({ ...compared, place });
  }
  if (unlisted === 0) return;
  const text = `${formatCounted(unlisted, 'user is', 'users are')} in the service's log of events and missing in its list, where the service has lost them. Importing them again would be refused. ${remedy}.`;
  lists.emit(warning('verify:unlisted', text));
}

const unnamed = { ...nothing, outcome: 'unknown', targetId: '', userName: '', email: '' } as const;

function judge(
  { users, request }: Comparison,
  { isSure, logged, elsewhere }: Knowledge,
  user: number,
  record: AcceptedRecord,
): Compared {
  const { userName } = record;
  const email = record.kind === 'human' ? record.email : '';
  const targetId = users.targetId(user, record.id);
  if (!users.has(user, 'found')) {
    const absent = { ...unnamed, userName, email };
    const org = elsewhere.get(targetId);
    if (org !== undefined) {
      const detail = `in organization ${org}`;
      return { ...absent, outcome: 'differs', targetId, fields: ['organization'], detail };
    }
    const detail = logged(targetId, userName);
    if (detail !== undefined) return { ...absent, targetId, detail };
    return isSure ? { ...absent, outcome: 'missing' } : { ...absent, detail: notYet };
  }
  const differing = users.differences(user, () => listedOf(request, record));
  const unknown = users.unknown(user);
  const barrier = record.kind === 'human' && record.isInitial ? '' : users.blockedBy(user);
  const isBlocked = barrier !== '' && unknown.length === 0 && differing.every((field) => field === 'state');
  const fields = isBlocked ? [] : differing;
  const known = isBlocked ? 'blocked' : 'same';
  const certain = unknown.length > 0 ? 'unknown' : known;
  const outcome = fields.length > 0 ? 'differs' : certain;
  const why = users.unlisted.has(user) ? notListed : barrier;
  const detail = users.has(user, 'not yet known') ? notYet : why;
  return { outcome, targetId, userName, email, fields, unknown, detail };
}

const notYet = 'not known yet: the list of the service is behind';

/** Returns what is known of a user that no list shows. */
type Logged = (id: string, userName: string) => string | undefined;

/**
 * Looks for missing users in the event log, because lists lose users under load. If the token may not read the log, the journals
 * say who was created.
 */
async function readLogged(
  { request, users: expected }: Comparison,
  journals: readonly LastRun[],
  emit: Emit,
): Promise<Logged> {
  const logged = new Map<string, string>();
  const add = (id: string, userName: string, detail: string) =>
    void logged.set(`id ${id}`, detail).set(`name ${foldName(userName)}`, detail);
  let isRead = true;
  for (const org of request.orgs) {
    const users = await listLoggedUsers(request.client, org, (...user) => expected.isMissing(...user));
    isRead &&= users !== undefined;
    for (const [id, userName] of users ?? []) add(id, userName, notListed);
  }
  for (const { run, ...journal } of journals) {
    if (run?.state === 'running') {
      const text = `An import of these users was running when the comparison began (${run.journal}): who is missing may come yet. Run verify again after its end.`;
      emit(warning('verify:running', text));
    }
    if (run?.state.startsWith('roll')) {
      const text = `The last import of these users was rolled back (${run.journal}.undo): it had created ${formatCounted(run.users.created, 'user')}.`;
      emit(warning('verify:rolled-back', text));
    } else if (!isRead && run !== undefined) {
      for await (const sent of readSentUsers(journal)) {
        const { id, userName, newId = id, end } = sent;
        if (end === 'created' && expected.isMissing(newId, userName)) add(newId, userName, onlyInJournal);
      }
    }
  }
  // Also by name, because the one-by-one import may give users new ids.
  return (id, userName) => logged.get(`id ${id}`) ?? logged.get(`name ${foldName(userName)}`);
}

const onlyInJournal =
  "created by the import, and not in the service's list: whether it was deleted needs a token with events.read";
const remedy = 'Its operator can restart the projection of that list; then run verify again';
const notListed = `written, but missing in the service's list. ${remedy}`;
