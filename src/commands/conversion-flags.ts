/** The flags of a conversion, as commands and the library take them; `cli/flags/conversion.ts` declares them. */

/** What is carried of a user. */
export interface RecordFlags {
  /** Every provider has a default of its own. */
  readonly nameFallback?: 'username' | 'email-local' | 'dash' | 'full-name' | 'skip';
  readonly emailFallback: 'skip' | 'placeholder';
  readonly emailDomain?: string;
  readonly assumeEmailVerified?: boolean;
  readonly defaultRegion?: string;
  readonly disabled: 'keep' | 'skip' | 'active';
  readonly withoutPassword: 'import' | 'skip';
  readonly metadata: 'none' | 'attributes' | 'all';
  readonly idp?: readonly string[];
  readonly plaintext: 'hash' | 'skip';
  readonly onRefusedHash: 'drop' | 'keep' | 'skip' | 'fail';
  readonly targetProfile: string;
  readonly pbkdf2Encoding: 'padded' | 'ab64';
}

export interface DuplicatesFlag {
  readonly duplicates: 'reject' | 'keep' | 'suffix';
}

/** How a whole body is made. */
export interface ConversionFlags extends DuplicatesFlag {
  readonly threads?: string;
}

/** Where the body goes. */
export interface BodyFlags {
  readonly org: string;
  readonly output: string;
  readonly timeout: string;
  readonly multiline?: boolean;
}

/** What is said of the records that need attention. */
export interface ReportFlags {
  readonly report?: string;
  readonly rejects?: string;
}

export const conversionDefaults = {
  output: './importBody.json',
  timeout: '30m',
  emailFallback: 'skip',
  disabled: 'keep',
  withoutPassword: 'import',
  metadata: 'none',
  duplicates: 'reject',
  plaintext: 'hash',
  onRefusedHash: 'drop',
  targetProfile: 'all-verifiers',
  pbkdf2Encoding: 'padded',
} as const;
