/** `idport import`, which sends an import body or an export to a service, and `idport copy`, which fetches the export from another one. */
import { resolve } from 'node:path';
import { ExitCode, UsageError, IdportError } from '../errors.ts';
import { type Emit, note, warning } from '../events.ts';
import { importOrgs, planRequests, passBody, prepare, renameUsers } from '../flows/import/import.ts';
import { type ImportRequest, chooseTimeouts } from '../flows/import/run.ts';
import { canonicalPath } from '../lib/canonical-path.ts';
import { type JournalOptions, findJournal, lockRun, mustResume } from '../flows/runs/open-journal.ts';
import { countRejected } from '../records/tally.ts';
import type { BodyPart } from '../wire/org-entries.ts';
import type { TargetProfile } from '../wire/profile.ts';
import { nameAppSecrets } from './project-flags.ts';
import { connect, requireUrl } from './connect.ts';
import { chooseProfile, speedOptions } from './service-limits.ts';
import type { BulkFlags, ImportFlags, CopyFlags } from '../flags/imports.ts';
import type { Action, CommandContext } from './context.ts';
import { readGcsFlags, bucketJob } from './gcs.ts';
import { openRunFiles } from './convert-request.ts';
import { openBodyInput } from './source.ts';
import { claimIdMap, journalOptions, nextJournal, runImport, sinceJournals } from './run-import.ts';
import { randomBytes } from 'node:crypto';
import { createForecaster } from '../flows/convert/forecast.ts';
import { formatBytes, formatCounted, formatSeconds } from '../lib/format.ts';
import { printLine } from '../storage/stream-sink.ts';
import { existsSync } from 'node:fs';
import { exportOrgs } from '../flows/export/export.ts';
import { namedFlags } from '../lib/strings.ts';
import { openInput } from '../storage/open-input.ts';
import { openOutput } from '../storage/file-sink.ts';
import { askedFor, waitForUsers } from './export.ts';

export const importBody: Action<ImportFlags> = async (flags, context) => {
  const input = await openBodyInput(flags.body, flags, context);
  if (!flags.dryRun) requireUrl(flags, context);
  const profile = await chooseProfile(flags, context);
  const settings = settingsOf(flags, profile);
  const journal = journalOf(flags, flags.body, context);
  context.outputs.claim('the journal', journal.path);
  const outputs = openOutputs(flags, flags.body, context);
  if (flags.dryRun) return dryRunImport({ input, ...outputs, ...settings }, context);
  const appSecrets = nameAppSecrets(flags, context);
  const bucket = chooseBucket(flags, context);
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
      appSecrets,
    },
    context,
  );
};

/** Returns the options of the journal, which is next to the input unless a flag names it. */
function journalOf(
  flags: Pick<ImportFlags, 'journal' | 'resume' | 'fresh' | 'sinceJournal' | 'stealLock'>,
  input: string,
  context: CommandContext,
): JournalOptions {
  const path = flags.journal ?? nextJournal(input, flags, context);
  return journalOptions(flags, canonicalPath(path, context.cwd), context);
}

/** Opens the outputs. Throws `UsageError` if a file would replace another output or a file that the run needs. */
function openOutputs(
  flags: Parameters<typeof openRunFiles>[0] & Pick<ImportFlags, 'ids' | 'idMap'>,
  input: string,
  context: CommandContext,
) {
  // Runs with new ids always write an id map.
  const idMap = flags.idMap ?? (flags.ids === 'new' ? `${input}.ids.csv` : undefined);
  const idMapPath = idMap === undefined ? undefined : resolve(context.cwd, idMap);
  claimIdMap(idMapPath, context);
  return { ...openRunFiles(flags, context), idMapPath };
}

async function importAndReport(request: ImportRequest, context: CommandContext) {
  const { journal, idMapPath: idMap } = request;
  context.addFacts({ journal: journal.path });
  const files = { verb: 'import', journal: journal.path, idMap } as const;
  const { tally } = await runImport(files, context, (inRun) => importOrgs(request, inRun));
  return countRejected(tally) > 0 || !request.log.isComplete() ? ExitCode.rejected : ExitCode.done;
}

function settingsOf(
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
async function dryRunImport(request: DryRun, context: CommandContext) {
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
    await printLine(stdout, JSON.stringify(planned));
  }
  const { bulk, single, bytes } = forecaster.finish();
  emit({ type: 'forecast', profile: profile.name, bulk, single, bytes });
  const { requests, users, rejected, largest } = counts;
  const text = [
    `${formatCounted(users, 'user')} in at least ${formatCounted(requests, 'request')}`,
    `the largest has ${formatBytes(largest)} of ${formatBytes(size.bytes)}`,
    ...(bulk.seconds === undefined ? [] : [`about ${formatSeconds(bulk.seconds)} on the hosted service`]),
    ...(rejected === 0 ? [] : [`${formatCounted(rejected, 'entry', 'entries')} would not be sent`]),
    '`idport check` of this body compares the ways to import',
  ];
  emit(note('import:rehearsed', text.join('; ')));
  await passBody(source, request, context);
  return rejected > 0 || !request.log.isComplete() ? ExitCode.rejected : ExitCode.done;
}

