/** Which execution applies to a call or an event, and the targets that it calls. */
import type { ExecutionRow, TargetRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

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
