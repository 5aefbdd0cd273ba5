/** `idport migrate <provider>`: converts what the old provider exports into an import body. */
import type { MigrateFlags } from '../../commands/migrate.ts';
import { providerNames, providers } from '../../sources/providers.ts';
import { addAppsFlag } from '../flags/apps.ts';
import { addBodyFlags, addConversionFlags, addRecordFlags } from '../flags/conversion.ts';
import { addMailListFlag } from '../flags/messages.ts';
import { addFurtherFlag, addOrgFlags } from '../flags/orgs.ts';
import { addRoleFlags } from '../flags/roles.ts';
import { addProviderFlags } from '../flags/provider.ts';
import type { DeclareVerb } from '../verb.ts';

export const declareMigrate: DeclareVerb = (program, dispatch) => {
  const migrate = program
    .command('migrate')
    .description('convert what the old provider exports into an import body')
    .examples(...providerNames.flatMap((name) => providers[name].examples.slice(0, 1)));

  for (const provider of providerNames) {
    migrate.declareLater(provider, () => {
      const { description, examples } = providers[provider];
      addProviderFlags(migrate.command(provider).description(description), provider)
        .with(addBodyFlags, addOrgFlags, addFurtherFlag, addRoleFlags, addAppsFlag)
        .with(addRecordFlags, addConversionFlags, addMailListFlag)
        .examples(...examples)
        .action((options: Omit<MigrateFlags, 'provider'>) =>
          dispatch(async () => (await import('../../commands/migrate.ts')).migrate, { ...options, provider }),
        );
    });
  }
};
