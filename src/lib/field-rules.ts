/**
 * The target's field rules, in one table, which the client applies to records. A record that breaks one makes the service refuse
 * the whole body. Lengths count Unicode code points. The messages of `wire/` have the same rules.
 */
interface LengthRule {
  /** 0 by default. */
  readonly min?: number;
  readonly max: number;
}

export const fieldRules = {
  userName: { min: 1, max: 200 },
  firstName: { min: 1, max: 200 },
  lastName: { min: 1, max: 200 },
  displayName: { max: 200 },
  email: { min: 1, max: 200 },
  idpConfigId: { min: 1, max: 200 },
  idpExternalUserId: { min: 1, max: 200 },
  idpDisplayName: { max: 200 },
  metadataKey: { min: 1, max: 200 },
} as const satisfies Record<string, LengthRule>;

/** Length of a decoded metadata value in bytes. */
export const metadataValueBytes = { min: 1, max: 500_000 } as const;

/** Number of recovery codes that one user may have. */
export const maxRecoveryCodes = 10;

/** Counts code points, as the service does. An emoji is one, however many units it has in UTF-16. */
export const countCharacters = (text: string) =>
  text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);

export function fits({ min = 0, max }: LengthRule, text: string) {
  return text.length >= min && (text.length <= max || countCharacters(text) <= max);
}
