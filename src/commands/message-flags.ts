/** Reads the flags that limit the messages of an import; `cli/flags/messages.ts` declares them. */
import { UsageError } from '../errors.ts';
import type { MessageLimits } from '../flows/messages/gate.ts';

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
    emails: flags.allowEmails === true ? Infinity : checkCount('--max-emails', flags.maxEmails),
    sms: flags.allowSms === true ? Infinity : checkCount('--max-sms', flags.maxSms),
  };
}

export function checkCount(flag: string, text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new UsageError(`${flag} ${text} is not a number`);
}
