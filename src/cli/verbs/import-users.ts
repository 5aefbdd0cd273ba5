/** `idport import-users`: people one by one, inside the rate limit, and able to go on after any end. */
import { type Command, Option } from 'commander';
import type { ImportUsersFlags } from '../../commands/import-users.ts';
import { addConnectionFlags } from '../flags/connection.ts';
import { addDuplicatesFlag, addRecordFlags, addReportFlags } from '../flags/conversion.ts';
import { addSourceFlags } from '../flags/provider.ts';
import { examples, append, collect, type DeclareVerb } from '../verb.ts';
import { typedLine } from '../typed-line.ts';

export const declareImportUsers: DeclareVerb = (program, dispatch) => {
  const command = program
    .command('import-users')
    .description('bring people over one by one, inside the rate limit; goes on after any end')
    .argument('[body]', 'import body or export')
    .requiredOption('--org <id>', 'organization that receives the users');
  addConnectionFlags(command);
  addSpeedFlags(command);
  addChoiceFlags(command);
  command
    .addOption(
      new Option(
        '--follow-up <what>',
        'further calls for what this import leaves out: metadata, state, links',
      )
        .choices(['all', 'none'])
        .default('all'),
    )
    .addOption(
      new Option('--on-existing <rule>', 'what people are who were there before')
        .choices(['skip', 'fail'])
        .default('skip'),
    )
    .option('--max-emails <n>', 'how many mails the import may send', '0')
    .option('--allow-emails', 'however many mails the import would send')
    .option('--max-errors <n|%>', 'give up after so many refusals, or such a part of those sent')
    .option('--journal <file>', 'where the run is written down; beside the input by default')
    .option('--resume', 'go on with the run of the journal')
    .option('--id-map <file>', 'table of old and new ids; beside the input by default')
    .option('--dry-run', 'say what would be done, and send nothing');
  addReportFlags(command);
  addRecordFlags(addSourceFlags(command));
  // Only a conversion renames people.
  addDuplicatesFlag(command, ['reject', 'keep']);
  command
    .addHelpText(
      'after',
      examples(
        'idport import-users importBody.json --url=https://example.zitadel.cloud --org=165617389845094785 --token-file=token',
        'idport import-users --from=keycloak --realm=realm.json --org=1 --url=http://localhost:8080 --rate=unlimited',
        'idport import-users importBody.json --org=1 --since-journal=importBody.json.users.journal --journal=second.journal',
      ),
    )
    .action((body: string | undefined, options, typed: Command) =>
      dispatch(async () => (await import('../../commands/import-users.ts')).importUsersCommand, {
        ...options,
        body,
        typed: typedLine(typed),
      } as ImportUsersFlags),
    );
};

function addSpeedFlags(command: Command): void {
  command
    .option('--rate <n/s>', 'requests a second, or unlimited; 45/s where the target is the hosted service')
    .option('--concurrency <n>', 'requests under way at most; as many of them as make it faster', '64')
    .option('--budget <n>', 'stop after so many requests');
}

function addChoiceFlags(command: Command): void {
  command
    .option('--limit <n>', 'at most so many people')
    .option('--offset <n>', 'leave out so many people first')
    .option('--user <name>', 'only this person (id, user name or e-mail); may be repeated', collect)
    .option('--only-failed <report>', 'only those whom an earlier report (.json) calls rejected')
    .option(
      '--since-journal <file>',
      'only who is new or has changed since that run; may be repeated',
      append,
    );
}
