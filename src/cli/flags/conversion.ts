/** The flags that conversions share: `migrate <provider>`, and the verbs that convert on the fly. */
import { type Command, Option } from 'commander';
import { conversionDefaults } from '../../commands/conversion-flags.ts';
import { providerNames, providers } from '../../sources/providers.ts';
import { collect } from '../verb.ts';

/** Where the body goes; only `migrate` has these. */
export function addBodyFlags(command: Command): Command {
  command
    .requiredOption('--org <id>', 'organization that receives the users; it must exist in the target')
    .option('--output <path>', 'where the import body goes; - for standard output', conversionDefaults.output)
    .option(
      '--timeout <duration>',
      'time the service may take for the import (30m, 1h30m, 90s)',
      conversionDefaults.timeout,
    )
    .option('--multiline', 'indent the body');
  return addReportFlags(command);
}

/** What is said of the records that need attention. */
export function addReportFlags(command: Command): Command {
  return command
    .option(
      '--report <file>',
      'write a report (.json or .md) with a line for every record that needs attention',
    )
    .option('--rejects <file>', 'write rejected source records as NDJSON, to be mended and fed back in');
}

/** For verbs that write people somewhere. */
export function addDuplicatesFlag(
  command: Command,
  rules: readonly ('reject' | 'keep' | 'suffix')[],
): Command {
  return command.addOption(
    new Option('--duplicates <rule>', 'what becomes of the second user with a name already taken')
      .choices(rules)
      .default(conversionDefaults.duplicates),
  );
}

/** For verbs that write or judge a whole body. */
export function addConversionFlags(command: Command): Command {
  return addDuplicatesFlag(command, ['reject', 'keep', 'suffix']).option(
    '--threads <n>',
    'worker threads; as many as there are cores, up to 2, for large inputs',
  );
}

/** What is carried of a user, and how. */
export function addRecordFlags(command: Command): Command {
  return command
    .addOption(
      new Option('--name-fallback <rule>', 'what a missing first or last name becomes')
        .choices(['username', 'email-local', 'dash', 'full-name', 'skip'])
        .default(undefined, nameFallbacks()),
    )
    .addOption(
      new Option('--email-fallback <rule>', 'what becomes of users without an e-mail')
        .choices(['skip', 'placeholder'])
        .default(conversionDefaults.emailFallback),
    )
    .option('--email-domain <domain>', 'domain of placeholder addresses')
    .option('--assume-email-verified', 'take every e-mail as verified, so that no mail goes out for it')
    .option('--default-region <country>', 'country of phone numbers without a prefix (CH, US, ...)')
    .addOption(
      new Option('--disabled <rule>', 'what becomes of disabled users')
        .choices(['keep', 'skip', 'active'])
        .default(conversionDefaults.disabled),
    )
    .addOption(
      new Option('--without-password <rule>', 'what becomes of users without a usable password')
        .choices(['import', 'skip'])
        .default(conversionDefaults.withoutPassword),
    )
    .addOption(
      new Option('--metadata <what>', 'custom attributes to carry as metadata')
        .choices(['none', 'attributes', 'all'])
        .default(conversionDefaults.metadata),
    )
    .option(
      '--idp <alias=configId>',
      'identity provider of the source and its configuration in the target',
      collect,
    )
    .addOption(
      new Option('--plaintext <rule>', 'what becomes of passwords in plain text')
        .choices(['hash', 'skip'])
        .default(conversionDefaults.plaintext),
    )
    .addOption(
      new Option('--on-refused-hash <rule>', 'what becomes of hashes the target would refuse')
        .choices(['drop', 'keep', 'skip', 'fail'])
        .default(conversionDefaults.onRefusedHash),
    )
    .option('--target-profile <name|file>', 'what the target accepts', conversionDefaults.targetProfile)
    .addOption(
      new Option('--pbkdf2-encoding <form>', 'base64 of PBKDF2 hashes')
        .choices(['padded', 'ab64'])
        .default(conversionDefaults.pbkdf2Encoding),
    );
}

/** `username; for <provider> full-name` */
function nameFallbacks(): string {
  const others = providerNames.filter((name) => providers[name].nameFallback !== 'username');
  return ['username', ...others.map((name) => `for ${name} ${providers[name].nameFallback}`)].join('; ');
}
