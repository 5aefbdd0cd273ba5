/** Imports in bulk: the entries of a body are read, prepared and sent in few large requests. `--dry-run` only prepares. */
import { basename } from 'node:path';
import type { Client } from '../../api/client.ts';
import { type Emit, note, type RunContext, warning } from '../../events.ts';
import { formatCount, shellWord } from '../../lib/format.ts';
import { countEnded, count } from '../../records/tally.ts';
import { type BodyScan, scanBody, type OrgScan } from '../../sources/org-data/scan-body.ts';
import { describeVanished, loadPreviousRuns } from '../incremental/previous-runs.ts';
import { chooseKey, createFingerprints, readRelatedEntries } from '../incremental/fingerprint.ts';
import { ownedLists, bodyParts, userLists } from '../../wire/org-entries.ts';
import { projectLists, readBodyResources } from '../../sources/org-data/projects.ts';
import type { Resource } from '../../records/resource.ts';
import { keepSecrets } from '../resources/app-secrets.ts';
import { findAdded, findFreshIds } from '../resources/find.ts';
import { waitForList } from '../reconcile/list-lag.ts';
import { wrongCounts } from '../runs/open-journal.ts';
import { importByBucket } from './bucket.ts';
import {
  findMissingOrgs,
  refuseNameless,
  refuseTakenNames,
  chooseCreates,
  chooseRenames,
} from '../preflight/check-orgs.ts';
import {
  createPlan,
  type ImportEntry,
  listCounts,
  type ImportSource,
  isEntry,
  planEntries,
  createNewIds,
} from './entries.ts';
import { matchOrgs, reportCreated } from '../orgs/match-orgs.ts';
import { withOrgIds } from '../../sources/org-data/organizations.ts';
import { settleOpen } from './lost-answers.ts';
import { reportUnverified } from './results.ts';
import { finishRun, openRun } from '../runs/open-run.ts';
import { type BucketJob, type ImportRequest, startRun, type ImportRun, type BodyRequest } from './run.ts';
import { isUnchanged, sendAll } from './send-all.ts';
import { stopwatch } from '../../lib/clock.ts';
import { guessId } from '../../targets/bulk/entry.ts';
import { requireRepeatable } from '../../lib/input.ts';
import { countMessages, noMessageCounts } from '../../records/messages.ts';
import { passGate } from '../messages/gate.ts';
import { createChunks, toBody, type BodyOptions, type ChunkLimits } from '../../targets/bulk/chunk.ts';
import { importRequestSize } from '../../wire/import-size.ts';

