/** The flags of a conversion, as commands and the library take them; `cli/flags/conversion.ts` declares them. */

import type { Paths } from '../sources/entry.ts';

/** What is carried of a user. */
export interface RecordFlags {
  /** Every provider has a default of its own. */
  readonly nameFallback?: 'username' | 'email-local' | 'dash' | 'full-name' | 'skip';
  readonly emailFallback: 'skip' | 'username' | 'placeholder';
  readonly emailDomain?: string;
  /** On the command line true where the flag has no value. */
  readonly emailVerified?: boolean | string;
  readonly defaultRegion?: string;
  readonly disabled: 'keep' | 'skip' | 'active';
  readonly withoutPassword: 'import' | 'skip';
  readonly metadata: 'none' | 'attributes' | 'all';
  readonly idp?: readonly string[];
  readonly idpMap?: string;
  /** `send` is for `import-users` alone. */
  readonly plainPasswords: 'hash' | 'skip' | 'send';
  /** By default `drop` for a named target profile; else what another setting would accept is kept. */
  readonly onRefusedHash?: 'drop' | 'keep' | 'skip' | 'fail';
  readonly targetProfile?: string;
  readonly phone: 'keep' | 'assume-verified' | 'drop';
  readonly pbkdf2Encoding: 'padded' | 'ab64';
}

export interface DuplicatesFlag {
  readonly duplicates: 'reject' | 'keep' | 'suffix';
}

/** How a whole body is made. */
export interface ConversionFlags extends DuplicatesFlag {
  readonly maxWithoutPassword?: string;
  /** The import that will follow. */
  readonly route?: 'import-users' | 'import';
  readonly threads?: string;
}

/** Where the body goes. */
export interface BodyFlags {
  readonly org: string;
  readonly output: string;
  readonly timeout: string;
  readonly multiline?: boolean;
  /** A user whose password is known: the converted hash must take it. */
  readonly prove?: string;
  /** `-` or a file; asked at the terminal where it is absent. */
  readonly provePassword?: string;
}

/** Whether roles become those of a project. */
export interface RoleFlags {
  /** `project:<id>` or `new:<name>`. */
  readonly roles?: string;
  readonly roleMap?: string;
  readonly roleMembers?: Paths;
}

/** Which organization a user goes to; without `orgBy` all go to `org`. */
export interface OrgFlags {
  readonly orgBy?: string;
  readonly orgMap?: string;
  readonly createOrgs?: boolean;
  readonly memberships?: Paths;
  /** `report` is the default. */
  readonly furtherMemberships?: 'report' | 'grants';
}

/** For passwords whose hash the target does not take. */
export interface FirstLoginFlags {
  readonly jitList?: string;
  readonly jitPlaceholder?: boolean;
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
  plainPasswords: 'hash',
  phone: 'keep',
  pbkdf2Encoding: 'padded',
} as const;
