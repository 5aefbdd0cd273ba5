/** Runs a conversion, for `migrate`, `check` and `inspect`. */
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
import type { Tally } from '../records/tally.ts';
import type { CommandContext } from './context.ts';
import type { FirstLoginFlags, MigrateValues, ReportFlags } from '../flags/conversion.ts';
import { chooseThreads } from './convert-request.ts';
import type { OpenedSource } from '../flows/source/read-users.ts';

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
): { readonly log: RunOutputs; readonly mailList: MailList } {
  const { outputs } = context;
  const sink = outputs.openIf(jitList);
  const list = {
    report: openReport(report, conversionReport(context.given), context),
    rejects: outputs.openIf(rejects),
    firstLogins: sink && { sink, hasPlaceholders: jitPlaceholder },
  };
  return { log: createRunOutputs(list), mailList: createMailList(outputs.openIf(mailList)) };
}

type RunFileFlags = ReportFlags & Partial<FirstLoginFlags> & Pick<MigrateValues, 'mailList'>;

/** Returns a function that reports whether a run exceeds `--max-without-password`, and warns if so. */
export function limitWithoutPassword(
  { maxWithoutPassword: most }: Pick<MigrateValues, 'maxWithoutPassword'>,
  { emit }: CommandContext,
): (tally: Tally) => boolean {
  if (most === undefined) return () => false;
  return (tally) => {
    const users = tally.passwords.get('none') ?? 0;
    if (users <= most) return false;
    emit(
      warning(
        'passwords:over',
        `${formatCounted(users, 'user')} without a password hash; the limit is ${formatCount(most)}. ` +
          'The summary says why, and which settings of the target would keep hashes.',
      ),
    );
    return true;
  };
}
