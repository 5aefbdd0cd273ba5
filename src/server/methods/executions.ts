/** `/v2/actions/executions`: set and search executions, and what conditions may name. */
import * as wire from '../../wire/actions.ts';
import { formatTimestamp } from '../../wire/scalars.ts';
import { setExecution, targetIds } from '../actions/edit-execution.ts';
import { brandedName, functionNames } from '../actions/names.ts';
import type { ActionsSetup } from '../actions/registry.ts';
import { searchExecutions } from '../actions/search.ts';
import { paginationDetails, paginationOf } from '../paging.ts';
import { actions, type Method } from '../method.ts';

export function executionMethods(setup: ActionsSetup): Method[] {
  return [
    actions('SetExecution', 'PUT /v2/actions/executions', 'action.execution.write', {
      request: wire.setExecutionRequest,
      response: wire.setExecutionResponse,
      handle({ settings }, { condition, targets }) {
        const entries = targets.map((target) => ({ target }));
        const row = setExecution(setup, condition, entries, 'v2', settings.clock.now());
        return { setDate: formatTimestamp(row.changed) };
      },
    }),
    actions('ListExecutions', 'POST /v2/actions/executions/search', 'action.execution.read', {
      request: wire.listExecutionsRequest,
      response: wire.listExecutionsResponse,
      handle(_, { filters, pagination, sortingColumn }) {
        const page = paginationOf(pagination);
        // Without targets it is switched off.
        const set = Array.from(setup.registry.executions.values()).filter(
          ({ entries }) => entries.length > 0,
        );
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
}

/** Lists of names, the same in all versions; any token may read them. */
export function nameMethods(setup: ActionsSetup): Method[] {
  const branded = (names: readonly string[]): string[] => names.map((name) => brandedName(name, setup.brand));
  const lists = {
    functions: ['ListExecutionFunctions', wire.listFunctionsResponse, () => [...functionNames]],
    methods: ['ListExecutionMethods', wire.listMethodsResponse, () => branded(setup.names.methods)],
    services: ['ListExecutionServices', wire.listServicesResponse, () => branded(setup.names.services)],
  } as const;
  return Object.entries(lists).map(([what, [name, response, names]]) =>
    actions(name, `GET /v2/actions/executions/${what}`, 'authenticated', {
      response,
      handle: () => ({ [what]: names() }),
    }),
  );
}
