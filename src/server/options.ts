/** The options of a reference server, and its public interface. */
import type { Clock } from '../lib/clock.ts';
import type { TargetProfile } from '../wire/profile.ts';
import type { KeyFile } from '../wire/token.ts';

/** The standard callers, each with a personal access token. `nobody` belongs to the organization but has no role. */
export const standardRoles = ['iamOwner', 'iamViewer', 'orgOwner', 'nobody'] as const;
export type StandardRole = (typeof standardRoles)[number];

/** One string for each standard caller. */
type ByRole = Readonly<Record<StandardRole, string>>;

export interface ReferenceServerOptions {
  readonly orgId?: string | undefined;
  readonly orgName?: string;
  /** Domain of the instance. Organizations get `<name>.<domain>`. */
  readonly domain?: string | undefined;
  /** Fixed tokens for tests. Others are random. */
  readonly tokens?: Partial<ByRole> | undefined;
  /**
   * What the server accepts, and its limits: the name of a built-in profile, or a profile of your own. Default:
   * `hosted`.
   */
  readonly profile?: string | TargetProfile;
  /** Requests per second and address, measured over a minute. Null for no limit. Default: the profile's. */
  readonly rate?: number | null | undefined;
  /** Whether 429 answers have a `Retry-After` header. The hosted service sends none. */
  readonly retryAfter?: boolean;
  /**
   * How method names begin in lists of conditions and in payloads. `zitadel` (the default) is what the real service
   * writes (`/zitadel.user.v2...`); `service` is what its documentation shows.
   */
  readonly brand?: 'service' | 'zitadel';
  /** Whether targets of actions may have private and loopback addresses. Default: true. */
  readonly allowPrivateTargets?: boolean;
  /** If false, `/v3alpha` answers that the actions feature is not enabled. `/v2` does not check this. Default: true. */
  readonly actions?: boolean;
  /** If false, there is no `/_idport/`. Default: true. */
  readonly control?: boolean;
  readonly controlToken?: string | undefined;
  /** Whether clients can read the profile, which no real service offers. Default: false. */
  readonly tellProfile?: boolean;
  /** Domains of the instance, with or without a port. `*` allows any. Local names and addresses always work. */
  readonly hosts?: readonly string[];
  /** Largest request body in bytes. */
  readonly maxBody?: number;
  /** Milliseconds that lists lag behind writes. Look-ups by id never lag. Default: 0. */
  readonly lag?: number;
  /** Seconds that one imported user costs. They are counted, not waited for, to rehearse the timeout of a bulk import. */
  readonly secondsPerUser?: number;
  /** Seconds after which a call is cut. 0 means never. Default: the profile's. */
  readonly cutAfterSeconds?: number | undefined;
  /** Replaces the address of Google's storage in imports and exports. */
  readonly storageEndpoint?: string | undefined;
  readonly clock?: Clock;
  /** Receives lines that the real service would only log. */
  readonly onLog?: (line: string) => void;
}

export interface ListenOptions {
  /** 0 means any free port. */
  readonly port?: number;
  /** Default: loopback. */
  readonly host?: string;
  readonly limits?: Partial<ConnectionLimits>;
  /**
   * Whether the process does nothing else, so that the adapter may replace the global `Request` and `Response` with
   * faster ones. Do not set it within a test run or another program.
   */
  readonly ownProcess?: boolean | undefined;
}

/** Limits of a connection. All are in milliseconds. */
export interface ConnectionLimits {
  /** Time until the last header has arrived. */
  readonly headers: number;
  /** Time until the last byte of the body has arrived. */
  readonly request: number;
  /** Time until the next request on the same connection. */
  readonly idle: number;
  /** Time without any byte in either direction, as with a client that stops reading its answer. */
  readonly silent: number;
  /** Interval at which `headers` and `request` are checked. */
  readonly check: number;
}

export interface Listening {
  readonly port: number;
  /** For example `http://127.0.0.1:8080`, without a trailing slash. */
  readonly url: string;
  /** Accepts no new connections, and waits up to `grace` milliseconds until running requests are answered. */
  close(grace?: number): Promise<void>;
}

export interface ReferenceServer {
  readonly instanceId: string;
  readonly orgId: string;
  readonly users: ByRole;
  readonly tokens: ByRole;
  /** Calls the server without a socket, as in `app.request('/admin/v1/healthz')`. */
  readonly app: { request(path: string, init?: RequestInit): Response | Promise<Response> };
  /** Undefined if the control interface is off. */
  readonly controlToken: string | undefined;
  /** Creates a key of a service user for the JWT profile. Default: the instance owner. */
  readonly createKey: (userId?: string) => Promise<KeyFile>;
  readonly listen: (options?: ListenOptions) => Promise<Listening>;
  /** Returns to the initial state: the standard accounts with the same tokens and keys, and nothing else. */
  readonly reset: () => Promise<void>;
  /** Stores the users of an import body and returns the answer of an import. */
  readonly seed: (body: unknown) => Promise<object>;
  /**
   * Yields all organizations as an import body that `seed` accepts, in pieces. It has password hashes and TOTP secrets,
   * but not the standard accounts. Also works after `close`.
   */
  readonly dump: () => AsyncIterable<string>;
  /** Resolves when no background work is running. */
  readonly settled: () => Promise<void>;
  /** Answers running requests, then waits for background work. Waiting events are dropped. */
  readonly close: () => Promise<void>;
}
