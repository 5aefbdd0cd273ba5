/** `idport actions execution set|list|clear`: what the service calls, and when. */
import { asking } from './target.ts';
import type { ConditionInput } from '../../wire/actions.ts';
import { UsageError } from '../../errors.ts';
import { findTargetIds } from '../../flows/actions/find-target.ts';
import { printJson, printLines } from '../../storage/stream-sink.ts';
import { alignColumns } from '../../terminal/text.ts';
import type { ListFlags, ClearFlags, ConditionFlags, SetFlags } from '../../flags/actions.ts';
import { describeCondition } from '../../api/actions/condition.ts';
import { namesOf } from '../../flows/actions/plan.ts';

export const setExecution = asking((flags: SetFlags, { stdout }) => {
  const condition = readCondition(flags);
  return async (api) => {
    const targets = await findTargetIds(api, flags.target);
    await api.setExecution(condition, targets);
    await printJson(stdout, { condition, targets, api: api.generation });
  };
});

export const clearExecution = asking((flags: ClearFlags, { stdout }) => {
  const condition = readCondition(flags);
  return async (api) => {
    await api.clearExecution(condition);
    await printJson(stdout, { condition, targets: [], api: api.generation });
  };
});

export const listExecutions = asking((flags: ListFlags, { stdout }) => async (api) => {
  const executions = await api.listExecutions();
  if (flags.format === 'json') return printJson(stdout, executions);
  const targets = await api.listTargets();
  const rows = executions.map((execution) => [
    describeCondition(execution.condition),
    namesOf(execution, targets) || '(none)',
  ]);
  return printLines(stdout, alignColumns([['CONDITION', 'TARGETS'], ...rows]));
});

const conditions = {
  requestMethod: ['request', 'method'],
  requestService: ['request', 'service'],
  requestAll: ['request', 'all'],
  responseMethod: ['response', 'method'],
  responseService: ['response', 'service'],
  responseAll: ['response', 'all'],
  function: ['function', 'name'],
  event: ['event', 'event'],
  eventGroup: ['event', 'group'],
  eventAll: ['event', 'all'],
} as const satisfies Record<keyof ConditionFlags, readonly [kind: string, by: string]>;

function readCondition(flags: ConditionFlags) {
  const names = Object.keys(conditions) as (keyof ConditionFlags)[];
  const [flag, ...others] = names.filter((name) => (flags[name] ?? false) !== false);
  if (flag === undefined || others.length > 0) {
    throw new UsageError(
      'an execution has exactly one condition',
      'For example --request-method /zitadel.user.v2.UserService/AddHumanUser; --help names all kinds.',
    );
  }
  const [kind, by] = conditions[flag];
  const value = flags[flag];
  if (by === 'method' && !/^\/\S+\/\S+$/.test(String(value))) {
    throw new UsageError(
      `--${kind}-method ${value}: not a full method name`,
      'It looks like /zitadel.user.v2.UserService/AddHumanUser.',
    );
  }
  return { [kind]: { [by]: value } } as ConditionInput;
}
