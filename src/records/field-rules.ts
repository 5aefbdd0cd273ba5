/**
 * The field rules of the target, as one table: one record that breaks one makes the service refuse the whole body.
 * Lengths count Unicode code points. The client checks with it before sending, the reference server after receiving.
 */
export interface LengthRule {
  readonly min: number;
  readonly max: number;
}

export const fieldRules = {
  userName: { min: 1, max: 200 },
  firstName: { min: 1, max: 200 },
  lastName: { min: 1, max: 200 },
  nickName: { min: 0, max: 200 },
  displayName: { min: 0, max: 200 },
  preferredLanguage: { min: 0, max: 10 },
  email: { min: 1, max: 200 },
  phone: { min: 1, max: 50 },
  idpConfigId: { min: 1, max: 200 },
  idpExternalUserId: { min: 1, max: 200 },
  idpDisplayName: { min: 0, max: 200 },
  recoveryCode: { min: 1, max: 200 },
  metadataKey: { min: 1, max: 200 },
  machineName: { min: 1, max: 200 },
  machineDescription: { min: 0, max: 500 },
} as const satisfies Record<string, LengthRule>;

/** Bytes a metadata value may have once decoded. */
export const metadataValueBytes = { min: 1, max: 500_000 } as const;

/** Recovery codes one user may have. */
export const maxRecoveryCodes = 10;

/** Counts code points, as the service does: an emoji is one, whatever UTF-16 makes of it. */
export const countCharacters = (text: string): number =>
  text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);

export function fits({ min, max }: LengthRule, text: string): boolean {
  return text.length >= min && (text.length <= max || countCharacters(text) <= max);
}
