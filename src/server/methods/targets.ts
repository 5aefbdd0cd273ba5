/** `/v2/actions/targets`: create, change, get, delete and search targets. */
import * as wire from '../../wire/actions.ts';
import { formatTimestamp } from '../../wire/scalars.ts';
import {
  changeTarget,
  createTarget,
  deleteTarget,
  requireTarget,
  searchTargets,
  showType,
} from '../actions/targets.ts';
import { paginationDetails, paginationOf } from '../paging.ts';
import { actions } from '../method.ts';
import type { TargetRow } from '../store/rows.ts';

export const targetMethods = [
  actions('CreateTarget', 'POST /v2/actions/targets', 'action.target.write', {
    request: wire.createTargetRequest,
    response: wire.createTargetResponse,
    async handle(call, request) {
      const row = await createTarget(call, request);
      return { id: row.id, creationDate: formatTimestamp(row.created), signingKey: row.signingKey };
    },
  }),
  actions('UpdateTarget', 'POST /v2/actions/targets/{id}', 'action.target.write', {
    request: wire.updateTargetRequest,
    response: wire.updateTargetResponse,
    async handle(call, request) {
      const row = await changeTarget(call, request.id, request);
      const key = request.expirationSigningKey !== '' ? { signingKey: row.signingKey } : {};
      return { changeDate: formatTimestamp(row.changed), ...key };
    },
  }),
  actions('DeleteTarget', 'DELETE /v2/actions/targets/{id}', 'action.target.delete', {
    response: wire.deleteTargetResponse,
    handle(call, { id }) {
      const deleted = deleteTarget(call, id);
      return deleted === undefined ? {} : { deletionDate: formatTimestamp(deleted) };
    },
  }),
  actions('GetTarget', 'GET /v2/actions/targets/{id}', 'action.target.read', {
    response: wire.getTargetResponse,
    handle: (call, { id }) => ({ target: showTarget(requireTarget(call, id, 'QUERY-hj5oaniyrz')) }),
  }),
  actions('ListTargets', 'POST /v2/actions/targets/search', 'action.target.read', {
    request: wire.listTargetsRequest,
    response: wire.listTargetsResponse,
    handle(call, { filters, pagination, sortingColumn }) {
      const page = paginationOf(pagination);
      const found = searchTargets(call, filters, page, sortingColumn);
      return {
        pagination: paginationDetails(found.total, page),
        targets: found.rows.map(showTarget),
      };
    },
  }),
];

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
