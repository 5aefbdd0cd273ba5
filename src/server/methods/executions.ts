/** `/v2/actions/executions`: set and search executions, and what conditions may name. */
import * as wire from '../../wire/actions.ts';
import { formatTimestamp } from '../../wire/scalars.ts';
import { searchExecutions, setExecution, targetIds } from '../actions/executions.ts';
import { brandedName, functionNames } from '../actions/names.ts';
import type { Call } from '../context.ts';
import { paginationDetails, paginationOf } from '../paging.ts';
import { actions } from '../method.ts';

export const executionMethods = [
  actions('SetExecution', 'PUT /v2/actions/executions', 'action.execution.write', {
    request: wire.setExecutionRequest,
    response: wire.setExecutionResponse,
    handle(call, { condition, targets }) {
      const entries = targets.map((target) => ({ target }));
      const row = setExecution(call, condition, entries, 'v2');
      return { setDate: formatTimestamp(row.changed) };
    },
  }),
  actions('ListExecutions', 'POST /v2/actions/executions/search', 'action.execution.read', {
    request: wire.listExecutionsRequest,
    response: wire.listExecutionsResponse,
    handle({ store }, { filters, pagination, sortingColumn }) {
      const page = paginationOf(pagination);
      // Without targets it is switched off.
      const set = [...store.executions.values()].filter(({ entries }) => entries.length > 0);
      const found = searchExecutions(set, filters, page, sortingColumn);
      return {
        pagination: paginationDetails(found.total, page),
        executions: found.rows.map((row) => ({
          condition: row.condition,
          creationDate: formatTimestamp(row.created),
          changeDate: formatTimestamp(row.changed),
          targets: targetIds(row),
        })),
      };
    },
  }),
];

const branded = ({ settings }: Call, names: readonly string[]): string[] =>
  names.map((name) => brandedName(name, settings.brand));

/** Lists of names, the same in all versions; any token may read them. */
export const nameMethods = [
  actions('ListExecutionFunctions', 'GET /v2/actions/executions/functions', 'authenticated', {
    response: wire.listFunctionsResponse,
    handle: () => ({ functions: [...functionNames] }),
  }),
  actions('ListExecutionMethods', 'GET /v2/actions/executions/methods', 'authenticated', {
    response: wire.listMethodsResponse,
    handle: (call) => ({ methods: branded(call, call.names.methods) }),
  }),
  actions('ListExecutionServices', 'GET /v2/actions/executions/services', 'authenticated', {
    response: wire.listServicesResponse,
    handle: (call) => ({ services: branded(call, call.names.services) }),
  }),
];
