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
import type { Call } from './context.ts';

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
