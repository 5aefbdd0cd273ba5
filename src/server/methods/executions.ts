/** `/v2/actions/executions`: set and search executions, and what conditions may name. */
import * as wire from '../../wire/actions.ts';
import type { z } from 'zod';
import { formatTimestamp } from '../../wire/scalars.ts';
import type { Condition } from '../../wire/action-condition.ts';
import { conditionId } from '../actions/condition.ts';
import { setExecution, targetIds } from '../actions/edit-execution.ts';
import { brandedName, functionNames } from '../actions/names.ts';
import type { ExecutionRow, ActionsSetup } from '../actions/registry.ts';
import { filtered, paginationDetails, paginationOf, sortedPage } from '../paging.ts';
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
        const rows = filtered(setup.registry.executions.values(), filters, {
          inConditionsFilter: isOneOf,
          executionTypeFilter: (row, { executionType }) => isOfType(row, executionType),
          targetFilter: (row, { targetId }) => targetIds(row).includes(targetId),
        }).filter(({ entries }) => entries.length > 0);
        const page = paginationOf(pagination);
        const found = sortedPage(rows, page, (row) => executionSortKey(row, sortingColumn));
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
    ...nameMethods(setup),
  ];
}

/** Lists of names, the same for all generations; any token may read them. */
function nameMethods(setup: ActionsSetup): Method[] {
  const branded = (names: readonly string[]): string[] => names.map((name) => brandedName(name, setup.brand));
  const lists = {
    functions: ['ListExecutionFunctions', wire.listFunctionsResponse, () => [...functionNames]],
    methods: ['ListExecutionMethods', wire.listMethodsResponse, () => branded(setup.names.methods)],
    services: ['ListExecutionServices', wire.listServicesResponse, () => branded(setup.names.services)],
  } as const;
  return Object.entries(lists).flatMap(([what, [name, response, names]]) =>
    (['v2/actions', 'v3alpha'] as const).map((base) =>
      actions(name, `GET /${base}/executions/${what}`, 'authenticated', {
        response: response as z.ZodType,
        handle: () => ({ [what]: names() }),
      }),
    ),
  );
}

export const isOneOf = (
  { id }: ExecutionRow,
  { conditions }: { conditions: readonly Condition[] },
): boolean => conditions.some((condition) => conditionId(condition) === id);

/** `EXECUTION_TYPE_REQUEST` for `request` and everything below it. */
export function isOfType(row: ExecutionRow, type: string | number): boolean {
  return row.id.split('/')[0] === String(type).replace('EXECUTION_TYPE_', '').toLowerCase();
}

function executionSortKey(row: ExecutionRow, column: string | number): string | number {
  if (column === 'EXECUTION_FIELD_NAME_ID') return row.id;
  return column === 'EXECUTION_FIELD_NAME_CHANGED_DATE' ? row.changed : row.created;
}
