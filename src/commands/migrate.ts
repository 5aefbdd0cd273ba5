/** `idport migrate <provider>`: checked flags in, an import body, its report and an exit code out. */
import { ExitCode } from '../errors.ts';
import { createBodyOutput } from '../flows/conversion-output.ts';
import type { Tally } from '../records/tally.ts';
import type { Action, CommandContext } from './context.ts';
import {
  type BodyFlags,
  checkOrg,
  checkPolicy,
  checkTimeout,
  type ConversionFlags,
  type RecordFlags,
  type ReportFlags,
} from './convert-request.ts';
import { runConversion } from './run-conversion.ts';
import {
  type Auth0Source,
  type KeycloakSource,
  openAuth0,
  openKeycloak,
  type OpenedSource,
} from './source.ts';

interface MigrateFlags extends BodyFlags, RecordFlags, ConversionFlags, ReportFlags {}
export interface KeycloakFlags extends MigrateFlags, KeycloakSource {}
export interface Auth0Flags extends MigrateFlags, Auth0Source {}

export const migrateKeycloak: Action<KeycloakFlags> = (flags, context) =>
  migrate(() => openKeycloak(flags, context), flags, context);

export const migrateAuth0: Action<Auth0Flags> = (flags, context) =>
  migrate(() => openAuth0(flags, context), flags, context);

async function migrate(
  open: () => Promise<OpenedSource>,
  flags: MigrateFlags,
  context: CommandContext,
): Promise<ExitCode> {
  const body = {
    orgId: checkOrg(flags.org),
    timeout: checkTimeout(flags.timeout),
    multiline: flags.multiline ?? false,
  };
  const policy = await checkPolicy(flags, context.cwd);
  const source = await open();
  const tally = await runConversion(
    {
      verb: `migrate ${source.provider}`,
      source,
      policy,
      hashPlain: true,
      output: (openSink) => createBodyOutput(openSink(flags.output), body),
    },
    flags,
    context,
  );
  return exitCodeOf(tally);
}

/** Nobody to carry is as worrying as somebody left behind; who was left out on request is neither. */
function exitCodeOf(tally: Tally): ExitCode {
  return tally.rejected > 0 || tally.read === 0 ? ExitCode.rejected : ExitCode.done;
}
