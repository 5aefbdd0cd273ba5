/** `idport undo`: takes back exactly what one import did. */
import { type Command, Option } from 'commander';
import type { UndoFlags } from '../../commands/undo.ts';
import { addConnectionFlags, addSpeedFlags } from '../flags/connection.ts';
import { examples, type DeclareVerb } from '../verb.ts';
import { typedLine } from '../typed-line.ts';

export const declareUndo: DeclareVerb = (program, dispatch) => {
  const command = program
    .command('undo')
    .description('delete everybody whom an import created, and nobody who was there before')
    .requiredOption('--journal <file>', 'journal of the import');
  addSpeedFlags(addConnectionFlags(command))
    .option('--yes <count>', 'how many people are to be deleted; without it nothing is, unless typed')
    .addOption(
      new Option('--changed <rule>', 'what becomes of people whom somebody changed since the run')
        .choices(['keep', 'delete'])
        .default('keep'),
    )
    .option('--concurrency <n>', 'requests under way at most', '16')
    .option('--resume', 'go on with an earlier undo of this journal')
    .addHelpText(
      'after',
      examples(
        'idport undo --journal=importBody.json.users.journal --url=https://example.zitadel.cloud --token-file=token',
        'idport undo --journal=importBody.json.users.journal --url=https://example.zitadel.cloud --token-file=token --yes=1250',
      ),
    )
    .action((options, typed: Command) =>
      dispatch(async () => (await import('../../commands/undo.ts')).undo, {
        ...options,
        typed: typedLine(typed),
      } as UndoFlags),
    );
};
