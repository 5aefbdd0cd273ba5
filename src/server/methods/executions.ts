/** `/v2/actions/executions`: set and search executions, and what conditions may name. */
import * as wire from '../../wire/actions.ts';
import { emptyMessage } from '../../wire/details.ts';
import { formatTimestamp } from '../../wire/scalars.ts';
import type { Condition } from '../../wire/action-condition.ts';
import { conditionId } from '../actions/condition.ts';
import { setExecution, targetIds } from '../actions/edit-execution.ts';
import { brandedName, functionNames } from '../actions/names.ts';
import type { ExecutionRow, ActionsSetup } from '../actions/registry.ts';
import { filtered, paginationDetails, paginationOf, sortedPage } from '../paging.ts';
import { method, type Method, type Route } from '../method.ts';

const service = '/zitadel.action.v2.ActionService';

export function executionMethods(setup: ActionsSetup): Method[] {
  return [
    method({
      rpc: `${service}/SetExecution`,
      routes: ['PUT /v2/actions/executions'],
      permission: 'action.execution.write',
      request: wire.setExecutionRequest,
      response: wire.setExecutionResponse,
      handle({ settings }, { condition, targets }) {
        const entries = targets.map((target) => ({ target }));
        const row = setExecution(setup, condition, entries, 'v2', settings.clock.now());
        return { setDate: formatTimestamp(row.changed) };
      },
    }),
    method({
      rpc: `${service}/ListExecutions`,
      routes: ['POST /v2/actions/executions/search'],
      permission: 'action.execution.read',
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
  const routes = (what: string): Route[] => [
    `GET /v2/actions/executions/${what}`,
    `GET /v3alpha/executions/${what}`,
  ];
  const common = { permission: 'authenticated', request: emptyMessage } as const;
  return [
    method({
      ...common,
      rpc: `${service}/ListExecutionFunctions`,
      routes: routes('functions'),
      response: wire.listFunctionsResponse,
      handle: () => ({ functions: [...functionNames] }),
    }),
    method({
      ...common,
      rpc: `${service}/ListExecutionMethods`,
      routes: routes('methods'),
      response: wire.listMethodsResponse,
      handle: () => ({ methods: branded(setup.names.methods) }),
    }),
    method({
      ...common,
      rpc: `${service}/ListExecutionServices`,
      routes: routes('services'),
      response: wire.listServicesResponse,
      handle: () => ({ services: branded(setup.names.services) }),
    }),
  ];
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
