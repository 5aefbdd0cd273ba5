/** `/v2/actions/targets` and `/v2beta`: create, change, get, delete and search targets. */
import {
  createTargetRequest,
  createTargetResponse,
  deleteTargetResponse,
  getTargetResponse,
  listTargetsRequest,
  listTargetsResponse,
  targetIdRequest,
  updateTargetRequest,
  updateTargetResponse,
} from '../../wire/actions.ts';
import type { PayloadType } from '../../wire/actions.ts';
import { durationMs, formatTimestamp } from '../../wire/scalars.ts';
import { changeTarget, createTarget, requireTarget, showType } from '../actions/edit-target.ts';
import type { TargetRow } from '../actions/registry.ts';
import { pageOf, textMatches } from '../actions/search.ts';
import type { ActionsSetup } from '../actions/registry.ts';
import { method } from '../method.ts';
import type { Method, Route, Verb } from '../method.ts';

const service = '/zitadel.action.v2.ActionService';

/** The two generations differ in the path only. */
export const bothPaths = (verb: Verb, rest: string): Route[] => [
  `${verb} /v2/actions${rest}`,
  `${verb} /v2beta/actions${rest}`,
];

/** A number that is no known type counts as JSON. */
const payloadType = (value: PayloadType | number): PayloadType =>
  typeof value === 'number' || value === 'PAYLOAD_TYPE_UNSPECIFIED' ? 'PAYLOAD_TYPE_JSON' : value;

export function targetMethods(setup: ActionsSetup): Method[] {
  return [
    method({
      rpc: `${service}/CreateTarget`,
      routes: bothPaths('POST', '/targets'),
      permission: 'action.target.write',
      request: createTargetRequest,
      response: createTargetResponse,
      async handle({ store, settings }, request) {
        const wanted = {
          name: request.name,
          type: request,
          endpoint: request.endpoint,
          timeout: durationMs(request.timeout),
          payloadType: payloadType(request.payloadType),
        };
        const row = await createTarget(setup, wanted, store.nextId(), settings.clock.now());
        return { id: row.id, creationDate: formatTimestamp(row.created), signingKey: row.signingKey };
      },
    }),
    method({
      rpc: `${service}/UpdateTarget`,
      routes: bothPaths('POST', '/targets/{id}'),
      permission: 'action.target.write',
      request: updateTargetRequest,
      response: updateTargetResponse,
      async handle({ settings }, request) {
        const rotateKey = request.expirationSigningKey !== '';
        const type = request.payloadType;
        const change = {
          name: request.name,
          type: request,
          endpoint: request.endpoint,
          timeout: request.timeout === '' ? undefined : durationMs(request.timeout),
          payloadType: type === 'PAYLOAD_TYPE_UNSPECIFIED' ? undefined : payloadType(type),
          rotateKey,
        };
        const row = await changeTarget(setup, request.id, change, settings.clock.now());
        const key = rotateKey ? { signingKey: row.signingKey } : {};
        return { changeDate: formatTimestamp(row.changed), ...key };
      },
    }),
    method({
      rpc: `${service}/GetTarget`,
      routes: bothPaths('GET', '/targets/{id}'),
      permission: 'action.target.read',
      request: targetIdRequest,
      response: getTargetResponse,
      handle: (_, { id }) => ({ target: showTarget(requireTarget(setup, id, 'QUERY-hj5oaniyrz')) }),
    }),
    method({
      rpc: `${service}/DeleteTarget`,
      routes: bothPaths('DELETE', '/targets/{id}'),
      permission: 'action.target.delete',
      request: targetIdRequest,
      response: deleteTargetResponse,
      handle({ settings }, { id }) {
        const gone = setup.registry.deleteTarget(id);
        return gone === undefined ? {} : { deletionDate: formatTimestamp(settings.clock.now()) };
      },
    }),
    method({
      rpc: `${service}/ListTargets`,
      routes: bothPaths('POST', '/targets/search'),
      permission: 'action.target.read',
      request: listTargetsRequest,
      response: listTargetsResponse,
      handle(_, { filters, pagination, sortingColumn }) {
        const keep = (row: TargetRow): boolean =>
          filters.every(({ inTargetIdsFilter: ids, targetNameFilter: name }) => {
            if (ids !== undefined) return ids.targetIds.includes(row.id);
            return name === undefined || textMatches(row.name, name.targetName, name.method);
          });
        const page = pageOf(setup.registry.targets.values(), pagination, keep, (row) =>
          targetSortKey(row, sortingColumn),
        );
        return {
          pagination: { totalResult: String(page.total), appliedLimit: String(page.limit) },
          targets: page.rows.map(showTarget),
        };
      },
    }),
  ];
}

const sortKeys: Readonly<Record<string, (row: TargetRow) => string | number>> = {
  ID: (row) => row.id,
  CHANGED_DATE: (row) => row.changed,
  CHANGE_DATE: (row) => row.changed,
  NAME: (row) => row.name,
  TARGET_TYPE: (row) => row.kind,
  URL: (row) => row.endpoint,
  TIMEOUT: (row) => row.timeout,
  INTERRUPT_ON_ERROR: (row) => Number(row.interruptOnError),
};

/** `TARGET_FIELD_NAME_URL` and the first generation's `FIELD_NAME_URL`; the creation date for all that is unknown. */
export function targetSortKey(row: TargetRow, column: string | number): string | number {
  const name = String(column).replace(/^(?:TARGET_)?FIELD_NAME_/, '');
  return sortKeys[name]?.(row) ?? row.created;
}

function showTarget(row: TargetRow) {
  return {
    id: row.id,
    creationDate: formatTimestamp(row.created),
    changeDate: formatTimestamp(row.changed),
    name: row.name,
    ...showType(row),
    timeout: formatDuration(row.timeout),
    endpoint: row.endpoint,
    signingKey: row.signingKey,
    payloadType: row.payloadType,
  };
}

/** 1500 -> `1.500s`, as protobuf writes it. */
export function formatDuration(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${(ms / 1000).toFixed(3)}s`;
}
