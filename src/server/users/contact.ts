/** Reads email addresses, phone numbers and languages as the service stores them. */
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { checkAddress } from '../../records/email.ts';
import { grpcCodes } from '../../wire/errors.ts';
import { refusal } from '../errors.ts';

const problems = {
  empty: ['EMAIL-spblu', 'Errors.User.Email.Empty'],
  invalid: ['EMAIL-599BI', 'Errors.User.Email.Invalid'],
  'has a display name': ['EMAIL-599GV', 'Errors.User.Email.Invalid'],
} as const;

/** Trimmed, never in lower case; angle brackets stay. */
export function readEmail(text: string): string {
  const problem = checkAddress(text);
  if (problem === undefined) return text.trim();
  const [id, key] = problems[problem];
  throw refusal(grpcCodes.invalidArgument, id, key);
}

/** E.164; a number without a country counts as Swiss. */
export function readPhoneNumber(text: string): string {
  const parsed = parsePhoneNumberFromString(text, 'CH');
  if (parsed === undefined)
    throw refusal(grpcCodes.invalidArgument, 'PHONE-so0wa', 'Errors.User.Phone.Invalid');
  return parsed.number;
}

const languages = new Map<string, string>();

/** Canonical BCP 47, `und` for nothing and for what is no language: never an error. */
export function readLanguageTag(text: string): string {
  if (text === '') return 'und';
  const known = languages.get(text);
  if (known !== undefined) return known;
  let tag = 'und';
  try {
    tag = Intl.getCanonicalLocales(text.trim().replaceAll('_', '-'))[0] ?? 'und';
  } catch {
    // Not a language: undefined, as the service has it.
  }
  if (languages.size < 1000) languages.set(text, tag);
  return tag;
}
