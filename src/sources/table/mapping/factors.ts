/** Compiles second factors: one-time passwords and recovery codes. */
import { encodeBase32 } from '../../../lib/base32.ts';
import { canonicalBase32, isEncryptedSecret, otpObstacle } from '../../../records/otp.ts';
import { addNote, type UserRecord } from '../../../records/user.ts';
import { compileCondition, compileText, compileTexts } from './values.ts';
import type { OtpMapping, UserMapping } from './schema.ts';
import type { Scope, Setting } from './paths.ts';
import type { Value } from './value-schema.ts';

/** Sets fields of a draft. */
export type Fill = (draft: UserRecord, scope: Scope) => void;

/** The first that the target can do; a note for each other one. */
export function compileOtp(mappings: readonly OtpMapping[], setting: Setting): Fill {
  const rules = mappings.map((otp, at) => ({
    secrets: compileTexts(otp.from, undefined, `user.otp[${at}].from`, setting),
    encoding: otp.encoding ?? 'base32',
    test: compileCondition(otp.when ?? true, `user.otp[${at}].when`, setting),
    algorithm: compileText(otp.algorithm ?? { value: 'SHA1' }, `user.otp[${at}].algorithm`, setting),
    digits: compileText(otp.digits ?? { value: '6' }, `user.otp[${at}].digits`, setting),
    period: compileText(otp.period ?? { value: '30' }, `user.otp[${at}].period`, setting),
  }));
  return (draft, scope) => {
    for (const { secrets, encoding, test, algorithm, digits, period } of rules) {
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
}

/** Security keys and what else cannot move. */
export function compileOtherFactors(value: Value, setting: Setting): Fill {
  const read = compileTexts(value, undefined, 'user.otherFactors', setting);
  return (draft, scope) => {
    for (const name of read(scope))
      addNote(draft, /webauthn/i.test(name) ? 'mfa:webauthn' : 'mfa:other', name.slice(0, 60));
  };
}

function toBase32(text: string, encoding: NonNullable<OtpMapping['encoding']>) {
  if (encoding === 'base32') return canonicalBase32(text);
  if (encoding === 'text') return encodeBase32(Buffer.from(text, 'utf8'));
  const form = encoding === 'hex' ? /^(?:[\da-f]{2})+$/i : /^[\w+/]+={0,2}$/;
  return form.test(text) ? encodeBase32(Buffer.from(text, encoding)) : undefined;
}

/** The target holds ten. */
const maxCodes = 10;

export function compileRecoveryCodes(
  { from, split, when = true }: NonNullable<UserMapping['recoveryCodes']>,
  setting: Setting,
): Fill {
  const read = compileTexts(from, split, 'user.recoveryCodes', setting);
  const test = compileCondition(when, 'user.recoveryCodes.when', setting);
  return (draft, scope) => {
    if (!test(scope)) return;
    const codes = read(scope);
    const usable = codes.filter((code) => code.length <= 200).slice(0, maxCodes);
    draft.recoveryCodeHashes = usable.filter((code) => code.startsWith('$'));
    draft.recoveryCodes = usable.filter((code) => !code.startsWith('$'));
    if (usable.length < codes.length)
      addNote(draft, 'mfa:recovery-codes', `${codes.length - usable.length} left out`);
  };
}
