/** `idport export`: writes the organizations of a service into a file. */
import { dirname, resolve } from 'node:path';
import type { Client } from '../api/client.ts';
import { ExitCode, UsageError } from '../errors.ts';
import { exportOrgs } from '../flows/export/export.ts';
import { waitForWrites } from '../flows/reconcile/write-times.ts';
import { parseDuration } from '../lib/go-duration.ts';
import { readObject } from '../storage/bucket.ts';
import { connect, requireUrl } from './connect.ts';
import { chooseProfile, speedOptions } from './service-limits.ts';
import type { ExportFlags } from '../flags/imports.ts';
import type { CommandOf, CommandContext } from './context.ts';
import { readGcsFlags } from './gcs.ts';

export const exportData: CommandOf<ExportFlags> = async (flags, context) => {
  requireUrl(flags, context);
  const asked = askedFor(flags);
  const bucket = chooseBucket(flags, context);
  const profile = await chooseProfile(flags, context);
  const client = await connect(flags, context, speedOptions(flags, profile));
  const sink = context.outputs.open(flags.output);
  const isComplete = await waitForUsers(flags, flags.output, client, context);
  const end = await exportOrgs({ client, sink, bucket, ...asked }, context);
  if (end.missing.length + end.lost.length > 0) return ExitCode.rejected;
  return isComplete ? ExitCode.done : ExitCode.notYet;
};

/** Waits until the service's lists, from which it exports, are up to date. Resolves to false if users may be missing. */
export const waitForUsers = (
  { wait }: Pick<ExportFlags, 'wait'>,
  output: string,
  client: Client,
  context: CommandContext,
) => waitForWrites({ ...context, client, wait: { left: wait } }, [dirname(resolve(context.cwd, output))]);

/** Added to the timeout of the service, in milliseconds. */
const margin = 15_000;

export const askedFor = ({
  org: orgs = [],
  exclude = [],
  timeout,
  ...rest
}: Pick<ExportFlags, 'timeout' | 'org' | 'exclude' | 'withPasswords' | 'withOtp' | 'splitByOrg'>) => ({
  ...rest,
  orgs,
  exclude,
  timeout,
  answerTimeout: parseDuration(timeout) + margin,
});

function chooseBucket(flags: ExportFlags, { cwd }: CommandContext) {
  const target = readGcsFlags(flags, cwd);
  if (target === undefined) return undefined;
  if (flags.splitByOrg) throw new UsageError('give either --gcs or --split-by-org, not both');
  const { object, access, serviceAccount } = target;
  return {
    ...object,
    serviceAccount,
    download: flags.download ? () => readObject(object, access) : undefined,
  };
}
