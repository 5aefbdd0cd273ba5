/** `idport actions execution set|list|clear`: what the service calls, and when. */
import { asking } from './target.ts';
import type { ConditionInput } from '../../wire/actions.ts';
import { UsageError } from '../../errors.ts';
import { findTargetIds } from '../../flows/actions/find-target.ts';
import { printJson, printLines } from '../../storage/stream-sink.ts';
import { alignColumns } from '../../terminal/text.ts';
import type { ListFlags, ClearFlags, ConditionFlags, SetFlags } from '../../flags/actions.ts';
import { describeCondition } from '../../api/actions/condition.ts';

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
  const names = new Map((await api.listTargets()).map(({ id, name }) => [id, name]));
  const rows = executions.map(({ condition, targets, includes }) => [
    describeCondition(condition),
    [
      ...targets.map((id) => names.get(id) ?? id),
      ...includes.map((include) => `those of "${describeCondition(include)}"`),
    ].join(', ') || '(none)',
  ]);
  return printLines(stdout, alignColumns([['CONDITION', 'TARGETS'], ...rows]));
});

const readers: {
  readonly [Flag in keyof ConditionFlags]-?: (value: string) => ConditionInput;
} = {
  requestMethod: (method) => ({ request: { method: checkMethod('--request-method', method) } }),
  requestService: (service) => ({ request: { service } }),
  requestAll: () => ({ request: { all: true } }),
  responseMethod: (method) => ({ response: { method: checkMethod('--response-method', method) } }),
  responseService: (service) => ({ response: { service } }),
  responseAll: () => ({ response: { all: true } }),
  function: (name) => ({ function: { name } }),
  event: (event) => ({ event: { event } }),
  eventGroup: (group) => ({ event: { group } }),
  eventAll: () => ({ event: { all: true } }),
};

function readCondition(flags: ConditionFlags) {
  const given = Object.keys(readers) as (keyof ConditionFlags)[];
  const [flag, ...others] = given.filter((name) => (flags[name] ?? false) !== false);
  if (flag === undefined || others.length > 0) {
    throw new UsageError(
      'an execution has exactly one condition',
      'For example --request-method /zitadel.user.v2.UserService/AddHumanUser; --help names all kinds.',
    );
  }
  return readers[flag](String(flags[flag]));
}

function checkMethod(flag: string, method: string) {
  if (/^\/\S+\/\S+$/.test(method)) return method;
  throw new UsageError(
    `${flag} ${method}: not a full method name`,
    'It looks like /zitadel.user.v2.UserService/AddHumanUser.',
  );
}
