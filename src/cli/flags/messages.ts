/** The flags of every verb that sends messages or judges by them; `commands/message-flags.ts` reads them. */
import { type Command, Option } from 'commander';

export function addMessageFlags(command: Command): Command {
  return addMailListFlag(command)
    .option('--max-emails <n>', 'maximum emails that the service may send', '0')
    .option('--allow-emails', 'no limit of emails')
    .option('--max-sms <n>', 'maximum SMS that the service may send', '0')
    .option('--allow-sms', 'no limit of SMS');
}

export function addMailListFlag(command: Command): Command {
  return command.option(
    '--mail-list <file>',
    'write a CSV of the users who will get an email or an SMS, and why',
  );
}

export function addPhoneFlag(command: Command): Command {
  return command.addOption(
    new Option('--phone <rule>', 'phone numbers that are not verified, to which the service sends an SMS')
      .choices(['keep', 'assume-verified', 'drop'])
      .default('keep'),
  );
}
