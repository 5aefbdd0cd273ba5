/** What a handler knows: the server's store and settings, who calls, for which org, and the headers of the call. */
import type { ServerSettings } from './settings.ts';
import type { MemberRow, UserRow } from './store/rows.ts';
import type { Store } from './store/store.ts';
import type { WebKey } from './web-key.ts';

export interface ServerState {
  readonly store: Store;
  readonly settings: ServerSettings;
  /** Signs tokens and payloads of targets. */
  readonly webKey: WebKey;
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
  /** `https://host` or `http://host`, as the client sees this server. */
  readonly origin: string;
  header(name: string): string | undefined;
}
