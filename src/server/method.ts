/**
 * A method of the service as data: route, permission, request, response and handler. The tables are in `methods/`.
 * `app.ts` runs them all in the same order of processing.
 */
import { type details, detailsResponse } from '../wire/details.ts';
import {
  type Input,
  isMessage,
  type Message,
  message,
  type Output,
  type Shape,
  shortText,
} from '../wire/message.ts';
import type { Context } from 'hono';
import type { ImportDataRequest } from '../wire/import.ts';
import type { TargetProfile } from '../wire/profile.ts';
import type { MemberRow, Notification, UserRow } from './store/rows.ts';
import type { ListView, Store } from './store/store.ts';
import type { WebKey } from './web-key.ts';
import type { TargetCaller } from './actions/call-target.ts';
import type { MethodNames } from './actions/names.ts';
import type { ReferenceServerOptions } from './options.ts';
import type { Recent } from './recent.ts';

/** `authenticated` means any token. Otherwise a permission of `roles.ts`. */
export type Permission = 'authenticated' | (string & {});

export const verbs = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Verb = (typeof verbs)[number];

/** For example `POST /v2/users/:userId/lock`. A name after a colon is a field of the request. */
export type Route = `${Verb} /${string}`;

type PathField<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathField<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;
type PathFields<Path extends string> = Readonly<Record<PathField<Path>, string>>;

export interface Method {
  /** Full name, such as `/zitadel.management.v1.ManagementService/ImportHumanUser`. */
  readonly rpc: string;
  readonly route: Route;
  readonly permission: Permission;
  readonly request: Message;
  readonly response: Message;
  /** HTTP status of success, if not 200. */
  readonly status?: number;
  /** Whether the method reads the body of a DELETE. By default it is ignored. */
  readonly bodyOnDelete?: boolean;
  /** Returns the organization that the request itself names. It wins over the header's and the caller's. */
  readonly org?: (request: unknown, call: Pick<Call, 'store'>) => string | undefined;
  readonly handle: (call: Call, request: unknown) => unknown;
}

/** The request that a handler receives. It includes the fields of the path, which need not be declared. */
type Asked<Path extends Route, Req> = PathFields<Path> & Output<Req>;

type Definition<Path extends Route, Req, Res> = Pick<Method, 'status' | 'bodyOnDelete'> & {
  /** By default only the fields of the path. */
  readonly request?: Req;
  /** By default only the details of the change, which `handle` then returns. */
  readonly response?: Res;
  readonly org?: (request: Asked<Path, NoInfer<Req>>, call: Pick<Call, 'store'>) => string | undefined;
  /** No type is inferred from the handler: the compiler would have to walk through whole message types. */
  readonly handle: (
    call: Call,
    request: Asked<Path, NoInfer<Req>>,
  ) => Input<NoInfer<Res>> | Promise<Input<NoInfer<Res>>>;
};

/** Returns a function that types the definition of one method. The tables hold methods of all types. */
const service =
  (prefix: string) =>
  <
    const Path extends Route,
    Req extends Message | Shape = Shape,
    Res extends Message | Shape = typeof details,
  >(
    name: string,
    route: Path,
    permission: Permission,
    { request, response, handle, ...definition }: Definition<Path, Req, Res>,
  ) => {
    const path = Object.fromEntries(pathFields(route).map((name) => [name, shortText]));
    // `/zitadel.user.v2.UserService` -> `zitadel.user.v2`
    const inPackage = prefix.slice(1, prefix.lastIndexOf('.'));
    const asked: Message | Shape = request ?? {};
    const answered: Message | Shape = response ?? detailsResponse;
    const method = {
      rpc: `${prefix}/${name}`,
      route,
      permission,
      request: isMessage(asked) ? asked : message(`${inPackage}.${name}Request`, { ...path, ...asked }),
      response: isMessage(answered) ? answered : message(`${name}Response`, answered),
      handle:
        response === undefined
          ? async (...asked: Parameters<typeof handle>) => ({ details: await handle(...asked) })
          : handle,
      ...definition,
    };
    return method as unknown as Method;
  };

/** `/v2/users/:userId/keys/:keyId` -> `userId`, `keyId` */
const pathFields = (route: Route) => Array.from(route.matchAll(/:(\w+)/g), ([, name = '']) => name);

export const management = service('/zitadel.management.v1.ManagementService');
export const admin = service('/zitadel.admin.v1.AdminService');
export const auth = service('/zitadel.auth.v1.AuthService');
export const users = service('/zitadel.user.v2.UserService');
export const organizations = service('/zitadel.org.v2.OrganizationService');
export const sessions = service('/zitadel.session.v2.SessionService');
export const actions = service('/zitadel.action.v2.ActionService');
export const actionsV3 = service('/zitadel.action.v3alpha.ActionService');

/** Restrictions that the control interface can change while the server runs. */
interface Restrictions {
  /** Whether the instance is blocked. Every call is then refused before its token is checked. */
  blocked: boolean;
  /** Number of calls with a token that are still allowed. Null for no quota. */
  quota: number | null;
}

export interface ServerState {
  readonly store: Store;
  /** The store as lists see it, which may lag behind. */
  readonly lists: ListView;
  readonly settings: ServerSettings;
  /** Signs tokens and the payloads of targets. */
  readonly webKey: WebKey;
  readonly restrictions: Restrictions;
  /** Names that conditions of executions may use. */
  readonly names: MethodNames;
  readonly targetCaller: TargetCaller;
  /** What the control interface shows: calls of targets, requests, log lines, and messages that would have been sent. */
  readonly recent: Readonly<Record<'calls' | 'requests' | 'lines', Recent<unknown>>> & {
    readonly notifications: Recent<Notification>;
  };
  /** Runs work after the answer. The server waits for it when it closes. */
  readonly background: (work: () => Promise<void>) => void;
}

/** The user whom a token belongs to. */
export interface Caller {
  readonly user: UserRow;
  readonly memberships: readonly MemberRow[];
  readonly token: 'pat' | 'access';
}

/** One call of a method that needs a token. */
export interface Call extends ServerState {
  readonly caller: Caller;
  /** Organization that the call is about: the request's, the header's, or else the caller's own. */
  readonly orgId: string;
  /** Request and its connection. */
  readonly http: Context;
}

/** The options with their defaults, and values derived from them. */
export interface ServerSettings extends Required<
  Pick<
    ReferenceServerOptions,
    'clock' | 'hosts' | 'secondsPerUser' | 'storageEndpoint' | 'brand' | 'allowPrivateTargets' | 'actions'
  >
> {
  /** Which hashes an import accepts, and within which limits. */
  readonly profile: TargetProfile;
  /** Rejects if no verifier knows the hash. */
  readonly verifyPassword: (password: string, hash: string) => Promise<boolean>;
  readonly hashPassword: (password: string) => Promise<string>;
  /** Seconds after which a proxy in front of the service cuts a call. 0 means never. */
  readonly cutAfterSeconds: number;
  /** Returns the data of an import that is not in the request. Rejects if it cannot be read. */
  readonly readObject: (request: ImportDataRequest) => Promise<Uint8Array>;
  /** Maximum number of sessions and messages. The oldest are dropped first. */
  readonly keptRows: number;
  /** Whether a seed runs: no email or SMS is recorded, and users keep the state given for them. */
  readonly isSeed?: boolean;
  /** Receives, for example, the outcome of background imports, which the real service only writes to its log. */
  readonly log: (line: string) => void;
}
