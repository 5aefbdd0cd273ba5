/** Converts email addresses, phone numbers and languages to the form that the service stores. */
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { memoized } from '../../lib/strings.ts';
import { checkAddress } from '../../records/email.ts';
import { asDialled } from '../../records/phone.ts';
import { refusal, existing } from '../errors.ts';

const problems = {
  empty: 'EMAIL-spblu',
  invalid: 'EMAIL-599BI',
  'has a display name': 'EMAIL-599GV',
} as const;

/** Returns the trimmed address. It keeps its case and its angle brackets. */
export function readEmail(text: string) {
  const problem = checkAddress(text);
  if (problem === undefined) return text.trim();
  // To the service, only '' is empty. Blanks are an address that cannot be parsed.
  throw refusal(text === '' || problem !== 'empty' ? problems[problem] : problems.invalid);
}

/**
 * Returns an E.164 number. A number without a country code counts as Swiss. The service's library accepts several `+`,
 * and letters.
 */
export function readPhoneNumber(text: string) {
  // Letters may follow digits, but the text must contain a digit or a plus.
  const parsed = /[+\p{Nd}]/u.test(text) ? parsePhoneNumberFromString(asDialled(text), 'CH') : undefined;
  return existing(parsed, 'PHONE-so0wa').number;
}

const languageNames = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

/** Tags from before BCP 47 that the service still reads. */
const oldTags: Readonly<Record<string, string>> = {
  'i-ami': 'ami',
  'i-bnn': 'bnn',
  'i-hak': 'hak',
  'i-klingon': 'tlh',
  'i-lux': 'lb',
  'i-navajo': 'nv',
  'i-pwn': 'pwn',
  'i-tao': 'tao',
  'i-tay': 'tay',
  'i-tsu': 'tsu',
};

function canonicalTag(text: string) {
  const old = oldTags[text.toLowerCase()];
  if (old !== undefined) return old;
  try {
    const tag = Intl.getCanonicalLocales(text)[0] ?? 'und';
    const [language = ''] = tag.split('-');
    // There are too many three-letter codes for a list, so all are accepted.
    const known = language.length === 3 || languageNames.of(language) !== undefined;
    return known && language.length <= 3 ? tag : 'und';
  } catch {
    return 'und';
  }
}

/** Returns a canonical BCP 47 tag, or `und` for an empty or invalid one. Never throws. */
export const readLanguageTag = memoized((text) => canonicalTag(text.trim().replaceAll('_', '-')));
