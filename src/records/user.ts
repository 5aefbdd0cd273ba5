/** The user record: every source reads into it, every target writes from it. */
import type { SourceForm } from './hash-forms/form.ts';
import type { Membership } from './organization.ts';
import type { ReasonCode } from './reasons.ts';

/** Where a record came from; travels with it, so that no later step looks at the source again. */
export interface Origin {
  /** The input's name as the user gave it: a path, or `-`. */
  readonly input: string;
  /** Place of the record in its input, from 0; messages count it from 1. */
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

/** What users and service accounts have in common. */
interface AnyRecord {
  origin: Origin;
  /** The organization, where it is not that of all. */
  orgId?: string;
  /** Of an import body: the projects and their roles, as a text that is the same in another body. */
  grants?: string;
  /** Where the source itself names them; only where a mapping names them. */
  organizations?: readonly Membership[] | undefined;
  metadata: MetadataEntry[];
  notes: Note[];
}

/**
 * A user, from the reader of a source to the bytes of the body: one object, which every step completes or changes.
 * Absent text is the empty string, absent lists are empty: nothing downstream asks twice.
 */
export interface UserRecord extends AnyRecord {
  readonly kind: 'human';
  /** The id to carry over; empty when the target is to choose one. */
  id: string;
  userName: string;
  givenName: string;
  familyName: string;
  /** Given and family names are made of it where the source has none. */
  fullName: string;
  nickName: string;
  displayName: string;
  /** BCP 47, at most 10 characters. */
  language: string;
  gender: Gender;
  email: string;
  emailVerified: boolean;
  /** E.164, with the plus sign. */
  phone: string;
  /** ISO 3166 country of a number without a prefix, where the record itself names one. */
  phoneRegion?: string;
  phoneVerified: boolean;
  /** Modular crypt format; secret. */
  passwordHash: string;
  /** Of the same password, for a target that refuses the first; secret. */
  otherHashes?: readonly string[] | undefined;
  /** Only of an import body: the service is asked for a link to set up a passkey. */
  requestsPasskey?: boolean;
  /** A password that the source holds in plain text; secret, never written, hashed before the record is. */
  plainPassword: string;
  /** How the source has stored a password of which no hash can be written; secret. */
  sourceForm?: SourceForm | undefined;
  /** Base32 without padding, for SHA-1, 6 digits, 30 seconds; secret. */
  otpSecret: string;
  /** Modular crypt format; secret. */
  recoveryCodeHashes: readonly string[];
  /** In plain text, for sources that keep them so; secret. Only a bulk import takes recovery codes. */
  recoveryCodes: readonly string[];
  /** Names; only of sources whose mapping names a field for them. */
  roles?: readonly string[] | undefined;
  links: IdpLink[];
  state: UserState;
}

/** Whether the source has the password in plain text; it may have become a hash since. */
export function isPlain({ passwordHash, plainPassword, notes }: UserRecord): boolean {
  const isHashed = notes.some(({ code }) => code === 'password:plaintext-hashed');
  return isHashed || (plainPassword !== '' && passwordHash === '');
}

/** A service account. */
export interface MachineRecord extends AnyRecord {
  readonly kind: 'machine';
  readonly id: string;
  readonly userName: string;
  readonly name: string;
  readonly description: string;
  readonly state: UserState;
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
