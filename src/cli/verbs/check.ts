/** `idport check`: the preflight of an import. */
import type { CheckFlags } from '../../commands/check.ts';
import { addConnectionFlags, addWaitFlag } from '../flags/connection.ts';
import { addConversionFlags, addRecordFlags, addReportFlags } from '../flags/conversion.ts';
import { addMessageFlags } from '../flags/messages.ts';
import { addOrgFlags } from '../flags/orgs.ts';
import { addSourceFlags } from '../flags/provider.ts';
import type { DeclareVerb } from '../verb.ts';

export const declareCheck: DeclareVerb = (program, dispatch) => {
  program
    .command('check')
    .description('preflight: what the service will refuse, who will get an email, how long an import takes')
    .argument('[body]', 'import body or export; - for standard input')
    .option('--price-per-request <amount>', 'price of one request, to estimate the cost')
    .option('--jit', 'forecast an import-users --jit: users without a password start active')
    .option('--sample <n>', 'print the first N users as they would be sent, with secrets masked')
    .option('--org <id>', 'organization that will receive the users, with --url')
    .with(
      addConnectionFlags,
      addWaitFlag,
      addReportFlags,
      addMessageFlags,
      addSourceFlags,
      addOrgFlags,
      addRecordFlags,
      addConversionFlags,
    )
    .examples(
      'idport check importBody.json --target-profile=hosted',
      'idport check --from=keycloak --realm=realm.json --target-profile=self-hosted --route=import --max-emails=100',
      'idport check importBody.json --url=https://example.zitadel.cloud --token-file=token',
    )
    .action((body: string | undefined, options) =>
      dispatch(async () => (await import('../../commands/check.ts')).check, {
        ...options,
        body,
      } as CheckFlags),
    );
};