export const copy: Action<CopyFlags> = async (flags, context) => {
  const { cwd, emit } = context;
  const asked = askedFor({ ...flags, withPasswords: flags.passwords, withOtp: flags.otp, splitByOrg: false });
  const journal = journalOf(flags, flags.via, context);
  if (flags.via === '-') throw new UsageError('--via needs a file: the export is read several times');
  context.outputs.claim('the export', flags.via);
  context.outputs.claim('the journal', journal.path);
  const outputs = openOutputs(flags, flags.via, context);
  const profile = await chooseProfile({ ...flags, url: flags.toUrl }, context);
  const settings = settingsOf({ ...flags, v1: false, timeout: undefined }, profile);
  const lock = lockRun(journal, context);
  try {
    // A new export would be a different input, with which the run could not resume.
    const resume = await mustResume(journal);
    // Opened before the export, so that no export is left behind if the target cannot be reached.
    const client = await onSide('to', async () => {
      if (flags.dryRun) return undefined;
      const target = await connectTo('to', flags, profile, context);
      await target.token();
      return target;
    });
    if (!resume) {
      const end = await onSide('from', () => fetchExport(flags, asked, context));
      if (end === undefined) {
        emit(note('list:not-yet', 'Nothing was copied. Run it again later, or with a longer --wait.'));
        return ExitCode.notYet;
      }
      if (end.missing.length > 0 || end.orgs.length === 0) {
        emit(warning('copy:lost', 'Nothing was copied, because the export lacks what was asked for.'));
        return ExitCode.rejected;
      }
    } else if (!existsSync(resolve(cwd, flags.via))) {
      throw new UsageError(
        `there is no export to resume with: ${flags.via}`,
        'Run it without --resume, or name the file with --via.',
      );
    }
    emit(note('copy:in-bulk', inBulk));
    return await onSide('to', async () => {
      const input = openInput(flags.via, context);
      if (client === undefined) return dryRunImport({ input, ...outputs, ...settings }, context);
      // A run that stopped before its import has an export but no journal.
      const isBegun = (await findJournal(journal.path)) !== undefined;
      const request = { input, client, since: [], journal: { ...journal, resume: resume && isBegun, lock } };
      return importAndReport({ ...request, ...settings, ...outputs }, context);
    });
  } finally {
    lock.release();
    const text = `${flags.via} has everything that is copied, including secrets: delete it when you no longer need it.`;
    if (existsSync(resolve(cwd, flags.via))) emit(warning('copy:file-kept', text));
  }
};

const inBulk =
  'Users are copied in bulk, and the service emails those with an unverified address. To copy them without emails: ' +
  '`idport export`, `import --skip=users,members`, `import-users --org=body`, `import --skip=users` (docs/export.md).';

/** Renames flags in hints: `copy` has `--from-url` and `--to-url` instead of `--url`. */
async function onSide<Value>(side: 'from' | 'to', work: () => Promise<Value>) {
  try {
    return await work();
  } catch (error) {
    if (error instanceof IdportError && error.hint !== undefined) {
      error.hint = renameFlags(error.hint, {
        '--url': `--${side}-url`,
        '--token-file': `--${side}-token-file`,
        '--key-file': `--${side}-key-file`,
        IDPORT_TOKEN: `IDPORT_${side.toUpperCase()}_TOKEN`,
      });
    }
    throw error;
  }
}

/** Replaces names of flags and variables in a hint. Names without a replacement stay. */
export function renameFlags(text: string, names: Readonly<Record<string, string>>) {
  return text.replaceAll(namedFlags, (name) => names[name] ?? name);
}

/** Writes the export of the source. Undefined if users may be missing from it. */
async function fetchExport(flags: CopyFlags, asked: ReturnType<typeof askedFor>, context: CommandContext) {
  // The report names only the target, so facts about the source are dropped.
  const source = { ...context, addFacts: () => undefined };
  const quiet = { ...source, emit: () => undefined };
  const profile = await chooseProfile({ ...flags, url: flags.fromUrl }, quiet);
  const client = await connectTo('from', flags, profile, source);
  if (!(await waitForUsers(flags, flags.via, client, context))) return undefined;
  const sink = openOutput(flags.via, { cwd: context.cwd });
  return exportOrgs({ client, sink, ...asked }, context);
}

/** Connects with the flags and the token variable of one side instead of the common ones. */
function connectTo(side: 'from' | 'to', flags: CopyFlags, profile: TargetProfile, context: CommandContext) {
  const { IDPORT_TOKEN: _, IDPORT_KEY_FILE: __, ...env } = context.env;
  const token = env[`IDPORT_${side.toUpperCase()}_TOKEN`];
  return connect(
    { url: flags[`${side}Url`], tokenFile: flags[`${side}TokenFile`], keyFile: flags[`${side}KeyFile`] },
    { ...context, env: { ...env, IDPORT_TOKEN: token } },
    speedOptions(flags, profile),
  );
}
