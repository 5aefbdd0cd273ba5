/** The options of a reference server, and its public interface. */
import type { Clock } from '../lib/clock.ts';
import type { TargetProfile } from '../wire/profile.ts';
import type { KeyFile } from '../wire/token.ts';

/** The standard callers, each with a personal access token. `nobody` belongs to the organization and has no role. */
export const standardRoles = ['iamOwner', 'iamViewer', 'orgOwner', 'nobody'] as const;
export type StandardRole = (typeof standardRoles)[number];

/** One text for each standard caller. */
type ByRole = Readonly<Record<StandardRole, string>>;

export interface ReferenceServerOptions {
  readonly orgId?: string | undefined;
  readonly orgName?: string;
  /** Domain of the instance; orgs get `<name>.<domain>`. */
  readonly domain?: string;
  /** Fixed tokens for tests; random ones otherwise. */
  readonly tokens?: Partial<ByRole> | undefined;
  /**
   * What the server accepts and its limits: the name of a built-in profile, or one of your own. `hosted` by default.
   */
  readonly profile?: string | TargetProfile;
  /** Requests per second and address, over a minute; null for no limit. By default the profile's. */
  readonly rate?: number | null | undefined;
  /** Adds `Retry-After` to 429 answers, which the hosted service does not. */
  readonly retryAfter?: boolean;
  /**
   * How method names begin in lists of conditions and in payloads: `zitadel` by default, as the real service writes
   * `/zitadel.user.v2...`; `service` as its documentation does.
   */
  readonly brand?: 'service' | 'zitadel';
  /** Targets of actions may have private and loopback addresses; true by default. */
  readonly allowPrivateTargets?: boolean;
  /** False: `/v3alpha` answers that the actions feature is not enabled; `/v2` never asks. */
  readonly actions?: boolean;
  /** False: no `/_idport/`. */
  readonly control?: boolean;
  readonly controlToken?: string | undefined;
  /** Shows clients its profile, as no real service does; false by default. */
  readonly tellProfile?: boolean;
  /** Domains of the instance, with or without port; `*` for any. Local names and addresses always work. */
  readonly hosts?: readonly string[];
  /** Longest request body in bytes. */
  readonly maxBody?: number;
  /** Milliseconds that lists lag behind writes, 0 by default; look-ups by id never lag. */
  readonly lag?: number;
  /** Seconds that one imported user costs, counted and not waited for: rehearses the timeout of a bulk import. */
  readonly secondsPerUser?: number;
  /** Seconds after which a call is cut; by default the profile's, 0 for never. */
  readonly cutAfterSeconds?: number | undefined;
  /** Replaces Google's storage in imports and exports. */
  readonly storageEndpoint?: string | undefined;
  readonly clock?: Clock;
  /** Lines that the real service would only log. */
  readonly onLog?: (line: string) => void;
}

export interface ListenOptions {
  /** 0 for any free one. */
  readonly port?: number;
  /** Loopback by default. */
  readonly host?: string;
  readonly limits?: Partial<ConnectionLimits>;
  /**
   * The process does nothing else, so the adapter may replace the global `Request` and `Response` by faster ones. Not
   * within a test run or another program.
   */
  readonly ownProcess?: boolean | undefined;
}

/** All in milliseconds, except `headerBytes`. */
export interface ConnectionLimits {
  /** Until the last header has come. */
  readonly headers: number;
  /** Until the last byte of the body has come. */
  readonly request: number;
  /** Until the next request on the same connection. */
  readonly idle: number;
  /** Without any byte in either direction: a client that no longer reads its answer. */
  readonly silent: number;
  readonly headerBytes: number;
  /** How often the first two are checked. */
  readonly check: number;
}

export interface Listening {
  readonly port: number;
  /** `http://127.0.0.1:8080`, without a slash at the end. */
  readonly url: string;
  /** No new connections; requests that run are answered first, for `grace` milliseconds at most. */
  close(grace?: number): Promise<void>;
}

export interface ReferenceServer {
  readonly instanceId: string;
  readonly orgId: string;
  readonly users: ByRole;
  readonly tokens: ByRole;
  /** Calls the server without a socket: `app.request('/admin/v1/healthz')`. */
  readonly app: { request(path: string, init?: RequestInit): Response | Promise<Response> };
  /** Undefined without a control interface. */
  readonly controlToken: string | undefined;
  /** A new key of a service user, for the JWT profile; of the instance owner by default. */
  readonly createKey: (userId?: string) => Promise<KeyFile>;
  readonly listen: (options?: ListenOptions) => Promise<Listening>;
  /** Back to the start: the standard accounts with the same tokens and keys, and nothing else. */
  readonly reset: () => Promise<void>;
  /** Takes an import body as if it had been imported; gives the answer of the import. */
  readonly seed: (body: unknown) => Promise<object>;
  /**
   * All organizations as an import body that `seed` takes, in pieces: with password hashes and TOTP secrets, without
   * the standard accounts. Also after `close`.
   */
  readonly dump: () => AsyncIterable<string>;
  /** Waits for background work. */
  readonly settled: () => Promise<void>;
  /** Answers running requests, then ends background work; waiting events are dropped. */
  readonly close: () => Promise<void>;
}
