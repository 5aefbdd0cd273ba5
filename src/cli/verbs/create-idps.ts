/** `idport create-idps`: makes the identity providers of an export at the target. */
import type { Command } from 'commander';
import type { CreateIdpsFlags } from '../../commands/create-idps.ts';
import { addConnectionFlags } from '../flags/connection.ts';
import { addIdpSecretsFlag } from '../flags/idps.ts';
import { addForceFlag } from '../flags/provider.ts';
import { typedLine } from '../typed-line.ts';
import type { DeclareVerb } from '../verb.ts';

export const declareCreateIdps: DeclareVerb = (program, dispatch) => {
  program
    .command('create-idps')
    .description('make the identity providers of a Keycloak realm at the target, for the links of its users')
    .argument('<files...>', 'files or folders of one export')
    .requiredOption('--org <id>', 'organization that gets them')
    .option('--realm-name <name>', 'realm to read, where the export has several')
    .with(addConnectionFlags, addIdpSecretsFlag)
    .output('--output <file>', 'CSV of alias and id, for --idp-map (default: next to the input)')
    .output('--journal <file>', 'journal for idport undo (default: next to the input)')
    .option('--dry-run', 'dry run: show what would be done, send nothing')
    .with(addForceFlag)
    .examples(
      'idport create-idps realm.json --org=165617389845094785 --url=https://example.zitadel.cloud --token-file=token',
      'idport create-idps realm.json --org=1 --url=http://localhost:8080 --idp-secrets=secrets.csv --output=idps.csv',
    )
    .action((files: readonly string[], options, typed: Command) =>
      dispatch(async () => (await import('../../commands/create-idps.ts')).createIdpsCommand, {
        ...options,
        files,
        typed: typedLine(typed),
      } as CreateIdpsFlags),
    );
};
