/** Sets and deletes executions, with the refusals of the service. */
import type { Condition } from '../../wire/action-condition.ts';
import { refusal } from '../errors.ts';
import { conditionId, requireKnownNames } from './condition.ts';
import type { ActionsSetup, ExecutionEntry, ExecutionRow, Generation } from './registry.ts';

/** Replaces what was set for the condition; setting the same again changes nothing. */
export function setExecution(
  setup: ActionsSetup,
  condition: Condition | undefined,
  entries: readonly ExecutionEntry[],
  generation: Generation,
  now: number,
): ExecutionRow {
  const id = conditionId(condition);
  const { registry, names } = setup;
  requireKnownNames(condition!, names);
  const named = new Set<string>();
  for (const entry of entries) {
    if ('target' in entry && (!registry.targets.has(entry.target) || named.has(entry.target))) {
      throw refusal('COMMAND-17e8fq1ggk');
    }
    if ('target' in entry) named.add(entry.target);
  }
  for (const entry of entries) {
    if ('include' in entry && !registry.executions.has(entry.include)) throw refusal('COMMAND-slgj0l4cdz');
  }
  const before = registry.executions.get(id);
  const same =
    before?.generation === generation && JSON.stringify(before.entries) === JSON.stringify(entries);
  if (before !== undefined && same) return before;
  return registry.executions.put({
    id,
    condition: condition!,
    generation,
    entries,
    created: before?.created ?? now,
    changed: now,
    sequence: (before?.sequence ?? 0) + 1,
  });
}

export function deleteExecution(setup: ActionsSetup, condition: Condition | undefined): ExecutionRow {
  const row = setup.registry.executions.delete(conditionId(condition));
  if (row === undefined) throw refusal('COMMAND-suq2upd3rt');
  return row;
}

/** The ids of the targets that stand in the execution itself. */
export function targetIds(row: ExecutionRow): string[] {
  return row.entries.flatMap((entry) => ('target' in entry ? entry.target : []));
}
