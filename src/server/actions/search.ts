/** Searches for targets and executions: both generations ask the same and name it differently. */
import type { Condition } from '../../wire/action-condition.ts';
import { type Filters, filtered, type Found, type Page, pageFrom, sortedBy } from '../paging.ts';
import { compareText } from '../users/search.ts';
import { conditionId } from './condition.ts';
import { targetIds } from './edit-execution.ts';
import type { ActionsSetup, ExecutionRow, TargetRow } from './registry.ts';

type Column = string | number;

const hasId = ({ id }: TargetRow, { targetIds: ids }: { targetIds: string[] }): boolean => ids.includes(id);
const hasName = ({ name }: TargetRow, asked: { targetName: string; method: Column }): boolean =>
  compareText(asked.method, name, asked.targetName);

const targetFilters = {
  inTargetIdsFilter: hasId,
  inTargetIdsQuery: hasId,
  targetNameFilter: hasName,
  targetNameQuery: hasName,
};

/** By the column's name in either generation; the creation date for all that is unknown. */
const targetKeys: Readonly<Record<string, (row: TargetRow) => string | number>> = {
  ID: (row) => row.id,
  CHANGED_DATE: (row) => row.changed,
  CHANGE_DATE: (row) => row.changed,
  NAME: (row) => row.name,
  TARGET_TYPE: (row) => row.kind,
  URL: (row) => row.endpoint,
  TIMEOUT: (row) => row.timeout,
  INTERRUPT_ON_ERROR: (row) => Number(row.interruptOnError),
};

export function searchTargets(
  { registry }: ActionsSetup,
  queries: readonly object[],
  page: Page,
  column: Column,
): Found<TargetRow> {
  const rows = filtered(registry.targets.values(), queries, targetFilters as Filters<TargetRow, object>);
  const key = targetKeys[String(column).replace(/^(?:TARGET_)?FIELD_NAME_/, '')];
  return pageFrom(
    sortedBy(rows, (row) => key?.(row) ?? row.created),
    page,
  );
}

const isOneOf = ({ id }: ExecutionRow, { conditions }: { conditions: readonly Condition[] }): boolean =>
  conditions.some((condition) => conditionId(condition) === id);

/** `EXECUTION_TYPE_REQUEST` for `request` and everything below it. */
const isOfType = (row: ExecutionRow, { executionType }: { executionType: Column }): boolean =>
  row.id.split('/')[0] === String(executionType).replace('EXECUTION_TYPE_', '').toLowerCase();
const hasTarget = (row: ExecutionRow, { targetId }: { targetId: string }): boolean =>
  targetIds(row).includes(targetId);

const executionFilters = {
  inConditionsFilter: isOneOf,
  inConditionsQuery: isOneOf,
  executionTypeFilter: isOfType,
  executionTypeQuery: isOfType,
  targetFilter: hasTarget,
  targetQuery: hasTarget,
  includeQuery: ({ entries }: ExecutionRow, { include }: { include: string }): boolean =>
    entries.some((entry) => 'include' in entry && entry.include === include),
};

export function searchExecutions(
  executions: Iterable<ExecutionRow>,
  queries: readonly object[],
  page: Page,
  column: Column = '',
): Found<ExecutionRow> {
  const rows = filtered(executions, queries, executionFilters as Filters<ExecutionRow, object>);
  const sorted = sortedBy(rows, (row) => {
    if (column === 'EXECUTION_FIELD_NAME_ID') return row.id;
    return column === 'EXECUTION_FIELD_NAME_CHANGED_DATE' ? row.changed : row.created;
  });
  return pageFrom(sorted, page);
}
