/** Reads a source's phone numbers into E.164. The target would take a number without a country code as Swiss. */
import {
  type CountryCode,
  getCountryCallingCode,
  isSupportedCountry,
  Metadata,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/min';

interface Phone {
  /** Includes the plus sign. */
  readonly e164: string;
  /** Whether the number is in no known numbering plan or has an impossible length. The target does not check that. */
  readonly doubtful: boolean;
  /** The extension, which an E.164 number cannot contain. */
  readonly extension?: string | undefined;
}

/**
 * Returns undefined if the number has no country code (and `region` is no country), or cannot be a number. A number
 * with its own country code is accepted as it is. Without one, a wrong guess could be the number of another user.
 */
export function readPhone(raw: string, region: string | undefined) {
  if (latest?.raw !== raw || latest.region !== region) latest = { raw, region, phone: read(raw, region) };
  return latest.phone;
}

/**
 * The last number. Readers check whether an attribute is a number before they choose it, and the rules for all sources
 * read it again.
 */
let latest: { raw: string; region: string | undefined; phone: Phone | undefined } | undefined;

function read(raw: string, region: string | undefined): Phone | undefined {
  const country = region === undefined ? undefined : countryOf(region);
  const plain = readPlain(raw, country);
  if (plain !== undefined) return { e164: plain, doubtful: false };
  // The library would throw, which takes as long as everything else for a user.
  if (country === undefined && !/[+\uff0b]/.test(raw)) return undefined;
  const parsed = parsePhoneNumberFromString(raw, country);
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

/** Returns a number as the target reads it: several plus signs count as one, and letters as digits. */
export const asDialled = (text: string) => lettersToDigits(text.replace(/^[+\uff0b]+/, '+'));

/** Replaces letters with digits as on a phone's keys (`1 800 FLOWERS`) if there are at least three. `ext. 5` is kept. */
function lettersToDigits(text: string) {
  const [number = '', ...extension] = text.split(/(?=;|\b(?:ext|x)\b)/i);
  if ((number.match(/[a-z]/gi) ?? []).length < 3) return text;
  const digits = number.replace(
    /[a-z]/gi,
    (letter) => '22233344455566677778889999'[letter.toLowerCase().charCodeAt(0) - 0x61]!,
  );
  return digits + extension.join('');
}

/** The numbers of a calling code that are valid in its main country. */
type Plan = NonNullable<ReturnType<typeof makePlan>>;

/** Plans by calling code. */
const plans = new Map<string, Plan | undefined>();

/**
 * Returns what the library would return for a plain valid number, in a tenth of its time. Most numbers of an export are
 * plain. Undefined leaves the number to the library.
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
  // No calling code begins with another one, or with zero.
  for (let length = 1; length <= 3; length++) {
    const plan = planOf(digits.slice(0, length));
    if (plan !== undefined) return readNational(plan, digits.slice(length));
  }
  return undefined;
}

function readNational({ code, valid, prefix, prefixChangesNumber }: Plan, digits: string) {
  const [before, ...groups] = prefix?.exec(digits) ?? [];
  if (before === undefined) return valid.test(digits) ? `+${code}${digits}` : undefined;
  if (prefixChangesNumber && groups.at(-1)) return undefined;
  const national = digits.slice(before.length);
  // A number that is valid both with and without what looks like a prefix is left to the library.
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

/** Returns undefined if there is no such code, or if patterns are not enough to read its numbers. */
function makePlan(code: string) {
  const metadata = new Metadata() as unknown as NumberingPlans;
  const [main] = metadata.hasCallingCode(code) ? (metadata.getCountryCodesForCallingCode(code) ?? []) : [];
  if (main === undefined) return undefined;
  metadata.selectNumberingPlan(main);
  if (metadata.leadingDigits()) return undefined;
  // If several countries share a code, types of numbers define which numbers are valid.
  const types = metadata.hasTypes()
    ? numberTypes.map((type) => metadata.type(type)?.pattern()).filter(Boolean)
    : [metadata.nationalNumberPattern()];
  const prefix = metadata.nationalPrefixForParsing();
  return {
    code,
    main,
    valid: new RegExp(`^(?=(?:${metadata.nationalNumberPattern()})$)(?:${types.join('|')})$`),
    /** Prefix of a national number that is not part of it, such as `0`. */
    prefix: prefix ? new RegExp(`^(?:${prefix})`) : undefined,
    /** Whether a prefix whose group matches also changes the rest of the number. */
    prefixChangesNumber: Boolean(metadata.nationalPrefixTransformRule()),
    /** Prefix of a calling code when dialling from this country, such as `00`. */
    dialOut: new RegExp(`^(?:${metadata.IDDPrefix()})`),
  };
}

/** Methods of the library's `Metadata` that are missing in its types. */
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
