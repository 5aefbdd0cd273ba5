/** The flags of all `actions` verbs that talk to the service. */
import { Option, type Command } from 'commander';
import { addConnectionFlags } from '../../flags/connection.ts';

/** Connection flags and the choice of the interface, whose generations `api/actions/types.ts` lists. */
export function addServiceFlags(command: Command): Command {
  return addConnectionFlags(command, '--user-key-file').addOption(apiOption());
}

export function apiOption(): Option {
  return new Option('--api <generation>', 'interface of the service; auto asks the newest first')
    .choices(['auto', 'v2', 'v2beta', 'v3alpha'])
    .default('auto');
}
