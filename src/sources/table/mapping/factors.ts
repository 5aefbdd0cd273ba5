/** Compiles second factors: one-time passwords and recovery codes. */
import { encodeBase32 } from '../../../lib/base32.ts';
import { canonicalBase32, isEncryptedSecret, otpObstacle } from '../../../records/otp.ts';
import { addNote, type UserRecord } from '../../../records/user.ts';
import { compileCondition, compileElements, compileText, compileTexts } from './values.ts';
import type { OtpMapping, UserMapping } from './schema.ts';
import { type Scope, type Setting, withoutColumns } from './paths.ts';
import type { Value } from './value-schema.ts';

/** Sets fields of a draft from a row. */
export type Fill = (draft: UserRecord, scope: Scope) => void;

/** Takes the first secret that the target supports, and adds a note for each other one. */
export function compileOtp(mappings: readonly OtpMapping[], setting: Setting): Fill {
  const fills = mappings.map(({ each, from, encoding = 'base32', when = true, ...usual }, at): Fill => {
    const place = `user.otp[${at}]`;
    const inside = each === undefined ? setting : withoutColumns(setting);
    const read = (key: keyof typeof usual) =>
      compileText(usual[key] ?? { value: '' }, `${place}.${key}`, inside);
    const elements = compileElements(each, place, setting);
    const secrets = compileTexts(from, undefined, `${place}.from`, inside);
    const test = compileCondition(when, `${place}.when`, inside);
    const [algorithm, digits, period] = [read('algorithm'), read('digits'), read('period')];
    const order = read('order');
    return (draft, row) => {
      for (const scope of elements(row).toSorted((one, other) => order(one).localeCompare(order(other)))) {
        const texts = secrets(scope);
        if (texts.length === 0 || !test(scope)) continue;
        const obstacle = otpObstacle({
          algorithm: algorithm(scope) || 'SHA1',
          digits: Number(digits(scope) || 6),
          period: Number(period(scope) || 30),
        });
        for (const text of texts) {
          const base32 = toBase32(text, encoding);
          if (draft.otpSecret !== '') {
            if (base32 !== draft.otpSecret) addNote(draft, 'otp:extra');
          } else if (isEncryptedSecret(text)) addNote(draft, 'otp:encrypted');
          else if (obstacle !== undefined) addNote(draft, 'otp:parameters', obstacle);
          else if (base32 === undefined) addNote(draft, 'otp:malformed');
          else draft.otpSecret = base32;
        }
      }
    };
  });
  return (draft, row) => fills.forEach((fill) => fill(draft, row));
}

/** Adds notes about security keys and other factors that cannot move. */
export function compileOtherFactors(value: Value, setting: Setting): Fill {
  const inside = { ...setting, isAlternative: true };
  const reads = [value].flat().map((one: Value) => compileTexts(one, undefined, 'user.otherFactors', inside));
  return (draft, scope) => {
    for (const name of reads.flatMap((read) => read(scope)))
      addNote(draft, /webauthn/i.test(name) ? 'mfa:webauthn' : 'mfa:other', name.slice(0, 60));
  };
}

function toBase32(text: string, encoding: NonNullable<OtpMapping['encoding']>) {
  if (encoding === 'base32') return canonicalBase32(text);
  if (encoding === 'text') return encodeBase32(Buffer.from(text, 'utf8'));
  const form = encoding === 'hex' ? /^(?:[\da-f]{2})+$/i : /^[\w+/]+={0,2}$/;
  return form.test(text) ? encodeBase32(Buffer.from(text, encoding)) : undefined;
}

export function compileRecoveryCodes(
  { from, split, when = true }: NonNullable<UserMapping['recoveryCodes']>,
  setting: Setting,
): Fill {
  const read = compileTexts(from, split, 'user.recoveryCodes', setting);
  const test = compileCondition(when, 'user.recoveryCodes.when', setting);
  return (draft, scope) => {
    if (test(scope)) draft.recoveryCodes = read(scope);
  };
}
