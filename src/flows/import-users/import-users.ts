/** The one-by-one import: every user of a source is created at the target by a call of its own. */
import { formatCounted } from '../../lib/quantity.ts';
import { noticeEvent, type RunContext } from '../../events.ts';
import type { Journal } from '../../journal/journal.ts';
import type { JournalHeader } from '../../journal/lines.ts';
import { sumEmails } from '../../records/messages.ts';
import { emptyTally, type Tally } from '../../records/tally.ts';
import type { Notice } from '../../sources/source.ts';
import type { Fingerprints } from '../incremental/fingerprint.ts';
import { describeVanished } from '../incremental/previous-runs.ts';
import { settleDeleted } from './deleted-users.ts';
import { passGate } from '../messages/gate.ts';
import { mutedFileOf, PasswordEmails, unmuteOrgs } from '../messages/password-emails.ts';
import { createWait, type ListContext } from '../reconcile/list-lag.ts';
import { readNewestBefore, waitForRuns } from '../reconcile/write-times.ts';
import { createIdMap, keepIdMap, type IdMap } from '../report/id-map.ts';
import { endStopped } from '../report/run-outputs.ts';
import { lockRun, openJournal, wrongCounts } from '../runs/open-journal.ts';
import type { SourceUser, UserSource } from '../source/read-users.ts';
import { createOrgs, findOrgsToCreate } from '../orgs/create-orgs.ts';
import { reportCreated } from '../orgs/match-orgs.ts';
import { describeApps, toResources } from '../resources/source-apps.ts';
import { checkSecretsFile, openAddedApps } from '../resources/app-secrets.ts';
import { createResources, type TargetIds } from '../resources/create.ts';
import { createdOrg, findAdded, reportAdded } from '../resources/find.ts';
import type { Resource } from '../../records/resource.ts';
import { readBodyResources } from '../../sources/org-data/projects.ts';
import { planLines } from '../runs/journal-users.ts';
import { reportProgress, startRun, type UsersRun } from './run.ts';
import { TakenIds } from './service-users.ts';
import type { ImportUsersRequest } from './request.ts';
import { refuseStreams, reportForecast, reportUnsure, scanSource, type UserScan } from './scan-users.ts';
import { OldIds, sendRelated } from './send-related.ts';
import { sendUsers } from './send-users.ts';

export interface ImportUsersEnd {
  readonly tally: Tally;
  readonly followUpsFailed: number;
  /** More messages than allowed: nothing was sent. */
  readonly overLimit: boolean;
}

/** Throws `UsageError` before anything is sent where the source and the target do not fit. */
export async function importUsers(request: ImportUsersRequest, context: RunContext): Promise<ImportUsersEnd> {
  const { client, log } = request;
  const { emit, clock } = context;
  const startedAt = clock.monotonic();
  const seconds = (): number => (clock.monotonic() - startedAt) / 1000;
  refuseStreams(request.source);
  const inputs = request.source.inputs.map(({ name }) => name);
  const body = request.source.provider === 'body' ? 'dataOrgs' : undefined;
  await log.begin({ verb: 'import-users', inputs, startedAt: clock.now() }, body);
  const notify = (notice: Notice): void => {
    log.notify(notice);
    emit(noticeEvent(notice));
  };
  for (const notice of request.notices ?? []) log.notify(notice);
  if (request.apps !== undefined) describeApps(request.apps).forEach(notify);
  const taken = new TakenIds(client);
  const passwordEmails = new PasswordEmails(client, request.muteEmails === true);
  const toScan = { ...request, taken, passwordEmails };
  const { source, fingerprints, scan } = await scanSource(toScan, context, notify);
  reportForecast(scan, request, emit);
  reportUnsure(scan, source, emit);
  const mute = (): Promise<void> => offerToMute(request, scan, passwordEmails);
  const overLimit = !(await passGate(scan.messages, request, emit, mute));
  const tally = emptyTally();
  const missing = overLimit ? [] : await findOrgsToCreate(client, request.orgs);
  const resources = overLimit ? undefined : await readResources(request, scan);
  const added = resources === undefined ? [] : await findAdded(client, resources, missing, 'by name');
  if (!request.dryRun) checkSecretsFile(appsOf(resources), added, request.appSecrets);
  if (overLimit || request.dryRun) {
    reportCreated(missing, 'would be created', emit);
    reportAdded(added, true, emit);
    if (!overLimit) (await settleVanished(request)).forEach(notify);
    return { tally: scan.tally, followUpsFailed: 0, overLimit };
  }
  const newestBefore = await readNewestBefore(client, request.journal.path);
  const creates = [...missing.map(createdOrg), ...added];
  const header = { ...headerOf(request, scan, fingerprints, clock.now()), newestBefore, creates };
  const mapLock = lockRun({ ...request.journal, path: request.idMapPath }, context);
  const { journal, idMap } = await openFiles(request, header, context).catch((error: unknown) => {
    mapLock.release();
    throw error;
  });
  try {
    await createOrgs({ ...context, client }, missing, notify);
    reportCreated(missing, 'created', emit);
    const wait = createWait(request.wait);
    const lists = { ...context, client, wait };
    const projectIds = resources && (await addResources(lists, resources, journal, request.appSecrets));
    if (projectIds !== undefined) reportAdded(added, false, emit);
    const opened = { scan, journal, fingerprints, tally, idMap, projectIds, wait, taken, passwordEmails };
    const users = await startRun(request, context, opened);
    reportProgress(users);
    await waitForRuns(users, request.selection.previous?.paths() ?? []);
    const settled = await settleVanished(request);
    await sendAll(users, source).catch(async (error: unknown) => {
      await endStopped(users, error, seconds());
      throw error;
    });
    settled.forEach(notify);
    // While the run can still be resumed, which writes the map again.
    idMap.close();
    await unmuteOrgs(client, mutedFileOf(journal.path));
    await journal.finish(client.serverNow());
    return await finish(users, seconds());
  } finally {
    source.owned?.close();
    try {
      idMap.close();
    } finally {
      journal.close();
      mapLock.release();
    }
  }
}

