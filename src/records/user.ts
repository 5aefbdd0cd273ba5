/** The user record: every source reads into it, every target writes from it. */
import type { SourceForm } from './hash-forms/form.ts';
import type { Membership } from './organization.ts';
import type { ReasonCode } from './reasons.ts';

/** Where a record came from; travels with it, so that no later step looks at the source again. */
export interface Origin {
  /** The input's name as the user gave it: a path, or `-`. */
  readonly input: string;
  /** Place of the record in its input, from 0. */
  readonly index: number;
  /** The source's own id, or failing that its user name; empty when it has neither. */
  readonly id: string;
}

export type UserState = 'active' | 'inactive' | 'locked';
export type Gender = 'unspecified' | 'female' | 'male' | 'diverse';

/** A login at another identity provider. */
export interface IdpLink {
  /** Id of the provider's configuration in the target. */
  readonly configId: string;
  /** The user's id at that provider. */
  readonly externalUserId: string;
  readonly displayName: string;
}

export interface MetadataEntry {
  readonly key: string;
  /** Plain text; empty where it is not text. */
  readonly value: string;
  /** Of an import body, which may hold any bytes. */
  readonly base64?: string;
}

/** Something a reader of the report should know about a record that was written. */
export interface Note {
  readonly code: ReasonCode;
  /** Names and numbers that explain the case; never a secret. */
  readonly detail?: string;
}

/** A user. Absent text is the empty string, absent lists are empty: nothing downstream asks twice. */
export interface UserRecord {
  readonly kind: 'human';
  readonly origin: Origin;
  /** The id to carry over; empty when the target is to choose one. */
  readonly id: string;
  /** Only of an import body: the organization that it stands in. */
  readonly orgId?: string;
  readonly userName: string;
  readonly givenName: string;
  readonly familyName: string;
  readonly nickName: string;
  readonly displayName: string;
  /** BCP 47, at most 10 characters. */
  readonly language: string;
  readonly gender: Gender;
  readonly email: string;
  readonly emailVerified: boolean;
  /** E.164, with the plus sign. */
  readonly phone: string;
  readonly phoneVerified: boolean;
  /** Modular crypt format; secret. */
  readonly passwordHash: string;
  /** Of the same password, for a target that refuses the first; secret. */
  readonly otherHashes?: readonly string[] | undefined;
  /** Only of an import body: the service is asked for a link to set up a passkey. */
  readonly requestsPasskey?: boolean;
  /** A password that the source holds in plain text; secret, never written, hashed before anything else happens. */
  readonly plainPassword: string;
  /** How the source has stored a password of which no hash can be written; secret. */
  readonly sourceForm?: SourceForm | undefined;
  /** Base32 without padding, for SHA-1, 6 digits, 30 seconds; secret. */
  readonly otpSecret: string;
  /** Modular crypt format; secret. */
  readonly recoveryCodeHashes: readonly string[];
  /** In plain text, for sources that keep them so; secret. Only a bulk import takes recovery codes. */
  readonly recoveryCodes: readonly string[];
  /** Names; only of sources whose mapping names a field for them. */
  readonly roles?: readonly string[] | undefined;
  readonly links: readonly IdpLink[];
  readonly state: UserState;
  /** Where the source itself names them; only where a mapping says so. */
  readonly organizations?: readonly Membership[] | undefined;
  readonly metadata: readonly MetadataEntry[];
  readonly notes: readonly Note[];
}

/** A service account. */
/** Whether the source has the password in plain text; it may have become a hash since. */
export function isPlain({ passwordHash, plainPassword, notes }: UserRecord): boolean {
  const isHashed = notes.some(({ code }) => code === 'password:plaintext-hashed');
  return isHashed || (plainPassword !== '' && passwordHash === '');
}

export interface MachineRecord {
  readonly kind: 'machine';
  readonly origin: Origin;
  readonly id: string;
  /** Only of an import body: the organization that it stands in. */
  readonly orgId?: string;
  readonly userName: string;
  readonly name: string;
  readonly description: string;
  readonly state: UserState;
  readonly organizations?: readonly Membership[] | undefined;
  readonly metadata: readonly MetadataEntry[];
  readonly notes: readonly Note[];
}

/** A record that will not be written, and why. The outcome of `code` is `rejected` or `skipped`. */
export interface Rejected {
  readonly kind: 'rejected';
  readonly origin: Origin;
  /** Where it is known. */
  readonly orgId?: string | undefined;
  /** As far as they could be read; else empty. */
  readonly userName: string;
  readonly email: string;
  readonly code: ReasonCode;
  readonly detail: string;
}

/** What a reader makes of one record of a source. */
export type ReadResult = UserRecord | MachineRecord | Rejected;