/** Throws before anything is sent if the body does not fit the target, or if more messages would be sent than allowed. */
export async function importOrgs(request: ImportRequest, context: RunContext) {
  const { input, client, log } = request;
  const { emit, clock } = context;
  const [startedAt, seconds] = [clock.now(), stopwatch(clock)];
  const read = await prepare(request, context);
  // Check this before the first request to the service, if no answer is needed for it.
  const isWhole = request.since.length === 0 && request.ids !== 'new';
  if (isWhole) await passBody(read, request, context);
  const prepared = await withFreshProjects(client, await matchSource(client, read, emit), emit);
  const { scan, plan } = prepared;
  const orgIds = scan.orgs.map(({ orgId }) => orgId);
  const runs = { verb: 'import', url: client.url, orgs: orgIds, journal: request.journal } as const;
  const previous = await loadPreviousRuns(request.since, runs);
  const { key, sameIds } = await chooseKey(previous, request.journal);
  const source = await renameUsers(prepared, request, key);
  if (request.ids === 'new' && sameIds) {
    const { path } = request.journal;
    const text = `The previous run gave users new ids (${path}): they keep them, and those that it created exist and are skipped. To create them anew, roll it back first: idport undo --journal=${shellWord(path)}.`;
    emit(note('import:same-ids', text));
  }
  const lists = ownedLists.filter((list) => source.scan.counts.has(list));
  const fingerprints = createFingerprints(key, await readRelatedEntries(source.input, lists));
  const unchanged = (entry: ImportEntry) => isUnchanged({ fingerprints, previous }, entry);
  if (!isWhole) await passBody(source, request, context, unchanged);
  const missing = await findMissingOrgs(client, orgIds);
  const names = new Map([...scan.orgs.map(({ orgId, name }) => [orgId, name] as const), ...source.creates]);
  const newOrgs = missing.map((orgId) => ({ orgId, name: names.get(orgId) ?? '', domains: [] }));
  refuseNameless(newOrgs);
  await refuseTakenNames(client, newOrgs);
  reportCreated(newOrgs, 'will be created', emit);
  const resources = await readResources(source);
  const added = await findAdded(client, resources, newOrgs, 'by id');
  const opening = {
    verb: 'import',
    input: { names: [input.name], bytes: scan.bytes, sha256: scan.sha256 },
    orgs: orgIds,
    plan: listCounts(plan),
    settings: settingsOf(request, source, key),
    fingerprints,
    previous,
    newOrgs,
    added,
    resources,
  };
  const opened = await openRun(request, opening, context);
  const run = startRun(request, opened, source, missing);
  return finishRun(run, seconds, async () => {
    const start = { verb: 'import', inputs: [input.name] };
    await log.begin({ ...start, startedAt }, scan.firstForm ? 'dataOrgsv1' : 'dataOrgs');
    emit({ type: 'run:start', ...start, records: run.users });
    if (previous?.lastWrite !== undefined) await waitForList(run, previous.lastWrite);
    await send(run, request.bucket);
    await keepSecrets(run, run.addedApps);
    reportUnverified(run);
    for (const notice of await describeVanished(previous)) log.notify(notice, emit);
    const { tally, users, total } = run;
    const ended = countEnded(tally);
    if (tally.read !== users || ended !== total)
      throw wrongCounts(`${ended} of ${total} entries are accounted for, ${tally.read} of ${users} users`);
  }).finally(() => previous?.close());
}

/** Returns the body with the ids of the target's organizations. Organizations that already exist are left as they are. */
async function matchSource(client: Client, source: ImportSource, emit: Emit) {
  const { scan, creates } = source;
  const { ids, found } = await matchOrgs(client, scan.orgs, emit, (orgId) => creates.has(orgId));
  if (ids.size === 0) return source;
  const renamed = new Map(Array.from(creates, ([id, name]) => [ids.get(id) ?? id, name]));
  const isFound = new Set(found.map(({ orgId }) => orgId));
  const orgs = scan.orgs.map((org) => {
    const orgId = ids.get(org.orgId) ?? org.orgId;
    const counts = [...org.counts].filter(([list]) => !isFound.has(org.orgId) || !ofOrg.includes(list));
    return { ...org, orgId, counts: new Map(counts) };
  });
  const matched: BodyScan = { ...scan, orgs };
  const input = withOrgIds(source.input, ids);
  return { ...source, input, scan: matched, creates: renamed, plan: createPlan(matched, renamed) };
}

/** Gives other ids to projects that were deleted at the target, because their roles and applications stay taken. */
async function withFreshProjects(client: Client, source: ImportSource, emit: Emit): Promise<ImportSource> {
  const ids = await findFreshIds(client, await readResources(source), emit);
  return { ...source, input: withOrgIds(source.input, ids) };
}

/** Lists with properties of an organization itself. */
const ofOrg = ['org', 'domains'];

/** Reads projects and what is part of them. */
async function readResources({ input, scan }: ImportSource): Promise<readonly Resource[]> {
  const hasAny = projectLists.some((list) => scan.counts.has(list));
  return hasAny ? (await readBodyResources(input)).resources : [];
}

function settingsOf(request: ImportRequest, { scan }: ImportSource, key: string): Record<string, string> {
  return {
    form: scan.firstForm ? 'v1' : 'v2',
    route: request.bucket === undefined ? 'inline' : 'bucket',
    skip: request.skip.join(', '),
    created: [...request.createOrgs, ...request.renameOrgs].join(', '),
    ...(request.ids === 'new' && { ids: 'new' }),
    ...(request.phone !== 'keep' && { phone: request.phone }),
    // Noted because undo then cannot tell what others have changed meanwhile.
    ...(request.emailAfter === 'verified' && { emails: 'verified' }),
    fingerprints: key,
    'since-journal': request.since.map((path) => basename(path)).join(', '),
  };
}

