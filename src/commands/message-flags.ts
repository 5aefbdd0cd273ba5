/** Reads the flags that limit the messages of an import; `cli/flags/messages.ts` declares them. */
import type { MessageLimits } from '../flows/messages/gate.ts';
import { readWholeNumber } from './values.ts';

export interface MessageFlags {
  readonly maxEmails: string;
  readonly allowEmails?: boolean;
  readonly maxSms: string;
  readonly allowSms?: boolean;
  /** Where to write who gets a message, and why. */
  readonly mailList?: string;
}

/** Throws `UsageError` for a number that is none. */
export function checkLimits(flags: Omit<MessageFlags, 'mailList'>): MessageLimits {
  return {
    emails: flags.allowEmails === true ? Infinity : readWholeNumber('--max-emails', flags.maxEmails),
    sms: flags.allowSms === true ? Infinity : readWholeNumber('--max-sms', flags.maxSms),
  };
}
