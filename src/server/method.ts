/**
 * A method of the service as data: routes, permission, request, response and handler. Tables of them stand in
 * `methods/`; `app.ts` runs them all in the same order of processing.
 */
import type { z } from 'zod';
import type { Call } from './context.ts';

/** `authenticated`: any token. `none`: no token at all. Else a permission of `roles.ts`. */
export type Permission = 'none' | 'authenticated' | (string & {});

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** `POST /v2/users/{user_id}/lock`; what stands in braces is a field of the request. */
export type Route = `${Verb} /${string}`;

export interface Method<Request = unknown, Response = unknown> {
  /** Full name: `/zitadel.management.v1.ManagementService/ImportHumanUser`. */
  readonly rpc: string;
  readonly routes: readonly Route[];
  readonly permission: Permission;
  readonly request: z.ZodType;
  readonly response: z.ZodType;
  /** HTTP status of success, where it is not 200. */
  readonly status?: number;
  /** A DELETE that reads its body; others ignore it. */
  readonly bodyOnDelete?: boolean;
  /** The org that the request itself names, before the header's and the caller's. */
  readonly org?: (request: Request, call: Pick<Call, 'store'>) => string | undefined;
  readonly handle: (call: Call, request: Request) => Response | Promise<Response>;
}

export interface MethodDefinition<Req extends z.ZodType, Res extends z.ZodType> {
  readonly rpc: string;
  readonly routes: readonly Route[];
  readonly permission: Permission;
  readonly request: Req;
  readonly response: Res;
  readonly status?: number;
  readonly bodyOnDelete?: boolean;
  readonly org?: (request: z.output<Req>, call: Pick<Call, 'store'>) => string | undefined;
  readonly handle: (call: Call, request: z.output<Req>) => z.input<Res> | Promise<z.input<Res>>;
}

/** Gives a definition its types; the tables hold methods of all types. */
export function method<Req extends z.ZodType, Res extends z.ZodType>(
  definition: MethodDefinition<Req, Res>,
): Method {
  return definition as unknown as Method;
}
