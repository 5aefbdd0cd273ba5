/**
 * Finds the execution of a call or an event and calls its targets one after the other. They may change the message or
 * refuse the call. Request targets are called before the field rules, response targets after the handler.
 */
import type { Message } from '../../wire/message.ts';
import { createPublicKey } from 'node:crypto';
import { CompactEncrypt } from 'jose';
import { isObject, tryParseJson } from '../../lib/json-value.ts';
import { redactText } from '../../lib/redact.ts';
import { decode, encode } from '../../wire/codec.ts';
import { type GrpcCode, grpcToHttp } from '../../wire/errors.ts';
import { signBody } from '../../wire/signature.ts';
import { refusal, unknownError, ServiceError, refuseIf } from '../errors.ts';
import type { Call, ServerState, Method } from '../method.ts';
import { sortedBy } from '../paging.ts';
import { excerpt } from '../recent.ts';
import type { TargetRow, ExecutionRow } from '../store/rows.ts';
import type { TargetAnswer } from './call-target.ts';
import { brandedName, ofGroup } from './names.ts';
import { callPayload } from './payload.ts';
import type { Store } from '../store/store.ts';

interface TargetCalls extends Found {
  /** Name of the method or event. */
  readonly trigger: string;
  /**
   * Returns the body for the next target. Called before each target, because the previous one may have changed the
   * message.
   */
  readonly payload: () => string;
  /**
   * Replaces the message with a receiver's answer; throws if the answer is not such a message. Absent if nothing can be
   * changed.
   */
  readonly replace?: (body: string) => void;
}

/**
 * Calls the targets in order and waits for each, except for async ones. A failure counts only if its target has
 * `interruptOnError`: it is thrown, and the remaining targets are not called. No call is repeated.
 */
export async function callTargets(state: ServerState, calls: TargetCalls) {
  for (const target of calls.targets) {
    const payload = calls.payload();
    if (target.kind === 'async') {
      state.background(async () => {
        await send(state, calls, target, payload);
      });
      continue;
    }
    const answer = await send(state, calls, target, payload);
    try {
      const body = acceptedBody(answer);
      if (target.kind === 'call' && body !== '') calls.replace?.(body);
    } catch (error) {
      if (target.interruptOnError)
        throw error instanceof ServiceError ? error : unknownError((error as Error).message);
    }
  }
}

async function send(state: ServerState, calls: TargetCalls, target: TargetRow, payload: string) {
  const { settings, recent, targetCaller } = state;
  const { clock } = settings;
  const now = clock.now();
  const started = clock.monotonic();
  let body = payload;
  let signature = '';
  let answer: TargetAnswer;
  try {
    body = await seal(state, payload, target);
    signature = signBody(body, target.signingKey, now / 1000);
    answer = await targetCaller.call({
      endpoint: target.endpoint,
      body,
      signature,
      timeout: target.timeoutMs,
    });
  } catch (error) {
    answer = { status: undefined, problem: (error as Error).message };
  }
  recent.calls.add({
    id: recent.calls.total + 1,
    /** Milliseconds since 1970. */
    at: now,
    executionId: calls.execution.id,
    targetId: target.id,
    endpoint: target.endpoint,
    trigger: calls.trigger,
    /** Undefined if no answer came. */
    status: answer.status,
    problem: answer.status === undefined ? answer.problem : undefined,
    ms: Math.round(clock.monotonic() - started),
    signature,
    /** Secrets redacted, cut to a readable length. */
    body: excerpt(redactText(payload)),
  });
  return answer;
}

/** A message that receivers may replace. */
function replaceable(schema: Message, value: unknown) {
  let current = value;
  return {
    current: () => current,
    /** Returns the message as JSON: camelCase, without defaults. */
    json: () => encode(schema, current),
    /** Unlike a client's body, a receiver's body must not have unknown fields. */
    replace: (body: string) => {
      current = decode(schema, Buffer.from(body), true);
    },
  };
}

