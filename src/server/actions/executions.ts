/** Executions of both generations: set, deleted, searched, and which one applies to a call or an event. */
import type { Condition } from '../../wire/action-condition.ts';
import type { Call } from '../context.ts';
import { refusal } from '../errors.ts';
import { type Filters, filtered, type Found, type Page, pageFrom, sortedBy } from '../paging.ts';
import type { ExecutionEntry, ExecutionRow, Generation, TargetRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { conditionId, requireKnownNames } from './condition.ts';

/** Replaces what was set for the condition; setting the same again changes nothing. */
export function setExecution(
  { store, names, settings }: Call,
  condition: Condition | undefined,
  entries: readonly ExecutionEntry[],
  generation: Generation,
): ExecutionRow {
  const id = conditionId(condition);
  const { targets, executions } = store;
  const now = settings.clock.now();
  requireKnownNames(condition!, names);
  const named = new Set<string>();
  for (const entry of entries) {
    if ('target' in entry && (!targets.has(entry.target) || named.has(entry.target))) {
      throw refusal('COMMAND-17e8fq1ggk');
    }
    if ('target' in entry) named.add(entry.target);
  }
  for (const entry of entries) {
    if ('include' in entry && !executions.has(entry.include)) throw refusal('COMMAND-slgj0l4cdz');
  }
  const before = executions.get(id);
  const same =
    before?.generation === generation && JSON.stringify(before.entries) === JSON.stringify(entries);
  if (before !== undefined && same) return before;
  return executions.put({
    id,
    condition: condition!,
    generation,
    entries,
    created: before?.created ?? now,
    changed: now,
    sequence: (before?.sequence ?? 0) + 1,
  });
}

export function deleteExecution({ store }: Call, condition: Condition | undefined): ExecutionRow {
  const row = store.executions.delete(conditionId(condition));
  if (row === undefined) throw refusal('COMMAND-suq2upd3rt');
  return row;
}

/** The ids of the targets that stand in the execution itself. */
export function targetIds(row: ExecutionRow): string[] {
  return row.entries.flatMap((entry) => ('target' in entry ? entry.target : []));
}

const isOneOf = ({ id }: ExecutionRow, { conditions }: { conditions: readonly Condition[] }): boolean =>
  conditions.some((condition) => conditionId(condition) === id);

/** `EXECUTION_TYPE_REQUEST` for `request` and everything below it. */
const isOfType = (row: ExecutionRow, { executionType }: { executionType: string | number }): boolean =>
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
  column: string | number = '',
): Found<ExecutionRow> {
  const rows = filtered(executions, queries, executionFilters as Filters<ExecutionRow, object>);
  const sorted = sortedBy(rows, (row) => {
    if (column === 'EXECUTION_FIELD_NAME_ID') return row.id;
    return column === 'EXECUTION_FIELD_NAME_CHANGED_DATE' ? row.changed : row.created;
  });
  return pageFrom(sorted, page);
}

/** The targets to call for `request/...`, `response/...` or `event/...`, in order; undefined when nothing applies. */
export function matchExecution(
  store: Store,
  requested: string,
): { execution: ExecutionRow; targets: TargetRow[] } | undefined {
  if (store.executions.size === 0) return undefined;
  const filled = [...store.executions.values()].filter((row) => row.entries.length > 0);
  const execution = bestMatch(filled, requested);
  return execution && { execution, targets: targetsOf(store, execution, new Set()) };
}

function targetsOf(store: Store, execution: ExecutionRow, seen: Set<string>): TargetRow[] {
  if (seen.has(execution.id)) return [];
  seen.add(execution.id);
  return execution.entries.flatMap((entry) => {
    if ('target' in entry) return store.targets.get(entry.target) ?? [];
    const included = store.executions.get(entry.include);
    return included === undefined ? [] : targetsOf(store, included, seen);
  });
}

/**
 * Exactly one execution wins: the one with this id, else the longest id that it begins with (a group of events
 * before its `.*`). It is a plain prefix: a condition on `.../Get` also catches `.../GetMore` when nothing fits better.
 */
function bestMatch(executions: readonly ExecutionRow[], requested: string): ExecutionRow | undefined {
  let best: ExecutionRow | undefined;
  let bestLength = -1;
  for (const execution of executions) {
    if (execution.id === requested) return execution;
    const prefix = execution.id.replace(/\.\*$/, '');
    if (prefix.length <= bestLength || !requested.startsWith(prefix)) continue;
    best = execution;
    bestLength = prefix.length;
  }
  return best;
}
