/** `idport import`: imports a body or an export in bulk. */
import type { IdportCommand } from '../command.ts';
import { type Command, Option } from 'commander';
import type { ImportFlags } from '../../commands/import.ts';
import { addAppSecretsFlag } from '../flags/apps.ts';
import {
  addConnectionFlags,
  addEmailAfterFlag,
  addLockFlag,
  addSpeedFlags,
  addWaitFlag,
} from '../flags/connection.ts';
import { addForceFlag } from '../flags/provider.ts';
import { addMessageFlags, addPhoneFlag } from '../flags/messages.ts';
import { append, type DeclareVerb } from '../verb.ts';
import { typedLine } from '../typed-line.ts';

export const declareImport: DeclareVerb = (program, dispatch) => {
  program
    .command('import')
    .description('import a body or an export in bulk, and account for every entry')
    .argument('<body>', 'what `migrate` or `export` wrote')
    .with(addConnectionFlags, addSpeedFlags, addRunFlags, addMessageFlags, addPhoneFlag, addAppSecretsFlag)
    .option(
      '--create-org <name>',
      'create the organization if it does not exist; <id>=<name> with several',
      append,
    )
    .option(
      '--since-journal <file>',
      'incremental run: only users who are new or changed since that run (repeatable)',
      append,
    )
    .option(
      '--skip <parts>',
      'leave out users (with metadata and links) or members (with grants and keys), or both: users,members',
    )
    .with(addForceFlag)
    .option('--v1', 'the data is an export of the first major version')
    .option('--timeout <duration>', 'how long the service may work on a request (30m, 1h30m, 90s)')
    .option('--gcs <gs://bucket/path>', 'let the service fetch the data from there')
    .option('--gcs-key <file>', 'key file of the service account for it')
    .addOption(new Option('--gcs-endpoint <url>', 'another storage service of the same kind').hideHelp())
    .option('--dry-run', 'dry run: print a line of JSON for each request, send nothing')
    .examples(
      'idport import importBody.json --url https://example.zitadel.cloud --token-file token.txt',
      'idport import importBody.json --url https://id.example.com --key-file key.json --report report.md --rejects rejects.json',
      'idport import importBody.json --url https://id.example.com --key-file key.json --resume',
      'idport import second.json --since-journal importBody.json.journal --url https://id.example.com --key-file key.json',
      'idport import importBody.json --dry-run --target-profile hosted',
    )
    .action((body: string, options: Omit<ImportFlags, 'body' | 'typed'>, typed: Command) =>
      dispatch(async () => (await import('../../commands/import.ts')).importBody, {
        ...options,
        body,
        typed: typedLine(typed),
      }),
    );
};

/** What `import` and `copy` share. */
export function addRunFlags(command: IdportCommand): IdportCommand {
  return command
    .with(addWaitFlag, addEmailAfterFlag, addLockFlag)
    .choice('--on-existing <rule>', 'users who already exist', ['skip', 'fail'], 'skip')
    .choice(
      '--ids <which>',
      'ids of users: those of the body, or new ones with an id map',
      ['keep', 'new'],
      'keep',
    )
    .option(
      '--rename-org <old=new>',
      'another name for an organization of the body that is to be created (repeatable)',
      append,
    )
    .option('--chunk-users <n>', 'maximum entries in a request')
    .option('--chunk-bytes <n>', 'maximum bytes in a request, as the service counts them (protobuf)')
    .option('--chunk-seconds <n>', 'target duration of a request', '30')
    .output('--journal <file>', 'journal of the run (default: next to the body)')
    .option('--resume', 'continue a previous run over this body')
    .option('--fresh', 'begin anew after a previous run; its journal is kept')
    .output('--report <file>', 'write a report (.json, .md or .html) of every entry that needs attention')
    .output(
      '--rejects <file>',
      'write entries that were not imported as a body: fix them, then import that file',
    )
    .output(
      '--id-map <file>',
      'write old id, new id and state of every user as CSV (default with --ids new: next to the body)',
    );
}
