/** How one server behaves: given once when it is made, complete, and handed to everything that needs it. */
import type { Clock } from '../lib/clock.ts';
import type { TargetProfile } from '../wire/profile.ts';

/** The bytes of an object in a bucket or of a file on the server's disk; throws when they cannot be had. */
export type ReadObject = (
  source:
    | { readonly kind: 'local'; readonly path: string }
    | {
        readonly kind: 'gcs';
        readonly bucket: string;
        readonly path: string;
        readonly serviceAccount: string;
      }
    | { readonly kind: 's3'; readonly bucket: string; readonly path: string },
) => Promise<Uint8Array>;

export interface ServerSettings {
  readonly clock: Clock;
  /** Host names that the instance answers to, with their port; empty: any. */
  readonly hosts: readonly string[];
  /** Which hashes the server takes at an import and within which limits. */
  readonly profile: TargetProfile;
  /** True or false; throws when nothing can verify such a hash. */
  readonly verifyPassword: (password: string, hash: string) => Promise<boolean>;
  readonly hashPassword: (password: string) => Promise<string>;
  /** Seconds that one imported user costs, counted and not waited for: rehearses the timeout of a bulk import. */
  readonly secondsPerUser: number;
  /** Seconds after which whatever stands before the service cuts a call; 0: never. */
  readonly cutAfterSeconds: number;
  readonly readObject: ReadObject;
  /** What the real service would only write to its log: outcome of background imports. */
  readonly log: (line: string) => void;
}
