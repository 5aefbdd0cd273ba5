/** `/v2/actions/targets`: create, change, get, delete and search targets. */
import * as wire from '../../wire/actions.ts';
import { formatTimestamp } from '../../wire/scalars.ts';
import { changeTarget, createTarget, requireTarget, showType } from '../actions/edit-target.ts';
import type { TargetRow, ActionsSetup } from '../actions/registry.ts';
import { searchTargets } from '../actions/search.ts';
import { paginationDetails, paginationOf } from '../paging.ts';
import { actions, type Method } from '../method.ts';

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
      async handle(call, request) {
        const row = await createTarget(setup, call, request);
        return { id: row.id, creationDate: formatTimestamp(row.created), signingKey: row.signingKey };
      },
    }),
    actions('UpdateTarget', 'POST /v2/actions/targets/{id}', 'action.target.write', {
      request: wire.updateTargetRequest,
      response: wire.updateTargetResponse,
      async handle(call, request) {
        const row = await changeTarget(setup, call, request.id, request);
        const key = request.expirationSigningKey !== '' ? { signingKey: row.signingKey } : {};
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
        const page = paginationOf(pagination);
        const found = searchTargets(setup, filters, page, sortingColumn);
        return {
          pagination: paginationDetails(found.total, page),
          targets: found.rows.map(showTarget),
        };
      },
    }),
  ];
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
