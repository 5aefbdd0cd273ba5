/** Builds the body that a target receives for a call or an event. */
import { renamed, snakeCase } from '../../wire/member-names.ts';
import { formatTimestamp } from '../../wire/scalars.ts';
import { escapeForHtml } from '../../wire/signature.ts';
import type { Call } from '../method.ts';
import { addressOf } from '../limits/connection.ts';
import type { Generation, UserRow } from '../store/rows.ts';
import { userFields } from '../users/show.ts';
import { humanAdded } from './names.ts';

/**
 * Returns the body for a call. `request` and `response` are the messages as JSON, in camelCase.
 * A second-generation execution gets what the real service sends: `request` in camelCase, and five forwarded headers. A
 * first-generation one gets what the interface description shows: `request` in snake_case, and no headers. Absent parts
 * are left out. `<`, `>` and `&` are escaped as Go does it.
 */
export function callPayload(
  call: Call,
  fullMethod: string,
  generation: Generation,
  request: unknown,
  response: unknown,
) {
  const shape =
    generation === 'v2' ? (value: unknown) => value : (value: unknown) => renamed(value, snakeCase);
  const projectId = call.caller.token === 'pat' ? undefined : call.store.instance.projectId;
  return escapeForHtml(
    JSON.stringify({
      fullMethod,
      instanceID: call.store.instance.instanceId,
      orgID: call.orgId,
      projectID: projectId,
      userID: call.caller.user.id,
      request: shape(request),
      response: shape(response),
      headers: generation === 'v2' ? forwardedHeaders(call) : undefined,
    }),
  );
}

/** Returns the headers as the gateway writes them. The content type is that of its gRPC call, not the client's. */
function forwardedHeaders({ http }: Call) {
  const host = http.req.header('host');
  const addresses = [http.req.header('x-forwarded-for'), addressOf(http)].filter(
    (text) => text !== undefined,
  );
  const headers = {
    'Content-Type': 'application/grpc',
    Host: host,
    Origin: http.req.header('origin'),
    'X-Forwarded-For': addresses.length === 0 ? undefined : addresses.join(', '),
    'X-Forwarded-Host': http.req.header('x-forwarded-host') ?? host,
  };
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, [value]]])),
  );
}

/**
 * Returns the body that an execution on events receives for a new user. The real service includes the password hash;
 * this server does not.
 */
export function userAddedPayload(user: UserRow, instanceId: string) {
  return escapeForHtml(
    JSON.stringify({
      aggregateID: user.id,
      aggregateType: 'user',
      resourceOwner: user.orgId,
      instanceID: instanceId,
      version: 'v2',
      sequence: 1,
      event_type: humanAdded,
      created_at: formatTimestamp(user.created),
      userID: user.editor,
      event_payload: userFields(user),
    }),
  );
}
