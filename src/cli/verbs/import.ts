/** `idport import`: an import body or an export into a running service. */
import { type Command, Option } from 'commander';
import type { ImportFlags } from '../../commands/import.ts';
import { addConnectionFlags, addSpeedFlags } from '../flags/connection.ts';
import { examples, append, type DeclareVerb } from '../verb.ts';
import { typedLine } from '../typed-line.ts';

export const declareImport: DeclareVerb = (program, dispatch) => {
  const command = program
    .command('import')
    .description('bring an import body or an export into a service, and account for everybody')
    .argument('<body>', 'what `migrate` or `export` wrote');
  addRunFlags(addSpeedFlags(addConnectionFlags(command)))
    .option(
      '--create-org <name>',
      'create the organization if it is missing; <id>=<name> with several',
      append,
    )
    .option(
      '--since-journal <file>',
      'only people who are new or have changed since that run; may be repeated',
      append,
    )
    .option('--v1', 'the data is an export of the first major version')
    .option('--timeout <duration>', 'time the service may take for a request (30m, 1h30m, 90s)')
    .option('--gcs <gs://bucket/path>', 'let the service fetch the data from there')
    .option('--gcs-key <file>', 'key file of the service account for it')
    .addOption(new Option('--gcs-endpoint <url>', 'another storage service of the same kind').hideHelp())
    .option('--dry-run', 'send nothing; print a line of JSON for each request that would be sent')
    .addHelpText(
      'after',
      examples(
        'idport import importBody.json --url https://example.zitadel.cloud --token-file token.txt',
        'idport import importBody.json --url https://id.example.com --key-file key.json --report report.md --rejects rejects.json',
        'idport import importBody.json --url https://id.example.com --key-file key.json --resume',
        'idport import second.json --since-journal importBody.json.journal --url https://id.example.com --key-file key.json',
        'idport import importBody.json --dry-run --target-profile hosted',
      ),
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
export function addRunFlags(command: Command): Command {
  return command
    .addOption(
      new Option('--on-existing <rule>', 'what people who are there already are')
        .choices(['skip', 'fail'])
        .default('skip'),
    )
    .option('--chunk-users <n>', 'never more entries in a request')
    .option('--chunk-bytes <n>', 'never more bytes in a request, as protobuf')
    .option('--chunk-seconds <n>', 'about so long a request should take', '30')
    .option('--journal <file>', 'what was meant and done; beside the body by default')
    .option('--resume', 'go on with an earlier run over this body')
    .option('--report <file>', 'write a report (.json or .md) with all entries that need attention')
    .option('--rejects <file>', 'write what did not arrive as a body, to be mended and imported')
    .option('--id-map <file>', 'write old id, new id and state of everybody as CSV');
}
