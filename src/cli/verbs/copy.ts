/** `idport copy`: copies organizations from one service to another. */
import type { Command } from 'commander';
import type { CopyFlags } from '../../commands/copy.ts';
import { addSpeedFlags } from '../flags/connection.ts';
import { addMessageFlags, addPhoneFlag } from '../flags/messages.ts';
import { addExportFlags } from './export.ts';
import { addRunFlags } from './import.ts';
import type { DeclareVerb } from '../verb.ts';
import { typedLine } from '../typed-line.ts';

export const declareCopy: DeclareVerb = (program, dispatch) => {
  program
    .command('copy')
    .description('copy the organizations of one service to another, through an export file')
    .requiredOption('--from-url <url>', 'address of the instance to copy from')
    .option('--from-token-file <file>', 'file with an access token for it (IDPORT_FROM_TOKEN)')
    .option('--from-key-file <file>', 'key file of a service account there')
    .requiredOption('--to-url <url>', 'address of the instance to copy to')
    .option('--to-token-file <file>', 'file with an access token for it (IDPORT_TO_TOKEN)')
    .option('--to-key-file <file>', 'key file of a service account there')
    .with(addSpeedFlags, addExportFlags, addRunFlags, addMessageFlags, addPhoneFlag)
    .option('--no-passwords', 'without password hashes')
    .option('--no-otp', 'without TOTP secrets')
    .option('--dry-run', 'dry run: write the export, send nothing to the target')
    .output('--via <file>', 'the export between the two', './idport-copy.json')
    .examples(
      'idport copy --from-url https://old.example.com --from-key-file old.json --to-url https://new.example.com --to-key-file new.json',
      'idport copy --from-url https://old.example.com --to-url https://new.example.com --org 1 --no-passwords --resume',
    )
    .action((options: Omit<CopyFlags, 'typed'>, typed: Command) =>
      dispatch(async () => (await import('../../commands/copy.ts')).copy, {
        ...options,
        typed: typedLine(typed),
      }),
    );
};
