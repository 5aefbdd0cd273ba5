/**
 * `idport check`: an import body (or an export that is converted on the fly) in, what the service would say of it out.
 */
import type { CheckFlags } from '../../commands/check.ts';
import { addConnectionFlags } from '../flags/connection.ts';
import { addConversionFlags, addRecordFlags, addReportFlags } from '../flags/conversion.ts';
import { addSourceFlags } from '../flags/provider.ts';
import { examples, type DeclareVerb } from '../verb.ts';

export const declareCheck: DeclareVerb = (program, dispatch) => {
  const command = program
    .command('check')
    .description('say what the service would refuse, whom it would mail, and what an import takes')
    .argument('[body]', 'import body or export; - for standard input')
    .option('--max-emails <n>', 'how many mails the import may send', '0')
    .option('--allow-emails', 'however many mails the import would send')
    .option('--price-per-request <amount>', 'what the vendor charges for a request')
    .option('--sample <n>', 'print the first n people as they would be sent, with secrets masked');
  addConnectionFlags(command.option('--org <id>', 'organization that is to receive the people, with --url'));
  addReportFlags(command);
  addConversionFlags(addRecordFlags(addSourceFlags(command)));
  command
    .addHelpText(
      'after',
      examples(
        'idport check importBody.json --target-profile=hosted',
        'idport check --from=keycloak --realm=realm.json --target-profile=self-hosted --max-emails=100',
        'idport check importBody.json --url=https://example.zitadel.cloud --token-file=token',
      ),
    )
    .action((body: string | undefined, options) =>
      dispatch(async () => (await import('../../commands/check.ts')).check, {
        ...options,
        body,
      } as CheckFlags),
    );
};
