/** `idport init`: writes the configuration file of a migration. */
import type { InitFlags } from '../../commands/init.ts';
import { providerNames } from '../../sources/providers.ts';
import { addConnectionFlags } from '../flags/connection.ts';
import { append, type DeclareVerb } from '../verb.ts';

export const declareInit: DeclareVerb = (program, dispatch) => {
  program
    .command('init')
    .description(
      'set up a migration: asks what is needed, writes idport.config.json, prints the next commands',
    )
    .choice('--from <provider>', 'source (default: recognised by its files)', providerNames)
    .option(
      '--files <path...>',
      'exports of the source: users, passwords, ...; which is which is seen',
      append,
    )
    .option('--map <file>', 'mapping of a table of your own (CSV, JSON, SQL dump)')
    .option('--table <name=path...>', 'table that the mapping joins, by its name there', append)
    .option('--rehearsal', 'import into a reference server on this machine')
    .option('--org <id>', 'organization that receives the users')
    .with(addConnectionFlags)
    .option('--environment', 'credentials from IDPORT_TOKEN or IDPORT_KEY_FILE at each run')
    .option('--offline', 'do not ask the service')
    .option('--force', 'replace an existing idport.config.json')
    .examples(
      'idport init',
      'idport init --files=realm.json --rehearsal',
      'idport init --from=csv --files=users.csv --map=mapping.yaml --rehearsal',
      'idport init --files=realm.json --url=https://example.zitadel.cloud --org=165617389845094785 --key-file=secrets/key.json',
    )
    .action((options: InitFlags) =>
      dispatch(async () => (await import('../../commands/init.ts')).init, options),
    );
};
