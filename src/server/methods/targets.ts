/** `/v2/actions/targets`: create, change, get, delete and search targets. */
import * as wire from '../../wire/actions.ts';
import { durationMs, formatTimestamp } from '../../wire/scalars.ts';
import { changeTarget, createTarget, requireTarget, showType } from '../actions/edit-target.ts';
import type { TargetRow, ActionsSetup } from '../actions/registry.ts';
import { filtered, paginationDetails, paginationOf, sortedPage } from '../paging.ts';
import { compareText } from '../users/search.ts';
import { actions, type Method } from '../method.ts';

/** Without a known type the payload is JSON. */
const payloadType = (value: wire.PayloadType | number): wire.PayloadType =>
  typeof value === 'number' ? 'PAYLOAD_TYPE_UNSPECIFIED' : value;

export const targetMethods = (setup: ActionsSetup): Method[] => [
  ...editMethods(setup),
  ...readMethods(setup),
];

/** Creates, changes and deletes targets. */
function editMethods(setup: ActionsSetup): Method[] {
  return [
    actions('CreateTarget', 'POST /v2/actions/targets', 'action.target.write', {
      request: wire.createTargetRequest,
      response: wire.createTargetResponse,
      async handle({ store, settings }, request) {
        const requested = {
          name: request.name,
          type: request,
          endpoint: request.endpoint,
          timeout: durationMs(request.timeout),
          payloadType: payloadType(request.payloadType),
        };
        const row = await createTarget(setup, requested, store.nextId(), settings.clock.now());
        return { id: row.id, creationDate: formatTimestamp(row.created), signingKey: row.signingKey };
      },
    }),
    actions('UpdateTarget', 'POST /v2/actions/targets/{id}', 'action.target.write', {
      request: wire.updateTargetRequest,
      response: wire.updateTargetResponse,
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
    actions('DeleteTarget', 'DELETE /v2/actions/targets/{id}', 'action.target.delete', {
      response: wire.deleteTargetResponse,
      handle({ settings }, { id }) {
        const deleted = setup.registry.deleteTarget(id, settings.clock.now());
        return deleted === undefined ? {} : { deletionDate: formatTimestamp(deleted) };
      },
    }),
  ];
}

function readMethods(setup: ActionsSetup): Method[] {
  return [
    actions('GetTarget', 'GET /v2/actions/targets/{id}', 'action.target.read', {
      response: wire.getTargetResponse,
      handle: (_, { id }) => ({ target: showTarget(requireTarget(setup, id, 'QUERY-hj5oaniyrz')) }),
    }),
    actions('ListTargets', 'POST /v2/actions/targets/search', 'action.target.read', {
      request: wire.listTargetsRequest,
      response: wire.listTargetsResponse,
      handle(_, { filters, pagination, sortingColumn }) {
        const rows = filtered(setup.registry.targets.values(), filters, {
          inTargetIdsFilter: ({ id }, { targetIds }) => targetIds.includes(id),
          targetNameFilter: ({ name }, { method: how, targetName }) => compareText(how, name, targetName),
        });
        const page = paginationOf(pagination);
        const found = sortedPage(rows, page, (row) => targetSortKey(row, sortingColumn));
        return {
          pagination: paginationDetails(found.total, page),
          targets: found.rows.map(showTarget),
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
  } as const;
}

/** 1500 -> `1.500s`, as protobuf writes it. */
export function formatDuration(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${(ms / 1000).toFixed(3)}s`;
}
