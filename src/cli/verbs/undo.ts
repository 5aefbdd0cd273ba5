/** `idport undo`: rolls back exactly what one import did. */
import type { Command } from 'commander';
import type { UndoFlags } from '../../commands/undo.ts';
import {
  addConnectionFlags,
  addLockFlag,
  addShardFlags,
  addSpeedFlags,
  addWaitFlag,
} from '../flags/connection.ts';
import type { DeclareVerb } from '../verb.ts';
import { typedLine } from '../typed-line.ts';

export const declareUndo: DeclareVerb = (program, dispatch) => {
  program
    .command('undo')
    .description('roll back an import: delete the users that it created, and no others')
    .option('--journal <file>', 'journal of the import; without it, a terminal asks which of this folder')
    .with(addConnectionFlags, addSpeedFlags, addWaitFlag, addLockFlag, addShardFlags)
    .option('--yes <count>', 'confirm how many users to delete; without it, the count is asked for')
    .choice('--changed <rule>', 'users who were changed since the import', ['keep', 'delete'], 'keep')
    .choice(
      '--created-orgs <rule>',
      'organizations that the import created and that are empty then',
      ['keep', 'delete'],
      'delete',
    )
    .option('--concurrency <n>', 'maximum concurrent requests', '16')
    .option('--resume', 'continue an interrupted rollback of this journal')
    .output('--report <file>', 'write a report (.json, .md or .html) of every user who is not deleted')
    .examples(
      'idport undo --journal=importBody.json.users.journal --url=https://example.zitadel.cloud --token-file=token',
      'idport undo --journal=importBody.json.users.journal --url=https://example.zitadel.cloud --token-file=token --yes=1250',
    )
    .action((options, typed: Command) =>
      dispatch(async () => (await import('../../commands/undo.ts')).undo, {
        ...options,
        typed: typedLine(typed),
      } as UndoFlags),
    );
};
