/** The flags of all `actions` verbs that talk to the service. */
import type { IdportCommand } from '../../command.ts';
import { addConnectionFlags } from '../../flags/connection.ts';

/** Connection flags and the choice of the interface, whose generations `api/actions/types.ts` lists. */
export function addServiceFlags(command: IdportCommand): IdportCommand {
  return addConnectionFlags(command, '--user-key-file').with(addApiFlag);
}

export function addApiFlag(command: IdportCommand): IdportCommand {
  return command.choice(
    '--api <generation>',
    'interface of the service; auto asks the newest first',
    ['auto', 'v2', 'v3alpha'],
    'auto',
  );
}
