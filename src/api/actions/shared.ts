/** What all generations of the actions API share: pages, names of conditions, the fields of a target. */
import {
  listFunctionsResponse,
  listMethodsResponse,
  listServicesResponse,
  type Target,
} from '../../wire/actions.ts';
import type { TargetV3 } from '../../wire/actions-v3alpha.ts';
import { durationMs } from '../../wire/scalars.ts';
import type { Client } from '../client.ts';
import type { PayloadForm, TargetSettings } from './types.ts';

/** The service's own page size for targets and executions. */
export const pageSize = 100;

export interface Page<Entry> {
  readonly entries: readonly Entry[];
  /** How many there are in all, where the service says so. */
  readonly total: number | undefined;
}

/** Ends at a page that is not full, so it also ends with services that know no pages. */
export async function readPages<Entry>(ask: (offset: number) => Promise<Page<Entry>>): Promise<Entry[]> {
  const all: Entry[] = [];
  for (;;) {
    const { entries, total } = await ask(all.length);
    all.push(...entries);
    if (entries.length !== pageSize || all.length >= (total ?? Infinity)) return all;
  }
}

export function readTotal(total: string | undefined): number | undefined {
  return total === undefined ? undefined : Number(total);
}

export const nameLists = {
  methods: async (client: Client, path: string) =>
    (await client.call({ method: 'GET', path, answer: listMethodsResponse })).methods,
  services: async (client: Client, path: string) =>
    (await client.call({ method: 'GET', path, answer: listServicesResponse })).services,
  functions: async (client: Client, path: string) =>
    (await client.call({ method: 'GET', path, answer: listFunctionsResponse })).functions,
};

const payloadNames = {
  json: 'PAYLOAD_TYPE_JSON',
  jwt: 'PAYLOAD_TYPE_JWT',
  jwe: 'PAYLOAD_TYPE_JWE',
} as const satisfies Record<PayloadForm, string>;

export const writePayload = (payload: PayloadForm): (typeof payloadNames)[PayloadForm] =>
  payloadNames[payload];

/** Absent and unknown values count as JSON. */
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
