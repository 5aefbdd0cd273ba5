/** The flags of every verb that sends messages or judges by them; `commands/message-flags.ts` reads them. */
import type { IdportCommand } from '../command.ts';

export function addMessageFlags(command: IdportCommand): IdportCommand {
  return addMailListFlag(command)
    .option('--max-emails <n>', 'maximum emails that the service may send', '0')
    .option('--allow-emails', 'no limit of emails')
    .option('--max-sms <n>', 'maximum SMS that the service may send', '0')
    .option('--allow-sms', 'no limit of SMS');
}

export function addMailListFlag(command: IdportCommand): IdportCommand {
  return command.output(
    '--mail-list <file>',
    'write a CSV of the users who will get an email or an SMS, and why',
  );
}

export function addPhoneFlag(command: IdportCommand): IdportCommand {
  return command.choice(
    '--phone <rule>',
    'phone numbers that are not verified, to which the service sends an SMS',
    ['keep', 'assume-verified', 'drop'],
    'keep',
  );
}
