/** Creates and changes targets, with the refusals of the service. */
import type { PayloadType } from '../../wire/actions.ts';
import { durationMs } from '../../wire/scalars.ts';
import type { Call } from '../context.ts';
import { refusal, notUnique } from '../errors.ts';
import { isDeniedHost } from './denied-hosts.ts';
import { newSigningKey, type ActionsSetup, type TargetKind, type TargetRow } from './registry.ts';
import type { ServiceErrorId } from '../../wire/service-errors.ts';

/** The part of a request that says what kind of target it is; exactly one member is set. */
export interface TargetTypeFields {
  readonly restWebhook?: { readonly interruptOnError: boolean } | undefined;
  readonly restCall?: { readonly interruptOnError: boolean } | undefined;
  readonly restAsync?: Record<string, never> | undefined;
}

/** What a request of either generation says of a target; what a change leaves out stays as it is. */
interface RequestedTarget extends TargetTypeFields {
  readonly name?: string | undefined;
  readonly endpoint?: string | undefined;
  /** As protobuf writes it; empty for none. */
  readonly timeout: string;
  /** The first generation has JSON only. */
  readonly payloadType?: PayloadType | number;
  /** Not empty: a new signing key, and the old one is gone at once. */
  readonly expirationSigningKey?: string;
}

/** Without a known type the payload is JSON. */
const payloadTypeOf = (value: PayloadType | number = 'PAYLOAD_TYPE_JSON'): PayloadType =>
  typeof value === 'number' ? 'PAYLOAD_TYPE_UNSPECIFIED' : value;

export async function createTarget(
  setup: ActionsSetup,
  { store, settings }: Call,
  requested: RequestedTarget & { readonly name: string; readonly endpoint: string },
): Promise<TargetRow> {
  const { name, endpoint } = requested;
  const timeout = durationMs(requested.timeout);
  if (timeout === 0) throw refusal('COMMAND-39f35d8uri');
  await requireEndpoint(setup, endpoint, 'COMMAND-1r2k6qo6wg');
  const id = store.nextId();
  requireFreeName(setup, name, id);
  const now = settings.clock.now();
  return setup.registry.targets.put({
    id,
    name,
    ...readType(requested)!,
    endpoint,
    timeout,
    payloadType: payloadTypeOf(requested.payloadType),
    signingKey: newSigningKey(),
    created: now,
    changed: now,
    sequence: 1,
  });
}

export async function changeTarget(
  setup: ActionsSetup,
  { settings }: Call,
  id: string,
  change: RequestedTarget,
): Promise<TargetRow> {
  const { name, endpoint, payloadType = 'PAYLOAD_TYPE_UNSPECIFIED', expirationSigningKey = '' } = change;
  const timeout = change.timeout === '' ? undefined : durationMs(change.timeout);
  if (timeout === 0) throw refusal('COMMAND-08b39vdi57');
  if (endpoint !== undefined) await requireEndpoint(setup, endpoint, 'COMMAND-jsbaera7b6');
  const before = requireTarget(setup, id, 'COMMAND-xj14f2cccn');
  if (name !== undefined) requireFreeName(setup, name, id);
  const after: TargetRow = {
    ...before,
    name: name ?? before.name,
    ...readType(change),
    endpoint: endpoint ?? before.endpoint,
    timeout: timeout ?? before.timeout,
    payloadType: payloadType === 'PAYLOAD_TYPE_UNSPECIFIED' ? before.payloadType : payloadTypeOf(payloadType),
    signingKey: expirationSigningKey === '' ? before.signingKey : newSigningKey(),
  };
  if (JSON.stringify(after) === JSON.stringify(before)) return before;
  return setup.registry.targets.put({
    ...after,
    changed: settings.clock.now(),
    sequence: before.sequence + 1,
  });
}

function requireFreeName({ registry }: ActionsSetup, name: string, id: string): void {
  const taken = [...registry.targets.values()].some((target) => target.name === name && target.id !== id);
  if (taken) throw notUnique('Target');
}

/** `errorId` differs by what was asked for. */
export function requireTarget(setup: ActionsSetup, id: string, errorId: ServiceErrorId): TargetRow {
  const row = setup.registry.targets.get(id);
  if (row === undefined) throw refusal(errorId);
  return row;
}

async function requireEndpoint(
  setup: ActionsSetup,
  endpoint: string,
  errorId: ServiceErrorId,
): Promise<void> {
  // What Go cannot parse at all; anything else without a host that may be called is denied.
  if (/^:|[\0-\x1f\x7f]|%(?![\da-f]{2})/i.test(endpoint)) throw refusal(errorId);
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const callable = url !== undefined && /^https?:$/.test(url.protocol);
  if (!callable || (!setup.allowPrivate && (await isDeniedHost(url.hostname)))) {
    throw refusal('COMMAND-NcJUKo');
  }
}

function readType(type: TargetTypeFields): { kind: TargetKind; interruptOnError: boolean } | undefined {
  if (type.restWebhook !== undefined) return { kind: 'webhook', ...type.restWebhook };
  if (type.restCall !== undefined) return { kind: 'call', ...type.restCall };
  return type.restAsync === undefined ? undefined : { kind: 'async', interruptOnError: false };
}

/** The mirror of `readType`. */
export function showType({ kind, interruptOnError }: TargetRow): TargetTypeFields {
  if (kind === 'webhook') return { restWebhook: { interruptOnError } };
  return kind === 'call' ? { restCall: { interruptOnError } } : { restAsync: {} };
}
