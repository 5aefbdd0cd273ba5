/** `idport migrate <provider>`: an export of the old provider in, an import body out. */
import type { Command } from 'commander';
import type { Auth0Flags, KeycloakFlags } from '../../commands/migrate.ts';
import { addBodyFlags, addConversionFlags, addRecordFlags } from '../flags/conversion.ts';
import { addAuth0Flags, addKeycloakFlags } from '../flags/provider.ts';
import { examples, type DeclareVerb } from '../verb.ts';

export const declareMigrate: DeclareVerb = (program, dispatch) => {
  const migrate = program
    .command('migrate')
    .description('convert what the old provider exports into an import body')
    .addHelpText(
      'after',
      examples(
        'idport migrate keycloak --org=165617389845094785 --realm=realm.json',
        'idport migrate auth0 --org=165617389845094785 --users=users.ndjson.gz --passwords=passwords.ndjson',
      ),
    );

  addConversionFlags(addRecordFlags(addBodyFlags(keycloak(migrate)))).action((options) =>
    dispatch(
      async () => (await import('../../commands/migrate.ts')).migrateKeycloak,
      options as KeycloakFlags,
    ),
  );
  addConversionFlags(addRecordFlags(addBodyFlags(auth0(migrate)))).action((options) =>
    dispatch(async () => (await import('../../commands/migrate.ts')).migrateAuth0, options as Auth0Flags),
  );
};

function auth0(migrate: Command): Command {
  const command = migrate
    .command('auth0')
    .description('users of Auth0, and the password and factor exports of its support');
  return addAuth0Flags(command, true).addHelpText(
    'after',
    examples(
      'idport migrate auth0 --org=165617389845094785 --users=users.ndjson.gz --passwords=passwords.ndjson',
      'idport migrate auth0 --org=1 --users=pages/ --passwords=passwords.ndjson --mfa=mfa.ndjson --report=report.json',
      'idport migrate auth0 --org=1 --users=users.csv --email-verified --idp google-oauth2=286433410112716802',
    ),
  );
}

function keycloak(migrate: Command): Command {
  const command = migrate
    .command('keycloak')
    .description('a realm export of Keycloak: file, folder, several paths, or - for standard input');
  return addKeycloakFlags(command, true).addHelpText(
    'after',
    examples(
      'idport migrate keycloak --org=165617389845094785 --realm=realm.json',
      'idport migrate keycloak --org=1 --realm=export/ --report=report.md --rejects=rejects.ndjson',
      'zcat realm.json.gz | idport migrate keycloak --org=1 --realm=- --output=- | jq',
    ),
  );
}
