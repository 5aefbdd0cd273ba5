/** `idport import-users`: creates users one by one, inside the rate limit; resumable. */
import type { IdportCommand } from '../command.ts';
import type { Command } from 'commander';
import type { ImportUsersFlags } from '../../commands/import-users.ts';
import { addAppSecretsFlag, addAppsFlag } from '../flags/apps.ts';
import { addConnectionFlags, addLockFlag, addShardFlags, addWaitFlag } from '../flags/connection.ts';
import {
  addDuplicatesFlag,
  addFirstLoginFlags,
  addRecordFlags,
  addReportFlags,
} from '../flags/conversion.ts';
import { addIdpSecretsFlag } from '../flags/idps.ts';
import { addMessageFlags } from '../flags/messages.ts';
import { addOrgFlags } from '../flags/orgs.ts';
import { addSourceFlags } from '../flags/provider.ts';
import { append, collect, type DeclareVerb } from '../verb.ts';
import { typedLine } from '../typed-line.ts';

export const declareImportUsers: DeclareVerb = (program, dispatch) => {
  program
    .command('import-users')
    .description('create users one by one, inside the rate limit; can resume after any interruption')
    .argument('[body]', 'import body or export')
    .requiredOption(
      '--org <id>',
      'organization that receives the users; body: those that an import body names',
    )
    .with(
      addConnectionFlags,
      addSpeedFlags,
      addWaitFlag,
      addLockFlag,
      addShardFlags,
      addAppsFlag,
      addAppSecretsFlag,
    )
    .option(
      '--create-idps',
      'first make the identity providers of the source, as idport create-idps does, and link users to them',
    )
    .with(addIdpSecretsFlag, addChoiceFlags)
    .choice('--on-existing <rule>', 'users who already exist', ['skip', 'fail'], 'skip')
    .choice(
      '--ids <which>',
      'keep the ids of the source, or give every user a new one',
      ['keep', 'new'],
      'keep',
    )
    .option('--id-prefix <text>', 'keep plain numbers as ids as well, with this in front (for example wp-)')
    .option(
      '--send-verification [template]',
      'ask the service to email users with an unverified address; optionally the URL template of the link',
    )
    .option(
      '--mute-password-emails',
      'incremental run: switch the email about changed passwords off until the end of the run',
    )
    .choice('--api <version>', 'v1: create users by the older _import call', ['v1', 'auto'], 'auto')
    .option('--jit', 'login-time migration: users without a password are expected at idport jit')
    .option('--max-errors <n|%>', 'stop after N errors, or a percentage of the users sent')
    .output('--journal <file>', 'journal of the run (default: next to the input)')
    .option('--resume', 'continue the run of the journal')
    .option('--fresh', 'begin anew after a previous run; its journal is kept')
    .output('--id-map <file>', 'CSV of old and new ids (default: next to the journal)')
    .option('--dry-run', 'dry run: show what would be done, send nothing')
    .with(addFirstLoginFlags, addReportFlags, addMessageFlags, addSourceFlags, addOrgFlags, (command) =>
      addRecordFlags(command, ['hash', 'send', 'skip']),
    )
    // Only a conversion renames users.
    .with((command) => addDuplicatesFlag(command, ['reject', 'keep']))
    .examples(
      'idport import-users importBody.json --url=https://example.zitadel.cloud --org=165617389845094785 --token-file=token',
      'idport import-users --from=keycloak --realm=realm.json --org=1 --url=http://localhost:8080 --rate=unlimited',
      'idport import-users importBody.json --org=1 --since-journal=importBody.json.users.journal --journal=second.journal',
    )
    .action((body: string | undefined, options, typed: Command) =>
      dispatch(async () => (await import('../../commands/import-users.ts')).importUsersCommand, {
        ...options,
        body,
        typed: typedLine(typed),
      } as ImportUsersFlags),
    );
};

function addSpeedFlags(command: IdportCommand): void {
  command
    .option(
      '--rate <n/s>',
      'maximum requests per second, or unlimited (default: 45/s for the hosted service)',
    )
    .option('--concurrency <n>', 'maximum concurrent requests', '32')
    .option('--budget <n>', 'stop after N requests');
}

function addChoiceFlags(command: IdportCommand): void {
  command
    .option('--limit <n>', 'import at most N users')
    .option('--offset <n>', 'skip the first N users')
    .option('--user <name>', 'only this user (id, user name or email; repeatable)', collect)
    .option('--only-failed <report>', 'only users that the report (.json) of a previous run rejected')
    .option(
      '--since-journal <file>',
      'incremental run: only users who are new or changed since that run (repeatable)',
      append,
    );
}