/** Sends all entries inline. With a bucket, sends only what the service's own job has left. */
async function send(run: ImportRun, bucket: BucketJob | undefined) {
  if (bucket === undefined) {
    await settleOpen(run);
    await sendAll(run);
    return;
  }
  const { left, close } = await importByBucket(run, bucket);
  const entries = await sendAll(run, left);
  if (entries > 0) {
    const text = `${formatCount(entries)} entries that are not users were left to the service's own job, which reports nothing: they are not counted here.`;
    run.emit(warning('import:uncounted', text));
  }
  await close();
}

/** Reads the body once. Finds out what it contains, and that it is complete. */
export async function prepare(
  { input, firstForm, createOrgs, phone, log, renameOrgs, skip }: BodyRequest,
  { emit }: RunContext,
): Promise<ImportSource> {
  requireRepeatable([input], 'An import reads its body several times, and again when it is resumed');
  const found = await scanBody(input);
  for (const notice of found.lost) log.notify(notice, emit);
  const skipped = skip.flatMap((part) => bodyParts[part]);
  const kept = (counts: OrgScan['counts']) =>
    new Map([...counts].filter(([list]) => !skipped.includes(list)));
  const scan: BodyScan = {
    ...found,
    firstForm: firstForm || found.firstForm,
    orgs: found.orgs.map((org) => ({ ...org, counts: kept(org.counts) })),
    counts: kept(found.counts),
  };
  const creates = new Map([...chooseCreates(createOrgs, scan.orgs), ...chooseRenames(renameOrgs, scan.orgs)]);
  return { input, scan, creates, plan: createPlan(scan, creates), phone };
}

/** Gives users new ids if requested. An incremental or resumed run has the key of the previous run, hence the same ids. */
export async function renameUsers(source: ImportSource, { ids }: BodyRequest, key: string) {
  if (ids !== 'new') return source;
  return { ...source, rename: await createNewIds(planEntries(source, userLists), key) };
}

/** Throws if the service would send more messages than allowed. */
export async function passBody(
  source: ImportSource,
  request: BodyRequest,
  { emit, signal }: RunContext,
  /** Users for whom this returns true are not sent. */
  isUnchanged: (entry: ImportEntry) => boolean = () => false,
) {
  const { profile, mailList } = request;
  // Counts the whole body: what a resumed run has already sent counts, too.
  const counts = noMessageCounts();
  for await (const planned of planEntries(source, ['humanUsers'])) {
    signal.throwIfAborted();
    const entry = planned.read();
    if (!isEntry(entry) || entry.user === undefined || isUnchanged(entry)) continue;
    const { user, oldId } = entry;
    countMessages(counts, user.messages);
    const isRefused = user.signIn === 'password' && user.isRefusedBy(profile);
    if (user.signIn !== undefined) count(counts.signIn, isRefused ? 'refused-hash' : user.signIn);
    await mailList?.add({ ...user, id: oldId ?? user.id }, user.messages);
  }
  return passGate(counts, request, emit);
}

/**
 * Yields the requests of a dry run, numbered from 1. Real runs start with smaller ones and adapt to the service's speed, but none
 * is larger than these.
 */
export async function* planRequests(
  source: ImportSource,
  body: BodyOptions,
  limits: ChunkLimits,
  onRejected: Emit,
) {
  const builder = createChunks(body);
  let request = 0;
  const take = () => {
    const entries = builder.take();
    const text = toBody(entries, body);
    return {
      request: ++request,
      entries: entries.length,
      users: entries.filter(({ user }) => user !== undefined).length,
      /** Size as protobuf, which the service counts. */
      bytes: importRequestSize(JSON.parse(text)),
      jsonBytes: Buffer.byteLength(text),
    };
  };
  for await (const { list, index, text, read } of planEntries(source)) {
    const entry = read();
    if (!isEntry(entry)) {
      const place = { input: `${source.input.name} ${list}`, index, id: guessId(text) };
      onRejected({ type: 'record:rejected', place, code: entry.code, detail: entry.detail });
      continue;
    }
    if (!builder.fits(entry, limits)) yield take();
    builder.add(entry);
  }
  if (builder.size > 0) yield take();
}
