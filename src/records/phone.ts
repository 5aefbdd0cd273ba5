/** A phone number as a source has it in, E.164 out: the target would read a number without a country as Swiss. */
import { createRequire } from 'node:module';
import type { CountryCode } from 'libphonenumber-js/min';

type Library = typeof import('libphonenumber-js/min');

/** Loaded with the first number: its tables take as long as the rest of the program. */
let loaded: Library | undefined;

function library(): Library {
  loaded ??= createRequire(import.meta.url)('libphonenumber-js/min') as Library;
  return loaded;
}

export interface Phone {
  /** With the plus sign. */
  readonly e164: string;
  /** In no numbering plan known, or of a length that none has; the target does not look at that. */
  readonly doubtful: boolean;
}

/**
 * Undefined when the number has no country (and `region` names none) or cannot be a number. One that names its
 * country itself is taken as it stands; to one that does not, a wrong guess could lend the number of somebody else.
 * Extensions are dropped.
 */
export function readPhone(raw: string, region: string | undefined): Phone | undefined {
  const { parsePhoneNumberFromString } = library();
  const country = region?.toUpperCase();
  const parsed =
    country !== undefined && isRegion(country)
      ? parsePhoneNumberFromString(raw, country)
      : parsePhoneNumberFromString(raw);
  if (parsed === undefined) return undefined;
  if (!raw.trimStart().startsWith('+') && !parsed.isPossible()) return undefined;
  return { e164: parsed.number, doubtful: !parsed.isValid() };
}

export function isRegion(text: string): text is CountryCode {
  return library().isSupportedCountry(text);
}
