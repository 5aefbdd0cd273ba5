/**
 * A method of the service as data: route, permission, request, response and handler. The tables are in
 * `methods/`; `app.ts` runs them all with the same order of processing.
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
import type { MemberRow, UserRow } from './store/rows.ts';
import type { ListView, Store } from './store/store.ts';
import type { WebKey } from './web-key.ts';
import type { TargetCaller } from './actions/call-target.ts';
import type { MethodNames } from './actions/names.ts';
import type { ReferenceServerOptions } from './options.ts';
import type { createRecent } from './recent.ts';

/** `authenticated`: any token. Else a permission of `roles.ts`. */
export type Permission = 'authenticated' | (string & {});

export const verbs = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Verb = (typeof verbs)[number];

/** `POST /v2/users/:userId/lock`; a name after a colon is a field of the request. */
export type Route = `${Verb} /${string}`;

type PathField<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathField<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;
type PathFields<Path extends string> = Readonly<Record<PathField<Path>, string>>;

export interface Method<Request = unknown, Response = unknown> {
  /** Full name: `/zitadel.management.v1.ManagementService/ImportHumanUser`. */
  readonly rpc: string;
  readonly route: Route;
  readonly permission: Permission;
  readonly request: Message;
  readonly response: Message;
  /** HTTP status of success, where it is not 200. */
  readonly status?: number;
  /** A DELETE that reads its body; others ignore it. */
  readonly bodyOnDelete?: boolean;
  /** The org that the request itself names, before the header's and the caller's. */
  readonly org?: (request: Request, call: Pick<Call, 'store'>) => string | undefined;
  readonly handle: (call: Call, request: Request) => Response | Promise<Response>;
}

/** What the handler gets: the fields of the path come first, and need not be described. */
type Asked<Path extends Route, Req> = PathFields<Path> & Output<Req>;

type Definition<Path extends Route, Req, Res> = Pick<Method, 'status' | 'bodyOnDelete'> & {
  /** By default only the fields of the path. */
  readonly request?: Req;
  /** By default only the details of the change, which `handle` returns. */
  readonly response?: Res;
  readonly org?: (request: Asked<Path, NoInfer<Req>>, call: Pick<Call, 'store'>) => string | undefined;
  /** No type is inferred from it: the compiler would walk through whole message types. */
  readonly handle: (
    call: Call,
    request: Asked<Path, NoInfer<Req>>,
  ) => Input<NoInfer<Res>> | Promise<Input<NoInfer<Res>>>;
};

/** Gives a definition of a method its types; the tables hold methods of all types. */
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
  ): Method => {
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
export const pathFields = (route: Route): readonly string[] =>
  Array.from(route.matchAll(/:(\w+)/g), ([, name = '']) => name);

export const management = service('/zitadel.management.v1.ManagementService');
export const admin = service('/zitadel.admin.v1.AdminService');
export const auth = service('/zitadel.auth.v1.AuthService');
export const users = service('/zitadel.user.v2.UserService');
export const organizations = service('/zitadel.org.v2.OrganizationService');
export const sessions = service('/zitadel.session.v2.SessionService');
export const actions = service('/zitadel.action.v2.ActionService');
export const actionsV3 = service('/zitadel.action.v3alpha.ActionService');

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
  readonly targetCaller: TargetCaller;
  /** Calls of targets, requests and lines of the log, for the control interface. */
  readonly recent: Readonly<Record<'calls' | 'requests' | 'lines', ReturnType<typeof createRecent>>>;
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
