/** The options of a reference server, and the server that they make. */
import type { Hono } from 'hono';
import type { z } from 'zod';
import type { IdportError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { importDataResponse } from '../wire/import.ts';
import type { TargetProfile } from '../wire/profile.ts';
import type { KeyFile } from '../wire/token.ts';
import type { Brand } from './actions/names.ts';
import type { Bootstrapped, BootstrapOptions } from './bootstrap.ts';
import type { ServerState } from './context.ts';
import type { Listening, ListenOptions } from './listen.ts';

export interface ReferenceServerOptions extends BootstrapOptions {
  /** What the server takes and how strict it is; a built-in name or a profile of your own. `hosted` by default. */
  readonly profile?: string | TargetProfile;
  /** Requests a second and address, over a minute; null for no limit. By default what the profile says. */
  readonly rate?: number | null;
  /** Adds `Retry-After` to refusals for the rate, which the hosted service does not. */
  readonly retryAfter?: boolean;
  /** Of method names that go out. */
  readonly brand?: Brand;
  /** Targets of actions may stand at private and loopback addresses; true by default. */
  readonly allowPrivateTargets?: boolean;
  /** False: `/v3alpha` answers that the actions feature is not enabled. */
  readonly actions?: boolean;
  /** False: no `/_idport/`. */
  readonly control?: boolean;
  readonly controlToken?: string;
  /** Domains that clients reach the instance by, with or without port; `*` for any. Local names and addresses always work. */
  readonly hosts?: readonly string[];
  /** Longest request body in bytes, before anybody looks at what is in it. */
  readonly maxBody?: number;
  /** Milliseconds that lists lag behind writes, 0 by default; look-ups by id never lag. */
  readonly lag?: number;
  /** Seconds that one imported user costs, counted and not waited for. */
  readonly secondsPerUser?: number;
  /** Seconds after which a call is cut; by default what the profile says, 0 for never. */
  readonly cutAfterSeconds?: number;
  /** Stands in for Google's storage in imports and exports. */
  readonly storageEndpoint?: string;
  /** A folder that keeps the state; memory only without it. */
  readonly data?: string;
  /** The folder took no more. */
  readonly onFailure?: (error: IdportError) => void;
  readonly clock?: Clock;
  /** Lines that the real service would only log. */
  readonly onLog?: (line: string) => void;
}

export interface ReferenceServer extends Bootstrapped {
  /** Everything but the socket: `app.request('/admin/v1/healthz')`. */
  readonly app: Hono;
  readonly state: ServerState;
  /** Undefined without a control interface. */
  readonly controlToken: string | undefined;
  /** Rows that `data` brought back. */
  readonly restored: number;
  /** A new key of a service user, for the JWT profile; of the instance owner by default. */
  readonly createKey: (userId?: string) => Promise<KeyFile>;
  readonly listen: (options?: ListenOptions) => Promise<Listening>;
  /** Back to the start: the standard accounts with the same tokens, and nothing else. */
  readonly reset: () => Promise<void>;
  /** Takes an import body as if it had been imported; gives the answer of the import. */
  readonly seed: (body: unknown) => Promise<z.input<typeof importDataResponse>>;
  /** Waits for everything that runs behind answers. */
  readonly settled: () => Promise<void>;
  /** Answers running requests, ends background work (waiting events are dropped), then closes the folder. */
  readonly close: () => Promise<void>;
}
