/** Defines the request for a bulk import. */
import type { Input } from '../../lib/input.ts';
import type { PhoneRule } from '../../records/messages.ts';
import type { BodyPart } from '../../wire/org-entries.ts';
import type { TargetProfile } from '../../wire/profile.ts';
import type { GateRequest } from '../messages/gate.ts';
import type { RunOutputs } from '../report/run-outputs.ts';
import type { AnyImportRequest } from '../runs/open-run.ts';
import type { ChunkSizeOptions } from './request-limits.ts';

/** Request to read a body, with the messages that may be sent. */
export interface BodyRequest extends GateRequest {
  readonly input: Input;
  /** The data of the body is of the first form, although nothing in it shows that. */
  readonly firstForm: boolean;
  /** Values of `--create-org`. */
  readonly createOrgs: readonly string[];
  /** Values of `--rename-org`. */
  readonly renameOrgs: readonly string[];
  /** `new`: users get other ids than in the body. */
  readonly ids: 'keep' | 'new';
  /** Parts to leave out, as if the body did not have them. */
  readonly skip: readonly BodyPart[];
  readonly phone: PhoneRule;
  /** Report and rejects file. */
  readonly log: RunOutputs;
  /** What the target accepts, for the forecast of who can sign in. */
  readonly profile: TargetProfile;
}

export interface ImportRequest extends BodyRequest, AnyImportRequest {
  /** Go duration that overrides the one in the body. */
  readonly timeout: string | undefined;
  /** Seconds after which the service cuts calls off. */
  readonly mostSeconds: number | null;
  /**
   * What to do with verified addresses that arrive unverified: leave them until the user answers an email, or set them to
   * verified.
   */
  readonly emailAfter: 'leave' | 'verified';
  readonly size: ChunkSizeOptions;
  /** Bucket to use instead of requests with the data in them. */
  readonly bucket?: BucketRoute | undefined;
  /** Journals of previous runs. Only users who are new or changed since then are sent. */
  readonly since: readonly string[];
}

/** Object that the service reads. */
export interface BucketSource {
  readonly bucket: string;
  readonly path: string;
  /** Key file, in base64, of the service account with which the service reads. */
  readonly serviceAccount: string;
}

export interface BucketRoute {
  readonly source: BucketSource;
  /** Returns the generation of the object, empty if it has none. Throws if another program replaces the object meanwhile. */
  upload(text: AsyncIterable<string>): Promise<string>;
  /** Throws if another program has replaced the object since the upload that had this generation. */
  check(generation: string): Promise<void>;
  /** Seconds without a new user after which the job counts as over. */
  readonly stallSeconds: number;
}
