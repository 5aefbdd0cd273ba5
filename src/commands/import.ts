/** `idport import`, which sends an import body or an export to a service. */
import { resolve } from 'node:path';
import { ExitCode, UsageError } from '../errors.ts';
import { type Emit, note } from '../events.ts';
import { importOrgs, planRequests, passBody, prepare, renameUsers } from '../flows/import/import.ts';
import { type ImportRequest, chooseTimeouts } from '../flows/import/run.ts';
import { canonicalPath } from '../lib/canonical-path.ts';
import { countRejected } from '../records/tally.ts';
import type { BodyPart } from '../wire/org-entries.ts';
import type { TargetProfile } from '../wire/profile.ts';
import { nameAppSecrets } from './project-flags.ts';
import { connect, requireUrl } from './connect.ts';
import { chooseProfile, speedOptions } from './service-limits.ts';
import type { BulkFlags, ImportFlags } from '../flags/imports.ts';
import type { CommandOf, CommandContext } from './context.ts';
import { readGcsFlags, bucketJob } from './gcs.ts';
import { openRunFiles } from './convert-request.ts';
import { openBodyInput } from './source.ts';
import { claimIdMap, journalOptions, nextJournal, runImport, sinceJournals } from './run-import.ts';
import { randomBytes } from 'node:crypto';
import { createForecaster } from '../flows/convert/forecast.ts';
import { formatBytes, formatCounted, formatSeconds } from '../lib/format.ts';
import { printJson } from '../storage/stream-sink.ts';

export const importBody: CommandOf<ImportFlags> = async (flags, context) => {
  const input = await openBodyInput(flags.body, flags, context);
  if (!flags.dryRun) requireUrl(flags, context);
  const bucket = flags.dryRun ? undefined : chooseBucket(flags, context);
  const profile = await chooseProfile(flags, context);
  const settings = settingsOf(flags, profile);
  const journal = journalOf(flags, flags.body, context);
  const outputs = openOutputs(flags, flags.body, context);
  if (flags.dryRun) return dryRunImport({ input, ...outputs, ...settings }, context);
  const client = await connect(flags, context, speedOptions(flags, profile));
  return importAndReport(
    {
      input,
      client,
      journal,
      bucket,
      since: sinceJournals(flags, context),
      ...settings,
      ...outputs,
    },
    context,
  );
};

/** Returns the options of the journal, which is next to the input unless a flag names it. */
export function journalOf(
  flags: Pick<ImportFlags, 'journal' | 'resume' | 'fresh' | 'sinceJournal' | 'stealLock'>,
  input: string,
  context: CommandContext,
) {
  const path = canonicalPath(flags.journal ?? nextJournal(input, flags, context), context.cwd);
  context.outputs.claim('the journal', path);
  return journalOptions(flags, path, context);
}

/** Opens the outputs. Throws `UsageError` if a file would replace another output or a file that the run needs. */
export function openOutputs(
  flags: Parameters<typeof openRunFiles>[0] & Pick<ImportFlags, 'ids' | 'idMap' | 'appSecrets'>,
  input: string,
  context: CommandContext,
) {
  // Runs with new ids always write an id map.
  const idMap = flags.idMap ?? (flags.ids === 'new' ? `${input}.ids.csv` : undefined);
  const idMapPath = idMap === undefined ? undefined : resolve(context.cwd, idMap);
  claimIdMap(idMapPath, context);
  return { ...openRunFiles(flags, context), idMapPath, appSecrets: nameAppSecrets(flags, context) };
}

export async function importAndReport(request: ImportRequest, context: CommandContext) {
  const { journal, idMapPath: idMap } = request;
  context.addFacts({ journal: journal.path });
  const files = { verb: 'import', journal: journal.path, idMap } as const;
  const { tally } = await runImport(files, context, (inRun) => importOrgs(request, inRun));
  return countRejected(tally) > 0 || !request.log.isComplete() ? ExitCode.rejected : ExitCode.done;
}

