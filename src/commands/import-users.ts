/** `idport import-users`: imports the users of a body, or of an export that is converted on the fly, one call each. */
import { basename, dirname, join, resolve } from 'node:path';
import { ExitCode, UsageError } from '../errors.ts';
import { createErrorLimit } from '../flows/import-users/run.ts';
import { refuseStreams } from '../flows/import-users/scan-users.ts';
import { chooseApi, type Api } from '../flows/import-users/create-user-support.ts';
import { importUsers } from '../flows/import-users/import-users.ts';
import { readRejectedUsers } from '../flows/import-users/select-users.ts';
import { askProviders } from '../flows/preflight/ask-service.ts';
import { loadPreviousRuns } from '../flows/incremental/previous-runs.ts';
import { mutedFileOf } from '../flows/messages/password-emails.ts';
import { findJournal, type JournalOptions, mustResume } from '../flows/runs/open-journal.ts';
import {
  type UserSource,
  type OpenedSource,
  withBodyRule,
  formatShard,
  type Shard,
} from '../flows/read/read-users.ts';
import { canonicalPath } from '../lib/canonical-path.ts';
import { routeOf } from '../records/messages.ts';
import { isWithoutUsers } from '../records/tally.ts';
import { readOrgs } from '../sources/body.ts';
import type { TargetProfile } from '../wire/profile.ts';
import { nameAppSecrets, readApps } from './project-flags.ts';
import { withCreatedIdps } from './create-idps.ts';
import { chooseOrg, ofBody, orgsOf, readOrgSettings } from './choose-org.ts';
import type { ImportUsersFlags } from '../flags/imports.ts';
import { type CommandContext, confirmer } from './context.ts';
import { openRunFiles, checkPolicy } from './convert-request.ts';
import { placeUsers } from '../flows/orgs/match-orgs.ts';
import { unmuteAfterStop } from './muted.ts';
import { readText } from './read-text.ts';
import { connectAtRate } from './connect.ts';
import { byShard, fileOfShard } from './shard.ts';
import { claimIdMap, journalOptions, nextJournal, runImport, sinceJournals } from './run-import.ts';
import { openSource } from './source.ts';

