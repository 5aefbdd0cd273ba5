/** The flags that conversions share: `migrate <provider>`, and the verbs that convert on the fly. */
import type { IdportCommand } from '../command.ts';
import { Option } from 'commander';
import { conversionDefaults } from '../../commands/conversion-flags.ts';
import { providerNames, providers } from '../../sources/providers.ts';
import { collect } from '../verb.ts';
import { addPhoneFlag } from './messages.ts';

/** Where the body goes; only `migrate` has these. */
export function addBodyFlags(command: IdportCommand): IdportCommand {
  command
    .requiredOption('--org <id>', 'organization that receives the users; it must exist')
    .output(
      '--output <path>',
      'where to write the import body; - for standard output',
      conversionDefaults.output,
    )
    .option(
      '--timeout <duration>',
      'how long the service may work on the import (30m, 1h30m, 90s)',
      conversionDefaults.timeout,
    )
    .option('--multiline', 'indent the body')
    .option(
      '--prove <user>',
      'ask for the password of this user and check that the converted hash accepts it (else exit code 4)',
    )
    .option(
      '--prove-password <file>',
      'read that password from a file; - for standard input (default: ask on the terminal)',
    );
  return addReportFlags(addFirstLoginFlags(command));
}

/** For verbs that convert and write users. */
export function addFirstLoginFlags(command: IdportCommand): IdportCommand {
  return command
    .output(
      '--jit-list <file>',
      'list users whose password hash the target refuses: idport jit checks it at their first login',
    )
    .option(
      '--jit-placeholder',
      'list users without a hash as well, and import all of the list with a placeholder password, which no user knows: the login pages of the service (Login V2) ask only users who have one',
    );
}

/** Reports on records that need attention. */
export function addReportFlags(command: IdportCommand): IdportCommand {
  return command
    .output('--report <file>', 'write a report (.json, .md or .html) of every record that needs attention')
    .output('--rejects <file>', 'write rejected source records as NDJSON: fix them, then convert that file');
}

/** For verbs that write users. */
export function addDuplicatesFlag(
  command: IdportCommand,
  rules: readonly ('reject' | 'keep' | 'suffix')[],
): IdportCommand {
  return command.choice(
    '--duplicates <rule>',
    'second user with the same user name',
    rules,
    conversionDefaults.duplicates,
  );
}

/** For verbs that write or judge a whole body. */
export function addConversionFlags(command: IdportCommand): IdportCommand {
  return addDuplicatesFlag(command, ['reject', 'keep', 'suffix'])
    .choice(
      '--route <verb>',
      'the import that will follow: who can sign in, and who gets an email, depends on it',
      ['import-users', 'import'],
      'import-users',
    )
    .option('--max-without-password <n>', 'maximum users without a password hash; more end with exit code 4')
    .option('--threads <n>', 'worker threads (default: 1, or 2 for a large input on two or more cores)');
}

/** What is migrated of a user. */
export function addRecordFlags(
  command: IdportCommand,
  plainPasswords: readonly ('hash' | 'skip' | 'send')[] = ['hash', 'skip'],
): IdportCommand {
  return addPhoneFlag(command)
    .addOption(
      new Option('--name-fallback <rule>', 'replacement for a missing first or last name')
        .choices(['username', 'email-local', 'dash', 'full-name', 'skip'])
        .default(undefined, nameFallbacks()),
    )
    .choice(
      '--email-fallback <rule>',
      'users without an email',
      ['skip', 'username', 'placeholder'],
      conversionDefaults.emailFallback,
    )
    .option('--email-domain <domain>', 'domain of placeholder addresses')
    .option(
      '--email-verified [bool]',
      'treat every email as verified, so that the service sends no verification email; or false',
    )
    .option('--default-region <country>', 'country of phone numbers without a country code (CH, US, ...)')
    .choice('--disabled <rule>', 'disabled users', ['keep', 'skip', 'active'], conversionDefaults.disabled)
    .choice(
      '--without-password <rule>',
      'users without a usable password hash',
      ['import', 'skip'],
      conversionDefaults.withoutPassword,
    )
    .choice(
      '--metadata <what>',
      'custom attributes to migrate as metadata',
      ['none', 'attributes', 'all'],
      conversionDefaults.metadata,
    )
    .option(
      '--idp <alias=configId>',
      'identity provider in the source and its id in the target, for identity provider links',
      collect,
    )
    .option('--idp-map <file>', 'the same in a CSV file, as create-idps writes it: alias, id in the target')
    .choice(
      '--plain-passwords <rule>',
      'passwords in plain text',
      plainPasswords,
      conversionDefaults.plainPasswords,
    )
    .addOption(
      new Option('--on-refused-hash <rule>', 'password hashes that the target would refuse')
        .choices(['drop', 'keep', 'skip', 'fail'])
        .default(undefined, 'drop; keep without --target-profile'),
    )
    .option(
      '--target-profile <name|file>',
      'what the target accepts (default: hosted for the hosted service, else self-hosted)',
    )
    .choice(
      '--pbkdf2-encoding <form>',
      'base64 of PBKDF2 hashes',
      ['padded', 'ab64'],
      conversionDefaults.pbkdf2Encoding,
    );
}

/** `username; for <provider> full-name` */
function nameFallbacks(): string {
  const others = providerNames.filter((name) => providers[name].nameFallback !== 'username');
  return ['username', ...others.map((name) => `for ${name} ${providers[name].nameFallback}`)].join('; ');
}
