/**
 * What a handler gets: the store, the settings of the server, the caller, the organization and the headers of the
 * call.
 */
import type { Context } from 'hono';
import type { ImportDataRequest } from '../wire/import.ts';
import type { TargetProfile } from '../wire/profile.ts';
import type { MemberRow, UserRow } from './store/rows.ts';
import type { ListView } from './store/list-view.ts';
import type { Store } from './store/store.ts';
import type { WebKey } from './web-key.ts';
import type { MethodNames } from './actions/names.ts';
import type { ReferenceServerOptions } from './options.ts';

/** Can be changed through the control interface while the server runs. */
interface Restrictions {
  /** The instance is blocked: every call is refused before its token is looked at. */
  blocked: boolean;
  /** Calls with a token that are still allowed; undefined for no quota. */
  quota: number | undefined;
}

export interface ServerState {
  readonly store: Store;
  /** The store as lists see it. */
  readonly lists: ListView;
  readonly settings: ServerSettings;
  /** Signs tokens and payloads of targets. */
  readonly webKey: WebKey;
  readonly restrictions: Restrictions;
  /** The names that conditions of executions may use. */
  readonly names: MethodNames;
  /** Runs work after the answer; the server waits for it when it closes. */
  readonly background: (work: () => Promise<void>) => void;
}

/** Whose token it is. */
export interface Caller {
  readonly user: UserRow;
  /** All memberships of the caller. */
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

/** The options with their defaults, and what is derived from them. */
export interface ServerSettings extends Required<
  Pick<
    ReferenceServerOptions,
    'clock' | 'hosts' | 'secondsPerUser' | 'storageEndpoint' | 'brand' | 'allowPrivateTargets' | 'actions'
  >
> {
  /** Which hashes the server takes at an import and within which limits. */
  readonly profile: TargetProfile;
  /** Throws when no verifier knows such a hash. */
  readonly verifyPassword: (password: string, hash: string) => Promise<boolean>;
  readonly hashPassword: (password: string) => Promise<string>;
  /** Seconds after which a proxy before the service cuts a call; 0: never. */
  readonly cutAfterSeconds: number;
  /** The data of an import that is not in the request; throws when it cannot be had. */
  readonly readObject: (request: ImportDataRequest) => Promise<Uint8Array>;
  /** Maximum number of sessions and messages; the oldest are dropped first. */
  readonly keptRows: number;
  /** No email or SMS is recorded, and users keep the state that they are said to have. */
  readonly isSeed?: boolean;
  /** The outcome of background imports, which the real service only writes to its log. */
  readonly log: (line: string) => void;
}
