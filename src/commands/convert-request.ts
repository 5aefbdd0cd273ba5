/** Checks the flags of a conversion, and runs it, for `migrate`, `check` and `inspect`. Throws `UsageError` for invalid flags. */
import { availableParallelism } from 'node:os';
import { UsageError } from '../errors.ts';
import { readPair } from '../lib/flag.ts';
import type { Input } from '../lib/input.ts';
import type { HashPolicy, RefusedHashRule } from '../flows/read/check-record.ts';
import type { NameFallback } from '../records/user.ts';
import { checkHash } from '../profiles/check-hash.ts';
import { placeholderHash } from '../records/placeholder-password.ts';
import { isRegion } from '../records/phone.ts';
import type { TargetProfile } from '../wire/profile.ts';
import type { SharedOptions } from '../sources/source.ts';
import type { CommandContext } from './context.ts';
import type {
  FirstLoginFlags,
  IdpMapFlags,
  MigrateValues,
  RecordFlags,
  ReportFlags,
} from '../flags/conversion.ts';
import { readIds, readBytes, readText } from './read-text.ts';
import { warning } from '../events.ts';
import { randomInt } from 'node:crypto';
import { convertExport, type ConvertRequest } from '../flows/convert/convert.ts';
import type { ConvertSettings } from '../flows/convert/convert-batch.ts';
import { createMailList, type MailList } from '../flows/messages/gate.ts';
import { createAppWriter, type AppsOfProject } from '../flows/resources/source-apps.ts';
import { createProjectWriter, type ProjectSettings } from '../flows/roles/project-writer.ts';
import { conversionReport } from '../flows/report/contents.ts';
import { openReport } from '../flows/report/open-report.ts';
import { createRunOutputs, type RunOutputs } from '../flows/report/run-outputs.ts';
import { formatCount, formatCounted } from '../lib/format.ts';
import { sumOf, type Tally } from '../records/tally.ts';
import type { OpenedSource } from '../flows/read/read-users.ts';

export function checkShared(
  flags: RecordFlags,
  nameFallback: NameFallback,
  { cwd, clock }: CommandContext,
): SharedOptions {
  const { disabled, metadata, plainPasswords, pbkdf2Encoding } = flags;
  const user = {
    nameFallback: flags.nameFallback ?? nameFallback,
    emailFallback: flags.emailFallback,
    placeholderDomain: checkPlaceholder(flags),
    emailVerified: flags.emailVerified,
    defaultRegion: checkRegion(flags.defaultRegion),
    disabled,
    metadata,
    idps: readIdps(flags, cwd),
  };
  return {
    user,
    plaintext: plainPasswords === 'skip' ? 'skip' : 'hash',
    pbkdf2Encoding,
    readFile: (path) => readBytes(path, cwd),
    now: clock.now(),
  };
}

/**
 * Checks the flags for passwords. `unnamed` is the rule for refused hashes if the flags name neither a profile nor a
 * rule: a default profile must not drop hashes that the target may accept.
 */
export function checkPolicy(
  flags: RecordFlags & Partial<FirstLoginFlags & Pick<MigrateValues, 'route'>> & { readonly jit?: boolean },
  profile: TargetProfile,
  unnamed: RefusedHashRule,
): HashPolicy {
  const atFirstLogin = flags.jitList !== undefined;
  if (atFirstLogin && (flags.onRefusedHash ?? 'drop') !== 'drop')
    throw new UsageError('--jit-list belongs to --on-refused-hash=drop');
  const placeholder = atFirstLogin && flags.jitPlaceholder ? placeholderFor(profile) : undefined;
  const jit = atFirstLogin || flags.jit === true;
  if (jit && flags.route === 'import') {
    throw new UsageError(
      `--${atFirstLogin ? 'jit-list' : 'jit'} and --route=import do not go together`,
      'In bulk, users without a password would have to answer an email first.',
    );
  }
  const byProfile = flags.targetProfile === undefined && !atFirstLogin ? unnamed : 'drop';
  return {
    profile,
    onRefusedHash: flags.onRefusedHash ?? byProfile,
    withoutPassword: flags.withoutPassword,
    phone: flags.phone,
    route: flags.route === 'import' ? 'import' : 'one-call',
    jit,
    ...(atFirstLogin && { atFirstLogin }),
    ...(placeholder && { placeholder }),
  };
}

/** No password matches the placeholder, so a higher cost would only slow down failing logins. */
const placeholderCost = 10;

function placeholderFor(profile: TargetProfile) {
  const { minCost, maxCost } = profile.passwordHasher.limits.bcrypt;
  const hash = placeholderHash(Math.max(minCost, Math.min(maxCost, placeholderCost)));
  const verdict = checkHash(hash, profile);
  if (verdict.verdict === 'ok') return hash;
  throw new UsageError(
    `--jit-placeholder: the target takes no bcrypt hash: ${verdict.detail}`,
    verdict.remedy,
  );
}