export const importUsersCommand = byShard<ImportUsersFlags>(async (typed, context, shard) => {
  refuseTogether(typed);
  const source = await openSource(typed, context);
  const isOfBody = typed.org === undefined && typed.body !== undefined;
  const org = isOfBody ? ofBody : await chooseOrg(typed, context);
  const limits = { emails: typed.maxEmails, sms: typed.maxSms };
  const errors = createErrorLimit(typed.maxErrors ?? {});
  const names = nameFiles(source, typed, context, shard);
  const options = journalOptions(typed, names.journal, context);
  const { flags, given, notices } = await withCreatedIdps({ ...typed, org }, source, context);
  if (flags.orgBy !== undefined) refuseStreams(given);
  const settings = await readOrgSettings({ ...flags, org }, given, context);
  const named = settings === undefined ? await chooseOrgs(org, given) : [];
  const apps = await readApps(flags, given);
  const { profile, pace } = await connectAtRate(flags, context, shard);
  const { client } = pace;
  const unmute = () => unmuteAfterStop(flags, mutedFileOf(names.journal), context);
  const work = async (run: CommandContext) => {
    const api = await chooseApi(client, flags, run.emit);
    const read = toUserSource(given, flags, profile, api);
    const { orgs, source } = await placeUsers(client, read, named, settings, run.emit);
    const orgIds = orgs.map(({ orgId }) => orgId);
    // Without these flags, only a body has links. Lists may not show providers that were just created.
    const links = flags.createIdps ? undefined : (flags.body ?? flags.idp ?? flags.idpMap);
    const providers = links === undefined ? undefined : await askProviders(client, orgIds);
    context.addFacts({ organizations: orgIds });
    const { log, mailList } = openRunFiles(flags, context);
    const journal = await journalOf(options, flags, given);
    const { sendVerification: template } = flags;
    const runs = { verb: 'import-users', url: client.url, orgs: orgIds, journal } as const;
    const previous = await loadPreviousRuns(
      sinceJournals(flags, context).concat(journal.continues ?? []),
      runs,
    );
    return importUsers(
      {
        ...pace,
        source: { ...source, policy: { ...source.policy, providers } },
        org: org === ofBody || settings !== undefined ? undefined : orgIds[0],
        orgs,
        selection: { ...readSelection(flags, context), previous, shard },
        journal,
        idMapPath: names.idMap,
        appSecrets: names.appSecrets,
        apps,
        notices,
        api,
        idRule: { keep: flags.ids === 'keep', prefix: flags.idPrefix ?? '' },
        sendVerification: typeof template === 'string' ? { urlTemplate: template } : template,
        plainPasswords: flags.plainPasswords === 'send' ? 'send' : 'hash',
        onExisting: flags.onExisting,
        deleted: flags.deleted,
        errors,
        limits,
        muteEmails: flags.mutePasswordEmails || confirmer(context),
        mailList,
        dryRun: flags.dryRun,
        settings: settingsOf(source, flags, shard),
        log,
      },
      run,
    ).finally(() => previous?.close());
  };
  const files = { verb: 'import-users', ...names, dryRun: flags.dryRun } as const;
  const { tally, isComplete } = await runImport(files, context, work, unmute);
  // A run without users is probably a mistake, unless only some users were asked for.
  const { offset, limit, user, onlyFailed } = flags;
  const isPart = [offset, limit, user, onlyFailed, flags.shard].some((flag) => flag !== undefined);
  const isEmpty = !isPart && isWithoutUsers(tally);
  return tally.rejected > 0 || !isComplete || isEmpty ? ExitCode.rejected : ExitCode.done;
});

/**
 * Returns the options of the journal. `continues` is the journal of a stopped run that read a running system. Its users
 * may have changed since, so they are matched by id.
 */
async function journalOf(
  options: JournalOptions,
  flags: ImportUsersFlags,
  { live }: OpenedSource,
): Promise<JournalOptions & { readonly continues?: string }> {
  const { path } = options;
  // A restarted pod has no terminal. It resumes with the journal that it finds.
  const isOfPod = flags.shard?.startsWith('auto/') === true;
  const journal = isOfPod ? { ...options, ask: async () => true } : options;
  const isContinued =
    live !== undefined && (await mustResume(journal)) && (await findJournal(path)) !== undefined;
  if (!isContinued) return journal;
  if (flags.shard === undefined) return { ...journal, resume: false, fresh: true, continues: path };
  throw new UsageError(
    `${path}: a shard of a running system cannot be resumed, since its users may have changed`,
    'Send the rest without --shard, with a new --journal and --since-journal=<journal> for each shard.',
  );
}

function refuseTogether(flags: ImportUsersFlags) {
  const { shard, sinceJournal, api, ids, idPrefix } = flags;
  if (flags.plainPasswords === 'skip' && flags.from === undefined) {
    throw new UsageError(
      '--plain-passwords=skip belongs to --from, or to the conversion that writes the body',
    );
  }
  if (idPrefix !== undefined && (ids === 'new' || api === 'v1')) {
    throw new UsageError(
      `--id-prefix and ${ids === 'new' ? '--ids=new' : '--api=v1'} do not go together`,
      'The prefix is for ids that are kept.',
    );
  }
  if (shard === undefined || sinceJournal === undefined) return;
  throw new UsageError(
    '--shard and --since-journal do not go together',
    'A user may need a name that a user of another shard still has. Run it without --shard.',
  );
}

function readSelection(
  { offset = 0, limit = Infinity, user = [], onlyFailed }: ImportUsersFlags,
  { cwd }: CommandContext,
) {
  return {
    offset,
    limit,
    users: new Set(user.map((name) => name.toLowerCase())),
    rejectedBefore:
      onlyFailed === undefined ? undefined : readRejectedUsers(onlyFailed, readText(onlyFailed, cwd)),
  };
}

