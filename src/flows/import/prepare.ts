/** Does what a bulk import and its dry run do before anything is sent: reads the body, chooses ids, counts the messages. */
import { scanBody, type BodyScan, type OrgScan } from '../../sources/org-data/scan-body.ts';
import { guessId } from '../../targets/bulk/entry.ts';
import { bodyParts, userLists } from '../../wire/org-entries.ts';
import type { Emit, RunContext } from '../../events.ts';
import { requireRepeatable } from '../../lib/input.ts';
import { countMessages, noMessageCounts } from '../../records/messages.ts';
import { count } from '../../records/tally.ts';
import { passGate } from '../messages/gate.ts';
import { chooseCreates, chooseRenames } from '../preflight/check-orgs.ts';
import type { BodyRequest } from './run.ts';
import {
  createPlan,
  type ImportEntry,
  isEntry,
  planEntries,
  type ImportSource,
  createNewIds,
} from './entries.ts';
import { createChunks, toBody, type BodyOptions, type ChunkLimits } from '../../targets/bulk/chunk.ts';
import { importRequestSize } from '../../wire/import-size.ts';

/** Reads the body once. Finds out what it contains, and that it is complete. */
export async function prepare(
  { input, firstForm, createOrgs, phone, log, renameOrgs, skip }: BodyRequest,
  { emit }: RunContext,
): Promise<ImportSource> {
  requireRepeatable([input], 'An import reads its body several times, and again when it is resumed');
  const found = await scanBody(input);
  for (const notice of found.lost) log.notify(notice, emit);
  const skipped: readonly string[] = skip.flatMap((part) => bodyParts[part]);
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
