/** `idport copy`: copies users and organizations from one service to another, by way of a file. */
import { dryRunImport, importAndReport, journalOf, openOutputs, settingsOf } from './import.ts';
import { resolve } from 'node:path';
import { ExitCode, UsageError, IdportError } from '../errors.ts';
import { note, warning } from '../events.ts';
import { findJournal, lockRun, mustResume } from '../flows/runs/open-journal.ts';
import type { TargetProfile } from '../wire/profile.ts';
import { connect } from './connect.ts';
import { chooseProfile, speedOptions } from './service-limits.ts';
import type { CopyFlags } from '../flags/imports.ts';
import type { CommandOf, CommandContext } from './context.ts';
import { existsSync } from 'node:fs';
import { exportOrgs } from '../flows/export/export.ts';
import { namedFlags } from '../lib/strings.ts';
import { openInput } from '../storage/open-input.ts';
import { openOutput } from '../storage/file-sink.ts';
import { askedFor, waitForUsers } from './export.ts';

export const copy: CommandOf<CopyFlags> = async (flags, context) => {
  const { cwd, emit } = context;
  const asked = askedFor({ ...flags, withPasswords: flags.passwords, withOtp: flags.otp, splitByOrg: false });
  if (flags.via === '-') throw new UsageError('--via needs a file: the export is read several times');
  context.outputs.claim('the export', flags.via);
  const journal = journalOf(flags, flags.via, context);
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
  'Users are copied in bulk, and the service emails those with an unverified address. To copy them without emails: `idport export`, `import --skip=users,members`, `check`, `import-users --org=body`, `import --skip=users` (docs/export.md).';

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