export function settingsOf(
  flags: BulkFlags &
    Pick<ImportFlags, 'v1' | 'createOrg' | 'skip'> & { readonly timeout?: string | undefined },
  profile: TargetProfile,
) {
  const { requests } = profile;
  return {
    timeout: flags.timeout,
    mostSeconds: requests.maxSeconds,
    firstForm: flags.v1,
    onExisting: flags.onExisting,
    ids: flags.ids,
    emailAfter: flags.emailAfter,
    createOrgs: flags.createOrg ?? [],
    renameOrgs: flags.renameOrg ?? [],
    skip: (flags.skip ?? []).map(checkPart),
    wait: flags.wait,
    phone: flags.phone,
    limits: { emails: flags.maxEmails, sms: flags.maxSms },
    profile,
    size: {
      bytes: Math.min(flags.chunkBytes ?? Infinity, requests.maxBytes),
      jsonBytes: requests.maxJsonBytes ?? Infinity,
      most: flags.chunkUsers ?? requests.maxUsers ?? usualEntries,
      seconds: flags.chunkSeconds,
    },
  };
}

function checkPart(name: string): BodyPart {
  const part = name.trim();
  if (part === 'users' || part === 'members') return part;
  throw new UsageError(`--skip ${name}: it must be users, members or users,members`);
}

/** Entries of a request unless a flag or the profile says otherwise. Larger requests save nothing, and cost more if the answer is lost. */
const usualEntries = 5000;

function chooseBucket(flags: ImportFlags, { cwd, signal }: CommandContext) {
  const target = readGcsFlags(flags, cwd);
  if (target === undefined) return undefined;
  if (flags.sinceJournal !== undefined) {
    throw new UsageError(
      'give either --since-journal or --gcs, not both',
      'The service imports the whole file in the bucket.',
    );
  }
  return bucketJob(target, signal);
}

type DryRun = Omit<ImportRequest, 'client' | 'journal' | 'since'>;

/** Prints the requests that an import would send, and sends nothing. */
export async function dryRunImport(request: DryRun, context: CommandContext) {
  const { emit, stdout, signal } = context;
  const { input, profile, size } = request;
  emit({ type: 'run:start', verb: 'import --dry-run', inputs: [input.name] });
  const source = await renameUsers(await prepare(request, context), request, randomBytes(16).toString('hex'));
  const { scan } = source;
  const timeout = chooseTimeouts(request.timeout, scan.timeout, request.mostSeconds).service;
  const forecaster = createForecaster(profile);
  const counts = { requests: 0, users: 0, rejected: 0, largest: 0 };
  const limits = { bytes: size.bytes, jsonBytes: size.jsonBytes, entries: size.most };
  const onRejected: Emit = (event) => {
    counts.rejected += 1;
    emit(event);
  };
  for await (const planned of planRequests(
    source,
    { timeout, firstForm: scan.firstForm },
    limits,
    onRejected,
  )) {
    signal.throwIfAborted();
    const { users, bytes } = planned;
    counts.requests += 1;
    counts.users += users;
    counts.largest = Math.max(counts.largest, bytes);
    for (let i = 0; i < users; i++) forecaster.add(bytes / users, 1);
    await printJson(stdout, planned);
  }
  const { bulk, single, bytes } = forecaster.finish();
  emit({ type: 'forecast', profile: profile.name, bulk, single, bytes });
  const { requests, users, rejected, largest } = counts;
  const text = [
    `${formatCounted(users, 'user')} in at least ${formatCounted(requests, 'request')}`,
    `the largest has ${formatBytes(largest)} of ${formatBytes(size.bytes)}`,
    bulk.seconds !== undefined && `about ${formatSeconds(bulk.seconds)} on the hosted service`,
    rejected > 0 && `${formatCounted(rejected, 'entry', 'entries')} would not be sent`,
    '`idport check` of this body compares the ways to import',
  ].filter(Boolean);
  emit(note('import:rehearsed', text.join('; ')));
  await passBody(source, request, context);
  return rejected > 0 || !request.log.isComplete() ? ExitCode.rejected : ExitCode.done;
}
