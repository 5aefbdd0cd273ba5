/**
 * What a handler gets: the store, the settings of the server, the caller, the organization and the headers of the
 * call.
 */
import type { Context } from 'hono';
import type { TargetProfile } from '../wire/profile.ts';
import type { MemberRow, UserRow } from './store/rows.ts';
import type { ListView } from './store/list-view.ts';
import type { Store } from './store/store.ts';
import type { WebKey } from './web-key.ts';
import type { MethodNames } from './actions/names.ts';
import type { ReferenceServerOptions } from './options.ts';

/** Switched while the server runs, by the control interface. */
export interface Restrictions {
  /** The instance is blocked: every call is refused before its token is looked at. */
  blocked: boolean;
  /** Calls with a token that are left; undefined: no quota. */
  quota: number | undefined;
}

export interface ServerState {
  readonly store: Store;
  /** What lists show. */
  readonly lists: ListView;
  readonly settings: ServerSettings;
  /** Signs tokens and payloads of targets. */
  readonly webKey: WebKey;
  readonly restrictions: Restrictions;
  /** What conditions of executions may name. */
  readonly names: MethodNames;
  /** Runs work after the answer; the server waits for it when it closes. */
  readonly background: (work: () => Promise<void>) => void;
}

/** Whose token it is. */
export interface Caller {
  readonly user: UserRow;
  /** Everything the caller is a member of. */
  readonly memberships: readonly MemberRow[];
  readonly token: 'pat' | 'access';
}

/** One call of a method that needs a token. */
export interface Call extends ServerState {
  readonly caller: Caller;
  /** The org the call is about: the header's, else the caller's own. */
  readonly orgId: string;
  /** Full name, `/zitadel.user.v2.UserService/AddHumanUser`. */
  readonly rpc: string;
  /** The request and its connection. */
  readonly http: Context;
}

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

/** The options with their defaults, and what is made of them. */
export interface ServerSettings extends Required<
  Pick<
    ReferenceServerOptions,
    'clock' | 'hosts' | 'secondsPerUser' | 'storageEndpoint' | 'brand' | 'allowPrivateTargets' | 'actions'
  >
> {
  /** Which hashes the server takes at an import and within which limits. */
  readonly profile: TargetProfile;
  /** True or false; throws when nothing can verify such a hash. */
  readonly verifyPassword: (password: string, hash: string) => Promise<boolean>;
  readonly hashPassword: (password: string) => Promise<string>;
  /** Seconds after which a proxy before the service cuts a call; 0: never. */
  readonly cutAfterSeconds: number;
  readonly readObject: ReadObject;
  /** Sessions and messages that are kept at most; the oldest go first. */
  readonly keptRows: number;
  /** No email or SMS is recorded. */
  readonly sendsNothing?: boolean;
  /** What the real service would only write to its log: outcome of background imports. */
  readonly log: (line: string) => void;
}
