/** Reads phone numbers as sources have them into E.164: the target would read a number without a country as Swiss. */
import {
  type CountryCode,
  getCountryCallingCode,
  isSupportedCountry,
  Metadata,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/min';

export interface Phone {
  /** With the plus sign. */
  readonly e164: string;
  /** In no numbering plan known, or of a length that none has; the target does not look at that. */
  readonly doubtful: boolean;
  /** It is not part of the E.164 number. */
  readonly extension?: string | undefined;
}

/**
 * Undefined when the number has no country (and `region` names none) or cannot be a number. One that names its
 * country itself is taken as it is; to one that does not, a wrong guess could allocate the number of another user.
 */
export function readPhone(raw: string, region: string | undefined): Phone | undefined {
  if (latest?.raw !== raw || latest.region !== region) latest = { raw, region, phone: read(raw, region) };
  return latest.phone;
}

/** Readers ask whether an attribute is a number before they choose it, and the rules for all sources read it again. */
let latest: { raw: string; region: string | undefined; phone: Phone | undefined } | undefined;

function read(raw: string, region: string | undefined): Phone | undefined {
  const country = region === undefined ? undefined : countryOf(region);
  const plain = readPlain(raw, country);
  if (plain !== undefined) return { e164: plain, doubtful: false };
  // The library would throw, which takes as long as all the rest of a user.
  if (country === undefined && !/[+\uff0b]/.test(raw)) return undefined;
  const parsed =
    country === undefined ? parsePhoneNumberFromString(raw) : parsePhoneNumberFromString(raw, country);
  if (parsed === undefined) return undefined;
  if (!raw.trimStart().startsWith('+') && !parsed.isPossible()) return undefined;
  return { e164: parsed.number, doubtful: !parsed.isValid(), extension: parsed.ext };
}

export function isRegion(text: string): text is CountryCode {
  return isSupportedCountry(text);
}

function countryOf(region: string) {
  const country = region.toUpperCase();
  return isRegion(country) ? country : undefined;
}

/** A number of a body as the target reads it: several plus signs are one, and letters are digits. */
export const asDialled = (text: string): string => lettersToDigits(text.replace(/^[+\uff0b]+/, '+'));

/** `1 800 FLOWERS` as on the keys of a phone, where there are three letters or more. `ext. 5` stays as it is. */
function lettersToDigits(text: string) {
  const [number = '', ...extension] = text.split(/(?=;|\b(?:ext|x)\b)/i);
  if ((number.match(/[a-z]/gi) ?? []).length < 3) return text;
  const digits = number.replace(/[a-z]/gi, (letter) => '22233344455566677778889999'[letterIndex(letter)]!);
  return digits + extension.join('');
}

const letterIndex = (letter: string) => letter.toLowerCase().charCodeAt(0) - 0x61;

/** The numbers of a calling code that are valid in its main country. */
interface Plan {
  readonly code: string;
  readonly main: string;
  readonly valid: RegExp;
  /** What may precede a national number and is not a part of it: `0`. */
  readonly prefix: RegExp | undefined;
  /** A number with the prefix becomes another one than the rest of it. */
  readonly prefixChangesNumber: boolean;
  /** What precedes a calling code where one dials in this country: `00`. */
  readonly dialOut: RegExp;
}

/** By calling code. */
const plans = new Map<string, Plan | undefined>();

/**
 * What the library would say of a plain number that is valid: most numbers of an export, at a tenth of the library's
 * time. Undefined leaves the number to the library.
 */
function readPlain(text: string, country: CountryCode | undefined) {
  if (!/^\+?[0-9][0-9 ().-]*$/.test(text)) return undefined;
  const digits = text.replace(/[^0-9]+/g, '');
  if (text.startsWith('+')) return readInternational(digits);
  const plan = country === undefined ? undefined : planOf(getCountryCallingCode(country));
  if (plan === undefined || plan.main !== country) return undefined;
  const dialOut = plan.dialOut.exec(digits)?.[0];
  return dialOut === undefined ? readNational(plan, digits) : readInternational(digits.slice(dialOut.length));
}

function readInternational(digits: string) {
  // No calling code begins with another one, or with a zero.
  for (let length = 1; length <= 3; length++) {
    const plan = planOf(digits.slice(0, length));
    if (plan !== undefined) return readNational(plan, digits.slice(length));
  }
  return undefined;
}

function readNational({ code, valid, prefix, prefixChangesNumber }: Plan, digits: string) {
  const before = prefix?.exec(digits)?.[0];
  if (before === undefined) return valid.test(digits) ? `+${code}${digits}` : undefined;
  if (prefixChangesNumber) return undefined;
  const national = digits.slice(before.length);
  // A number that is valid with and without what seems to be a prefix is for the library.
  if (!valid.test(national) || (before !== '' && valid.test(digits))) return undefined;
  return `+${code}${national}`;
}

function planOf(code: string) {
  if (!plans.has(code)) plans.set(code, makePlan(code));
  return plans.get(code);
}

const numberTypes = [
  'FIXED_LINE',
  'MOBILE',
  'PREMIUM_RATE',
  'TOLL_FREE',
  'SHARED_COST',
  'VOIP',
  'PERSONAL_NUMBER',
  'PAGER',
  'UAN',
  'VOICEMAIL',
];

/** Undefined where there is no such code, or where it takes more than patterns to read its numbers. */
function makePlan(code: string): Plan | undefined {
  const metadata = new Metadata() as unknown as NumberingPlans;
  const [main] = metadata.hasCallingCode(code) ? (metadata.getCountryCodesForCallingCode(code) ?? []) : [];
  if (main === undefined) return undefined;
  metadata.selectNumberingPlan(main);
  if (metadata.leadingDigits()) return undefined;
  // Several countries with one code are reported apart by the types of numbers.
  const types = metadata.hasTypes()
    ? numberTypes.map((type) => metadata.type(type)?.pattern()).filter(Boolean)
    : [metadata.nationalNumberPattern()];
  const prefix = metadata.nationalPrefixForParsing();
  return {
    code,
    main,
    valid: new RegExp(`^(?=(?:${metadata.nationalNumberPattern()})$)(?:${types.join('|')})$`),
    prefix: prefix ? new RegExp(`^(?:${prefix})`) : undefined,
    prefixChangesNumber: Boolean(metadata.nationalPrefixTransformRule()),
    dialOut: new RegExp(`^(?:${metadata.IDDPrefix()})`),
  };
}

/** Methods of the library's `Metadata` that its types leave out. */
interface NumberingPlans {
  hasCallingCode(code: string): boolean;
  getCountryCodesForCallingCode(code: string): readonly string[] | undefined;
  selectNumberingPlan(country: string): void;
  leadingDigits(): string | undefined;
  hasTypes(): boolean;
  type(name: string): { pattern(): string } | undefined;
  nationalNumberPattern(): string;
  nationalPrefixForParsing(): string | undefined;
  nationalPrefixTransformRule(): string | undefined;
  IDDPrefix(): string;
}
