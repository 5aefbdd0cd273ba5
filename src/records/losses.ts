/** The kinds of data that the body does not carry, and the codes that say so. */
import type { ReasonCode } from './reasons.ts';

/** The kinds under which a loss is reported, as words for users. A code that is not here tells of no loss. */
export const lossKinds: readonly (readonly [kind: string, codes: readonly ReasonCode[]])[] = [
  ['roles', ['role:not-migrated']],
  ['groups', ['group:not-migrated']],
  ['further organizations', ['org:further']],
  ['roles in organizations', ['org:role-not-migrated']],
  ['required actions', ['required-action:not-migrated']],
  ['consents', ['consent:not-migrated']],
  ['passkeys and security keys', ['mfa:webauthn']],
  ['recovery codes', ['mfa:recovery-codes']],
  ['other second factors', ['mfa:other']],
  [
    'one-time passwords',
    [
      'otp:hotp',
      'otp:parameters',
      'otp:extra',
      'otp:malformed',
      'otp:not-exported',
      'otp:encrypted',
      'otp:no-id',
    ],
  ],
  ['links to identity providers', ['idp:unmapped-alias', 'idp:missing-id']],
  ['custom attributes', ['attribute:not-migrated', 'attribute:dropped']],
  ['phone numbers', ['phone:dropped', 'phone:left-out']],
  ['languages', ['language:dropped']],
  ['former passwords', ['password:history']],
  ['further passwords', ['password:extra']],
  ['marks of temporary passwords', ['password:temporary']],
];

const kindByCode = new Map(lossKinds.flatMap(([kind, codes]) => codes.map((code) => [code, kind])));

export function kindOfLoss(code: ReasonCode): string | undefined {
  return kindByCode.get(code);
}
