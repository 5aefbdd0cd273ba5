/** What a bulk import is asked for. */
import type { Input } from '../../lib/input.ts';
import type { PhoneRule } from '../../records/messages.ts';
import type { BodyPart } from '../../wire/org-entries.ts';
import type { TargetProfile } from '../../wire/profile.ts';
import type { GateRequest } from '../messages/gate.ts';
import type { RunOutputs } from '../report/run-outputs.ts';
import type { AnyImportRequest } from '../runs/open-run.ts';
import type { ChunkSizeOptions } from './request-limits.ts';

/** What is to be imported, and which messages may be sent. */
export interface BodyRequest extends GateRequest {
  readonly input: Input;
  /** The data of the body is of the first form, although nothing in it shows that. */
  readonly firstForm: boolean;
  /** Values of `--create-org`. */
  readonly createOrgs: readonly string[];
  /** Values of `--rename-org`. */
  readonly renameOrgs: readonly string[];
  /** `new`: users get other ids than the body gives them. */
  readonly ids: 'keep' | 'new';
  /** Left out, as if the body had none. */
  readonly skip: readonly BodyPart[];
  readonly phone: PhoneRule;
  /** The report and the rejects file. */
  readonly log: RunOutputs;
  /** What the target accepts, for the forecast of who can sign in. */
  readonly profile: TargetProfile;
}

export interface ImportRequest extends BodyRequest, AnyImportRequest {
  /** A Go duration that overrides the one of the body. */
  readonly timeout: string | undefined;
  /** The service cuts calls off after so long. */
  readonly mostSeconds: number | null;
  /** What becomes of verified addresses that arrive unverified: the user answers an email, or they are set to verified. */
  readonly emailAfter: 'leave' | 'verified';
  readonly size: ChunkSizeOptions;
  /** Instead of requests with the data in them. */
  readonly bucket?: BucketRoute | undefined;
  /** Journals of previous runs: only users who are new or have changed since then are sent. */
  readonly since: readonly string[];
}

/** Where the service reads from. */
export interface BucketSource {
  readonly bucket: string;
  readonly path: string;
  /** Key file of the service account that the service uses, in base64. */
  readonly serviceAccount: string;
}

export interface BucketRoute {
  readonly source: BucketSource;
  /** Returns the generation of the object, empty where it has none. Throws where another program replaces it meanwhile. */
  upload(text: AsyncIterable<string>): Promise<string>;
  /** Throws where another program has replaced the object since the upload that had this generation. */
  check(generation: string): Promise<void>;
  /** Seconds without a new user after which the job counts as over. */
  readonly stallSeconds: number;
}
