/** Target settings in, the fields of their JSON out, and the way back; the part that all generations share. */
import type { Target } from '../../wire/actions.ts';
import type { TargetV3 } from '../../wire/actions-v3alpha.ts';
import { durationMs } from '../../wire/scalars.ts';
import type { PayloadForm, TargetSettings } from './types.ts';

const payloadNames = {
  json: 'PAYLOAD_TYPE_JSON',
  jwt: 'PAYLOAD_TYPE_JWT',
  jwe: 'PAYLOAD_TYPE_JWE',
} as const satisfies Record<PayloadForm, string>;

export const writePayload = (payload: PayloadForm): (typeof payloadNames)[PayloadForm] =>
  payloadNames[payload];

/** What is not said is JSON, and so is what this program does not know. */
export function readPayload(name: string | number): PayloadForm {
  if (name === payloadNames.jwt) return 'jwt';
  return name === payloadNames.jwe ? 'jwe' : 'json';
}

/** Durations have seconds only: `10s`, `0.5s`. */
export const writeTimeout = (ms: number): string => `${ms / 1000}s`;

type KindFields = Pick<Target, 'restWebhook' | 'restCall' | 'restAsync'>;

export function writeKind({ kind, interruptOnError }: TargetSettings): Partial<KindFields> {
  if (kind === 'async') return { restAsync: {} };
  return kind === 'call' ? { restCall: { interruptOnError } } : { restWebhook: { interruptOnError } };
}

export function readSettings(target: Target | TargetV3): Omit<TargetSettings, 'payload'> {
  const { name, endpoint, restWebhook, restCall, restAsync } = target;
  const answering = restWebhook ?? restCall;
  return {
    name,
    endpoint,
    timeoutMs: durationMs(target.timeout),
    kind: kindOf(restCall !== undefined, restAsync !== undefined),
    interruptOnError: answering?.interruptOnError ?? false,
  };
}

function kindOf(call: boolean, async: boolean): TargetSettings['kind'] {
  if (call) return 'call';
  return async ? 'async' : 'webhook';
}
