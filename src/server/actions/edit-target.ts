/** Creates and changes targets, with the refusals of the service. */
import type { PayloadType } from '../../wire/actions.ts';
import { refusal } from '../errors.ts';
import { isDeniedHost } from './denied-hosts.ts';
import { newSigningKey, type ActionsSetup, type TargetKind, type TargetRow } from './registry.ts';

/** The part of a request that says what kind of target it is; exactly one member is set. */
export interface TargetTypeFields {
  readonly restWebhook?: { readonly interruptOnError: boolean } | undefined;
  readonly restCall?: { readonly interruptOnError: boolean } | undefined;
  readonly restAsync?: Record<string, never> | undefined;
}

export interface NewTarget {
  readonly name: string;
  readonly type: TargetTypeFields;
  readonly endpoint: string;
  /** In milliseconds. */
  readonly timeout: number;
  readonly payloadType: PayloadType;
}

export async function createTarget(
  setup: ActionsSetup,
  requested: NewTarget,
  id: string,
  now: number,
): Promise<TargetRow> {
  if (requested.timeout === 0) throw refusal('COMMAND-39f35d8uri');
  await requireEndpoint(setup, requested.endpoint, 'COMMAND-1r2k6qo6wg');
  requireFreeName(setup, requested.name, id);
  return setup.registry.targets.put({
    id,
    name: requested.name,
    ...readType(requested.type)!,
    endpoint: requested.endpoint,
    timeout: requested.timeout,
    payloadType: requested.payloadType,
    signingKey: newSigningKey(),
    created: now,
    changed: now,
    sequence: 1,
  });
}

/** What is undefined stays as it is; `rotateKey` makes a new signing key, and the old one is gone at once. */
export interface TargetChange {
  readonly name?: string | undefined;
  readonly type?: TargetTypeFields;
  readonly endpoint?: string | undefined;
  readonly timeout?: number | undefined;
  readonly payloadType?: PayloadType | undefined;
  readonly rotateKey?: boolean;
}

export async function changeTarget(
  setup: ActionsSetup,
  id: string,
  change: TargetChange,
  now: number,
): Promise<TargetRow> {
  if (change.timeout === 0) throw refusal('COMMAND-08b39vdi57');
  if (change.endpoint !== undefined) await requireEndpoint(setup, change.endpoint, 'COMMAND-jsbaera7b6');
  const before = requireTarget(setup, id, 'COMMAND-xj14f2cccn');
  if (change.name !== undefined) requireFreeName(setup, change.name, id);
  const after: TargetRow = {
    ...before,
    name: change.name ?? before.name,
    ...(change.type === undefined ? {} : readType(change.type)),
    endpoint: change.endpoint ?? before.endpoint,
    timeout: change.timeout ?? before.timeout,
    payloadType: change.payloadType ?? before.payloadType,
    signingKey: change.rotateKey === true ? newSigningKey() : before.signingKey,
  };
  if (JSON.stringify(after) === JSON.stringify(before)) return before;
  return setup.registry.targets.put({ ...after, changed: now, sequence: before.sequence + 1 });
}

function requireFreeName({ registry }: ActionsSetup, name: string, id: string): void {
  const taken = [...registry.targets.values()].some((target) => target.name === name && target.id !== id);
  if (taken) throw refusal('V3-DKcYh', { key: 'Errors.Target.AlreadyExists' });
}

/** `errorId` differs by what was asked for. */
export function requireTarget(setup: ActionsSetup, id: string, errorId: string): TargetRow {
  const row = setup.registry.targets.get(id);
  if (row === undefined) throw refusal(errorId);
  return row;
}

async function requireEndpoint(setup: ActionsSetup, endpoint: string, errorId: string): Promise<void> {
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