/** Returns the payload in the target's format. Throws if it has to be encrypted and the target has no active key. */
async function seal({ store, webKey }: ServerState, payload: string, { id, payloadType }: TargetRow) {
  if (payloadType === 'PAYLOAD_TYPE_JWT') return webKey.sign(payload);
  if (payloadType !== 'PAYLOAD_TYPE_JWE') return payload;
  const now = store.now();
  const key = store.targetKeys.by('target', id).find((one) => one.active && one.expires > now);
  if (key === undefined) throw new Error('no active public key for the target');
  const publicKey = createPublicKey(key.publicKey);
  const alg = publicKey.asymmetricKeyType === 'rsa' ? 'RSA-OAEP-256' : 'ECDH-ES+A256KW';
  return new CompactEncrypt(Buffer.from(await webKey.sign(payload)))
    .setProtectedHeader({ alg, enc: 'A256GCM', kid: key.id, typ: 'JWT', cty: 'JWT' })
    .encrypt(publicKey);
}

/** Statuses that an answer can forward. Any other becomes the code of the error. */
const forwarded = [400, 401, 403, 404, 409, 429];

/**
 * Returns the body of an answer. Throws if there was no answer, if its status is not 2xx, or if its body forwards a
 * status.
 */
function acceptedBody(answer: TargetAnswer) {
  if (answer.status === undefined) throw unknownError(answer.problem);
  refuseIf(answer.status < 200 || answer.status > 299, 'EXEC-dra6yamk98');
  if (answer.body.includes('forwardedStatusCode')) throwForwarded(tryParseJson(answer.body));
  return answer.body;
}

/**
 * Throws the error in a body such as `{"forwardedStatusCode": 403, "forwardedErrorMessage": "not you"}`, if it has one.
 */
function throwForwarded(body: unknown) {
  if (!isObject(body)) return;
  const { forwardedStatusCode: status, forwardedErrorMessage: text } = body;
  if (typeof status !== 'number' || status === 0) return;
  refuseIf(status < 400 || status > 499, 'EXEC-bmhNhpcqpF');
  const key = typeof text === 'string' ? text : '';
  const code = forwarded.includes(status) ? (grpcToHttp.indexOf(status) as GrpcCode) : undefined;
  throw refusal('EXEC-reUaUZCzCp', { code, key });
}

/**
 * Calls the targets of the request or, if `answer` is given, those of the response. Resolves to the message to continue
 * with. Returns undefined if there is no target to call.
 */
export function callExecution(
  method: Method,
  call: Call,
  request: unknown,
  answer?: { readonly response: unknown },
) {
  const { store, settings } = call;
  const found = matchExecution(store, `${answer === undefined ? 'request' : 'response'}${method.rpc}`);
  if (found === undefined || found.targets.length === 0) return undefined;
  const asked = replaceable(method.request, request);
  const answered = answer && replaceable(method.response, answer.response);
  const message = answered ?? asked;
  const trigger = brandedName(method.rpc, settings.brand);
  return callTargets(call, {
    ...found,
    trigger,
    payload: () => callPayload(call, trigger, found.execution.generation, asked.json(), answered?.json()),
    replace: message.replace,
  }).then(message.current);
}

type Found = NonNullable<ReturnType<typeof matchExecution>>;

/**
 * Returns the one execution that applies to `request/...`, `response/...` or `event/...`, with its targets in order, or
 * undefined. It is the one with the longest id that the requested name starts with (for a group of events, the id without
 * `.*`). This is a plain prefix: a condition on `.../Get` also catches `.../GetMore` if nothing fits better.
 */
export function matchExecution(store: Store, requested: string) {
  const fitting = store.executions
    .list()
    .filter((row) => row.targets.length > 0 && requested.startsWith(ofGroup(row.id)));
  const execution = sortedBy(fitting, (row) => ofGroup(row.id).length).at(-1);
  return execution && { execution, targets: targetsOf(store, execution, new Set()) };
}

function targetsOf(store: Store, { id, targets }: ExecutionRow, seen: Set<string>): TargetRow[] {
  if (seen.has(id)) return [];
  seen.add(id);
  return targets.flatMap((entry) => {
    if (typeof entry === 'string') return store.targets.get(entry) ?? [];
    const included = store.executions.get(entry.include);
    return included === undefined ? [] : targetsOf(store, included, seen);
  });
}
