/** Reads the body of a webhook call: the method, function or event, the caller, and the payload. */
import { firstText, isObject, type JsonObject, objectOf, tryParseJson } from '../lib/json-value.ts';

/** The form of the payload: plain JSON, JSON in a signed token, or a signed token inside an encrypted one. */
export type PayloadType = 'json' | 'jwt' | 'jwe' | 'unknown';

export type CallKind = 'request' | 'response' | 'function' | 'event' | 'unknown';

export interface WebhookCall {
  readonly kind: CallKind;
  /** Full method name, name of the function, or type of the event; empty if it cannot be read. */
  readonly name: string;
  /** Id of the calling user, for an event of its editor, for a function of the user who signs in; empty if it cannot be read. */
  readonly userId: string;
  readonly orgId: string;
  readonly instanceId: string;
  readonly payloadType: PayloadType;
  /** The JSON that was sent. For a JWT, its claims (its own signature is not checked); for a JWE, undefined. */
  readonly payload: unknown;
  /** Header of the JWT or JWE: algorithm and key id. */
  readonly tokenHeader: unknown;
  /** The body as received. */
  readonly body: Uint8Array;
}

/** Reads a call. Never throws: a body that cannot be read is `unknown`, because any body can have a valid signature. */
export function readCall(body: Uint8Array): WebhookCall {
  const text = Buffer.from(body).toString('utf8');
  const read = readPayload(text);
  const fields = objectOf(read.payload);
  const [kind, name] = classify(fields);
  return {
    ...read,
    kind,
    name,
    userId: firstText(fields, 'userID', 'userId') || firstText(objectOf(fields['user']), 'id'),
    orgId: firstText(fields, 'orgID', 'orgId', 'resourceOwner') || firstText(objectOf(fields['org']), 'id'),
    instanceId: firstText(fields, 'instanceID', 'instanceId'),
    body,
  };
}

function readPayload(text: string): Pick<WebhookCall, 'payloadType' | 'payload' | 'tokenHeader'> {
  const json = tryParseJson(text);
  if (json !== undefined) return { payloadType: 'json', payload: json, tokenHeader: undefined };
  const parts = text.trim().split('.');
  const tokenHeader = decodePart(parts[0] ?? '');
  if (!isObject(tokenHeader)) return { payloadType: 'unknown', payload: undefined, tokenHeader: undefined };
  if (parts.length === 3) return { payloadType: 'jwt', payload: decodePart(parts[1] ?? ''), tokenHeader };
  if (parts.length === 5) return { payloadType: 'jwe', payload: undefined, tokenHeader };
  return { payloadType: 'unknown', payload: undefined, tokenHeader: undefined };
}

function classify(fields: JsonObject): [CallKind, string] {
  const event = firstText(fields, 'event_type');
  if (event !== '') return ['event', event];
  const method = firstText(fields, 'fullMethod');
  if (method !== '') return ['response' in fields ? 'response' : 'request', method];
  const name = firstText(fields, 'function');
  return name === '' ? ['unknown', ''] : ['function', name.replace(/^function\//, '')];
}

function decodePart(part: string) {
  return /^[\w-]+$/.test(part) ? tryParseJson(Buffer.from(part, 'base64url').toString('utf8')) : undefined;
}