/** Input size from which a second thread is worth starting. */
const bytesForThreads = 8 * 1024 * 1024;

/** Returns the number given with --threads, else 1, or up to 2 for large inputs. */
function chooseThreads(flag: number | undefined, inputs: readonly Input[]) {
  if (flag !== undefined) return flag;
  const bytes = inputs.reduce((sum, { size }) => sum + (size ?? 0), 0);
  return bytes < bytesForThreads ? 1 : Math.min(2, availableParallelism());
}

function checkPlaceholder(flags: RecordFlags) {
  if (flags.emailFallback !== 'placeholder') return '';
  const domain = flags.emailDomain?.trim() ?? '';
  if (/^[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(domain)) return domain;
  throw new UsageError(
    '--email-fallback=placeholder needs --email-domain=<domain>',
    'Use a domain of your own that receives no email, for example --email-domain=noreply.example.com.',
  );
}

function checkRegion(region: string | undefined) {
  if (region === undefined || isRegion(region.toUpperCase())) return region?.toUpperCase();
  throw new UsageError(
    `--default-region ${region} is not a country`,
    'Give two letters as in ISO 3166, for example CH.',
  );
}

/** Returns identity provider ids at the target by alias. `--idp` wins over the file. Throws `UsageError` and `InputError`. */
export function readIdps({ idp = [], idpMap }: IdpMapFlags, cwd: string) {
  const inFile =
    idpMap === undefined ? {} : readIds(idpMap, readText(idpMap, cwd), 'identity provider', 'google');
  const hint = 'Write the name of the identity provider in the source, then its id at the target.';
  const typed = idp.map((pair) => readPair('--idp', pair, '<alias>=<configId>', hint));
  return { ...inFile, ...Object.fromEntries(typed) };
}

type ConversionRun = Pick<
  ConvertRequest,
  'verb' | 'output' | 'forecast' | 'checkOthers' | 'atTarget' | 'tryBody'
> &
  Pick<ConvertSettings, 'policy' | 'hashPlain' | 'orgs'> & {
    readonly source: OpenedSource;
    readonly roles?: ProjectSettings | undefined;
    readonly apps?: AppsOfProject | undefined;
  };

export async function runConversion(
  { source, policy, hashPlain, orgs, roles, apps, ...run }: ConversionRun,
  flags: Pick<MigrateValues, 'duplicates' | 'threads'> & RunFileFlags,
  context: CommandContext,
) {
  const { provider, options, inputs } = source;
  const job = {
    provider,
    options,
    policy,
    hashPlain,
    seed: randomInt(2 ** 32),
    wantsNotes: flags.report !== undefined,
    wantsRecipients: flags.mailList !== undefined,
    orgs,
    roles,
  };
  return convertExport(
    {
      ...run,
      ...openRunFiles(flags, context),
      source,
      job,
      duplicates: flags.duplicates,
      threads: chooseThreads(flags.threads, inputs),
      project: roles && createProjectWriter(roles),
      apps: apps && createAppWriter(apps, roles?.projectId === apps.projectId),
    },
    context,
  );
}

/** Opens the files that a run over users writes as it goes. */
export function openRunFiles(
  { report, rejects, mailList, jitList, jitPlaceholder = false }: RunFileFlags,
  context: CommandContext,
): { readonly log: RunOutputs; readonly mailList: MailList | undefined } {
  const { outputs } = context;
  const sink = outputs.openIf(jitList);
  const list = {
    report: openReport(report, conversionReport(context.given), context),
    rejects: outputs.openIf(rejects),
    firstLogins: sink && { sink, hasPlaceholders: jitPlaceholder },
  };
  const users = outputs.openIf(mailList);
  return { log: createRunOutputs(list), mailList: users && createMailList(users) };
}

type RunFileFlags = ReportFlags & Partial<FirstLoginFlags> & Pick<MigrateValues, 'mailList'>;

/** Reports whether a run exceeds `--max-without-password`, and warns if so. */
export function exceedsWithoutPassword(
  { maxWithoutPassword }: Pick<MigrateValues, 'maxWithoutPassword'>,
  tally: Tally,
  { emit }: CommandContext,
) {
  const users = tally.passwords.get('none') ?? 0;
  const limit: { share?: number; most?: number } = maxWithoutPassword ?? {};
  const { share = 1, most = Math.floor(share * sumOf(tally.passwords)) } = limit;
  if (users <= most) return false;
  emit(
    warning(
      'passwords:over',
      `${formatCounted(users, 'user')} without a password hash; the limit is ${formatCount(most)}. The summary says why, and which settings of the target would keep hashes.`,
    ),
  );
  return true;
}