/** Returns the organizations of a run. Throws `UsageError` if users of several organizations would go into one. */
async function chooseOrgs(org: string, given: OpenedSource) {
  const { provider, inputs } = given;
  const isRead = provider === 'body' && org !== ofBody && inputs.every(({ repeatable }) => repeatable);
  const count = isRead ? (await readOrgs(...inputs)).length : 1;
  if (count <= 1) return orgsOf([org], given);
  throw new UsageError(
    `${inputs[0]?.name} has ${count} organizations, and --org names one`,
    'Pass --org=body: each user then goes to the organization that the body names.',
  );
}

function toUserSource(
  source: OpenedSource,
  flags: ImportUsersFlags,
  profile: TargetProfile,
  api: Api,
): UserSource {
  const checked = checkPolicy(flags, profile, 'send');
  const isOneCall = api === 'v2';
  const policy = { ...checked, isOneCall, route: routeOf(isOneCall, flags.sendVerification !== undefined) };
  const inBody = flags.targetProfile === undefined ? 'send-or-refuse' : 'refuse';
  return {
    ...source,
    // Hashes are not dropped, because the service would refuse a user of a body with such a hash.
    policy: withBodyRule(source, policy, inBody),
    duplicates: flags.duplicates,
  };
}

/** Names the files of the run: as given, else next to the first input. The id map goes next to the journal. */
function nameFiles(
  { inputs }: OpenedSource,
  flags: ImportUsersFlags,
  context: CommandContext,
  shard: Shard | undefined,
) {
  const { cwd } = context;
  const base = resolve(cwd, inputs[0]?.name ?? 'import');
  const name = (given: string | undefined, usual: string) =>
    given === undefined ? fileOfShard(usual, shard) : resolve(cwd, given);
  const journal = canonicalPath(name(flags.journal, nextJournal(`${base}.users`, flags, context)));
  const idMap = name(flags.idMap, join(dirname(journal), `${basename(base)}.ids.csv`));
  context.addFacts({ journal });
  context.outputs.claim('the journal', journal);
  claimIdMap(idMap, context);
  return { journal, idMap, appSecrets: nameAppSecrets(flags, context) };
}

/** Options that the journal must not store or compare: the time, and secrets of the source. */
const leftOut = new Set(['now', 'secrets']);

/** Returns the settings that a resumed run must repeat, because they change the numbers or the records of users. */
function settingsOf(
  { provider, options, orgs: placing }: UserSource,
  flags: ImportUsersFlags,
  shard: Shard | undefined,
) {
  const settings: Record<string, string> = { source: provider };
  for (const [name, value] of Object.entries(options))
    if (value !== undefined && !leftOut.has(name)) settings[name] = JSON.stringify(value);
  const { duplicates, onRefusedHash, withoutPassword, targetProfile, phone, ids, jit } = flags;
  const { limit, offset, user = [], sinceJournal = [] } = flags;
  const rules = {
    duplicates,
    onRefusedHash,
    withoutPassword,
    targetProfile,
    phone,
    ids,
    'id-prefix': flags.idPrefix,
    'send-verification': flags.sendVerification,
    limit,
    offset,
    user: user.join(', '),
    'only-failed': flags.onlyFailed,
    'since-journal': sinceJournal.join(', '),
    'org-by': flags.orgBy,
    'org-map': placing && JSON.stringify(placing.ids),
    'create-orgs': flags.createOrgs,
    memberships: placing?.members && `sha256:${placing.members.digest}`,
    jit,
    'jit-list': flags.jitList !== undefined,
    'jit-placeholder': flags.jitPlaceholder,
    shard: shard && formatShard(shard),
  };
  for (const [name, value = ''] of Object.entries(rules))
    if (value !== '' && value !== false) settings[name] = value === true ? 'yes' : String(value);
  return settings;
}
