/**
 * `/v3alpha/targets` and `/v3alpha/executions`: the first generation of actions, as the interface description has
 * it.
 */
import * as wire from '../../wire/actions-v3alpha.ts';
import { formatTimestamp } from '../../wire/scalars.ts';
import { conditionId } from '../actions/condition.ts';
import { deleteExecution, searchExecutions, setExecution } from '../actions/executions.ts';
import {
  changeTarget,
  createTarget,
  deleteTarget,
  requireTarget,
  searchTargets,
  showType,
} from '../actions/targets.ts';
import type { ExecutionEntry, ExecutionRow, TargetRow } from '../store/rows.ts';
import { paginationOf } from '../paging.ts';
import type { Call } from '../context.ts';
import { invalid, refusal } from '../errors.ts';
import { actionsV3, type Method } from '../method.ts';
import { formatDuration } from './targets.ts';

/** The first generation asks whether the feature is enabled, after the field rules and before anything else. */
const guarded = (definition: Method): Method => ({
  ...definition,
  handle(call, request) {
    if (!call.settings.actions) throw refusal('SCHEMA-141bwx3lef');
    return definition.handle(call, request);
  },
});

type Changed = Pick<TargetRow | ExecutionRow, 'sequence' | 'changed'>;

const details = (call: Call, row: Changed) => ({
  sequence: String(row.sequence),
  changeDate: formatTimestamp(row.changed),
  resourceOwner: call.store.instance.instanceId,
});

const methods = [
  actionsV3('CreateTarget', 'POST /v3alpha/targets', 'action.target.write', {
    request: wire.createTargetV3Request,
    response: wire.createTargetV3Response,
    status: 201,
    async handle(call, request) {
      if (request.timeout === '') throw invalid('invalid CreateTargetRequest.Timeout: value is required');
      const row = await createTarget(call, request);
      return { id: row.id, details: details(call, row), signingKey: row.signingKey };
    },
  }),
  actionsV3('UpdateTarget', 'PUT /v3alpha/targets/{target_id}', 'action.target.write', {
    request: wire.updateTargetV3Request,
    async handle(call, request) {
      const row = await changeTarget(call, request.targetId, request);
      return { details: details(call, row) };
    },
  }),
  actionsV3('DeleteTarget', 'DELETE /v3alpha/targets/{target_id}', 'action.target.delete', {
    handle(call, { targetId }) {
      const row = requireTarget(call, targetId, 'COMMAND-k4s7ucu0ax');
      deleteTarget(call, targetId);
      return { details: details(call, { ...row, changed: call.settings.clock.now() }) };
    },
  }),
  actionsV3('GetTargetByID', 'GET /v3alpha/targets/{target_id}', 'action.target.read', {
    response: wire.getTargetV3Response,
    handle: (call, { targetId }) => ({
      target: showTarget(call, requireTarget(call, targetId, 'QUERY-hj5oaniyrz')),
    }),
  }),
  actionsV3('ListTargets', 'POST /v3alpha/targets/search', 'action.target.read', {
    request: wire.listTargetsV3Request,
    response: wire.listTargetsV3Response,
    handle(call, { queries, query, sortingColumn }) {
      const found = searchTargets(call, queries, paginationOf(query), sortingColumn);
      return {
        details: {
          totalResult: String(found.total),
          viewTimestamp: formatTimestamp(call.settings.clock.now()),
        },
        sortingColumn,
        result: found.rows.map((row) => showTarget(call, row)),
      };
    },
  }),
  actionsV3('SetExecution', 'PUT /v3alpha/executions', 'action.execution.write', {
    request: wire.setExecutionV3Request,
    handle(call, { condition, targets }) {
      if (targets.length === 0) throw refusal('COMMAND-56bteot2uj');
      const entries = targets.flatMap(readEntry);
      const row = setExecution(call, condition, entries, 'v3alpha');
      return { details: details(call, row) };
    },
  }),
  actionsV3('DeleteExecution', 'DELETE /v3alpha/executions', 'action.execution.write', {
    request: wire.deleteExecutionV3Request,
    bodyOnDelete: true,
    handle(call, { condition }) {
      const row = deleteExecution(call, condition);
      return { details: details(call, { ...row, changed: call.settings.clock.now() }) };
    },
  }),
  actionsV3('ListExecutions', 'POST /v3alpha/executions/search', 'action.execution.read', {
    request: wire.listExecutionsV3Request,
    response: wire.listExecutionsV3Response,
    handle(call, { queries, query }) {
      const found = searchExecutions(call.store.executions.values(), queries, paginationOf(query));
      return {
        details: {
          totalResult: String(found.total),
          viewTimestamp: formatTimestamp(call.settings.clock.now()),
        },
        result: found.rows.map((row) => ({
          condition: row.condition,
          details: details(call, row),
          targets: row.entries.map((entry) => showEntry(call, entry)),
        })),
      };
    },
  }),
];

export const actionMethodsV3 = methods.map(guarded);

function showTarget(call: Call, row: TargetRow) {
  return {
    targetId: row.id,
    details: details(call, row),
    name: row.name,
    ...showType(row),
    timeout: formatDuration(row.timeout),
    endpoint: row.endpoint,
  };
}

function readEntry(item: wire.SetExecutionV3['targets'][number]): ExecutionEntry[] {
  if (item.target !== undefined) return [{ target: item.target }];
  return item.include === undefined ? [] : [{ include: conditionId(item.include) }];
}

/** The mirror of `readEntry`. */
function showEntry({ store }: Call, entry: ExecutionEntry) {
  if ('target' in entry) return entry;
  return { include: store.executions.get(entry.include)?.condition };
}
