/** The flags that say where the people come from: one function for each provider. */
import { type Command, Option } from 'commander';
import { append } from '../verb.ts';

/** `required` where the provider is named by the verb; else another flag may name the source. */
export function addKeycloakFlags(command: Command, required: boolean): Command {
  return command
    .addOption(
      input('--realm <path...>', 'realm export of Keycloak: file, folder, several paths, or -', required),
    )
    .option('--realm-name <name>', 'which realm, where the input holds several')
    .addOption(
      new Option('--service-accounts <rule>', 'what becomes of service accounts')
        .choices(['skip', 'machine-users'])
        .default('skip'),
    )
    .addOption(
      new Option('--otp-secret <form>', 'how one-time password secrets are stored')
        .choices(['raw', 'base32', 'auto'])
        .default('raw'),
    );
}

export function addAuth0Flags(command: Command, required: boolean): Command {
  return command
    .addOption(
      input(
        '--users <path...>',
        'users of Auth0: export job, API pages, CSV, bulk import file, or -',
        required,
      ),
    )
    .option('--passwords <path...>', 'password export of Auth0 support', append)
    .option('--mfa <path...>', 'multi-factor export of Auth0 support', append)
    .option(
      '--email-verified [bool]',
      'take every e-mail as verified (or not); unset: what Auth0 says of each',
    )
    .addOption(
      new Option('--id <rule>', 'what becomes of the user id')
        .choices(['keep', 'strip-prefix'])
        .default('keep'),
    );
}

function input(flags: string, description: string, required: boolean): Option {
  return new Option(flags, description).argParser(append).makeOptionMandatory(required);
}
