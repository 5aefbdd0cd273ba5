/** `idport export`: writes the organizations of a service to a file. */
import type { IdportCommand } from '../command.ts';
import { Option } from 'commander';
import type { ExportFlags } from '../../commands/export.ts';
import { addConnectionFlags, addSpeedFlags } from '../flags/connection.ts';
import { collect, type DeclareVerb } from '../verb.ts';

export const declareExport: DeclareVerb = (program, dispatch) => {
  program
    .command('export')
    .description('export the organizations of a service to a file that can be imported elsewhere')
    .with(addConnectionFlags, addSpeedFlags, addExportFlags)
    .option('--with-passwords', 'with the password hashes')
    .option('--with-otp', 'with TOTP secrets')
    .option('--split-by-org', 'export organization by organization (automatic where one answer is too large)')
    .output('--output <file>', 'where to write the export; - for standard output', './export.json')
    .option('--gcs <gs://bucket/path>', 'let the service write it there (older versions)')
    .option('--gcs-key <file>', 'key file of the service account for it')
    .option('--download', 'download it from the bucket afterwards')
    .addOption(new Option('--gcs-endpoint <url>', 'another storage service of the same kind').hideHelp())
    .examples(
      'idport export --url https://id.example.com --key-file key.json --with-passwords --with-otp',
      'idport export --url https://id.example.com --token-file token.txt --org 1 --org 2 --output - | gzip > two.json.gz',
    )
    .action((options: ExportFlags) =>
      dispatch(async () => (await import('../../commands/export.ts')).exportData, options),
    );
};

/** What `export` and `copy` share. */
export function addExportFlags(command: IdportCommand): IdportCommand {
  return command
    .option('--org <id>', 'only this organization; may be given again', collect)
    .option('--exclude <id>', 'all but this organization; may be given again', collect)
    .option('--timeout <duration>', 'how long the service may work on it (10m, 90s)', '10m');
}