/** Only where more would be sent than allowed. */
async function offerToMute(
  { muteEmails, limits }: ImportUsersRequest,
  { messages }: UserScan,
  passwordEmails: PasswordEmails,
): Promise<void> {
  const count = messages.emails.get('password-changed') ?? 0;
  if (typeof muteEmails !== 'object' || count === 0 || sumEmails(messages) <= limits.emails) return;
  const orgs = [...passwordEmails.orgs].join(', ');
  const question = `${formatCounted(count, 'user')} of organization ${orgs} would get an email that the password has changed. Switch it off there until the end of this run?`;
  if (!(await muteEmails.ask(question))) return;
  passwordEmails.isMuted = true;
  messages.emails.delete('password-changed');
}

/** What the run that is resumed has begun to add counts as well. */
async function addResources(
  context: ListContext,
  resources: readonly Resource[],
  journal: Journal,
  appSecrets: string | undefined,
): Promise<TargetIds | undefined> {
  const added = openAddedApps(appsOf(resources), journal.progress, appSecrets, context.emit);
  try {
    return await createResources(context, resources, added);
  } finally {
    added.secrets?.close();
  }
}

const appsOf = (resources: readonly Resource[] = []): Resource[] =>
  resources.filter(({ kind }) => kind === 'app');

/** Undefined where there are none. */
async function readResources(
  { source: { provider, inputs }, org, selection: { shard }, apps: ofSource }: ImportUsersRequest,
  { plan }: UserScan,
): Promise<Resource[] | undefined> {
  const [input] = inputs;
  // One of several processes creates the applications: each would get a secret of its own.
  const isFirst = shard === undefined || shard.index === 1;
  if (ofSource !== undefined) return isFirst ? toResources(ofSource) : undefined;
  if (provider !== 'body' || input === undefined) return undefined;
  const body = await readBodyResources(input);
  const own = body.resources.filter(({ kind }) => isFirst || kind !== 'app');
  // Where all users go to one organization, so does what the body says of its projects.
  const resources = own.map((one) => ({ ...one, org: org ?? one.org }));
  return resources.length + plan.grants === 0 ? undefined : resources;
}

async function openFiles(
  { journal: options, idMapPath, selection: { previous } }: ImportUsersRequest,
  header: JournalHeader,
  context: RunContext,
): Promise<{ readonly journal: Journal; readonly idMap: IdMap }> {
  const onKept = (path: string): void => previous?.moved(options.path, path);
  const journal = await openJournal({ ...options, onKept }, header, context);
  try {
    if (!journal.resumed) keepIdMap(idMapPath, context.emit);
    return { journal, idMap: createIdMap(idMapPath) };
  } catch (error) {
    journal.close();
    throw error;
  }
}

async function sendAll(run: UsersRun, source: UserSource): Promise<void> {
  const oldIds = new OldIds();
  const hasRelated = source.owned?.isEmpty === false;
  const onUser = (user: SourceUser): void => {
    if (hasRelated) oldIds.add(user);
  };
  await sendUsers(run, source, onUser);
  if (hasRelated) await sendRelated(run, source.inputs, oldIds);
}

async function finish(run: UsersRun, seconds: number): Promise<ImportUsersEnd> {
  await run.journal.saved();
  const { tally, scan, log, emit } = run;
  if (tally.read !== scan.users) {
    throw wrongCounts(`${tally.read} of ${scan.users} users are accounted for`);
  }
  await log.end(tally, seconds, emit);
  emit({ type: 'run:end', verb: 'import-users', tally, seconds });
  return { tally, followUpsFailed: run.followUpsFailed, overLimit: false };
}

function headerOf(
  { client, orgs, settings, api }: ImportUsersRequest,
  { plan, input }: UserScan,
  { key }: Fingerprints,
  now: number,
): JournalHeader {
  return {
    verb: 'import-users',
    input,
    url: client.url,
    orgs: orgs.map(({ orgId }) => orgId),
    plan: planLines(plan),
    settings: { ...settings, api, fingerprints: key },
    startedAt: now,
  };
}

/** Users of a previous run that are not in this source any more: a warning about them. */
async function settleVanished({
  selection: { previous },
  client,
  deleted = 'report',
  dryRun,
}: ImportUsersRequest): Promise<Notice[]> {
  if (previous === undefined) return [];
  const end =
    dryRun && deleted !== 'report'
      ? `--deleted=${deleted} would apply to those that previous runs created.`
      : await settleDeleted(client, previous, deleted);
  const text = await describeVanished(previous, end);
  return text === undefined ? [] : [{ level: 'warning', code: 'delta:vanished', text }];
}
