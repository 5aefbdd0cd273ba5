/** `idport actions execution set|list|clear|names`. */
import { describeCondition } from '../../api/actions/condition.ts';
import { ExitCode, UsageError } from '../../errors.ts';
import { findTargetIds } from '../../flows/actions/find-target.ts';
import { print, printLine, printLines } from '../../storage/stream-sink.ts';
import type { ConditionInput } from '../../wire/action-condition.ts';
import type { ClearFlags, ConditionFlags, ListFlags, NamesFlags, SetFlags } from '../../flags/actions.ts';
import type { CommandContext } from '../context.ts';
import { withActionsApi } from './actions-api.ts';
import { formatTable } from './output.ts';

export async function setExecution(options: SetFlags, context: CommandContext): Promise<ExitCode> {
  const condition = readCondition(options);
  return withActionsApi(options, context, async (api) => {
    const targets = await findTargetIds(api, options.target);
    await api.setExecution(condition, targets);
    await printLine(context.stdout, JSON.stringify({ condition, targets, api: api.generation }));
    return ExitCode.done;
  });
}

export async function clearExecution(options: ClearFlags, context: CommandContext): Promise<ExitCode> {
  const condition = readCondition(options);
  return withActionsApi(options, context, async (api) => {
    await api.clearExecution(condition);
    await printLine(context.stdout, JSON.stringify({ condition, targets: [], api: api.generation }));
    return ExitCode.done;
  });
}

export async function listExecutions(options: ListFlags, context: CommandContext): Promise<ExitCode> {
  return withActionsApi(options, context, async (api) => {
    const executions = await api.listExecutions();
    if (options.format === 'json') {
      await printLine(context.stdout, JSON.stringify(executions));
      return ExitCode.done;
    }
    const names = new Map((await api.listTargets()).map(({ id, name }) => [id, name]));
    const rows = executions.map(({ condition, targets, includes }) => [
      describeCondition(condition),
      [
        ...targets.map((id) => names.get(id) ?? id),
        ...includes.map((include) => `those of "${describeCondition(include)}"`),
      ].join(', ') || '(none)',
    ]);
    await print(context.stdout, formatTable(['CONDITION', 'TARGETS'], rows));
    return ExitCode.done;
  });
}

/** What conditions may name at this service, one a line. */
export async function listNames(options: NamesFlags, context: CommandContext): Promise<ExitCode> {
  const names = await withActionsApi(options, context, (api) => api.listNames(options.kind));
  await printLines(context.stdout, names);
  return ExitCode.done;
}

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

export function readCondition(flags: ConditionFlags): ConditionInput {
  const given = Object.keys(readers) as (keyof ConditionFlags)[];
  const [flag, ...others] = given.filter((name) => flags[name] !== undefined);
  if (flag === undefined || others.length > 0) {
    throw new UsageError('an execution has exactly one condition', {
      hint: 'For example --request-method /zitadel.user.v2.UserService/AddHumanUser; --help names all kinds.',
    });
  }
  return readers[flag](String(flags[flag]));
}

function checkMethod(flag: string, method: string): string {
  if (/^\/\S+\/\S+$/.test(method)) return method;
  throw new UsageError(`${flag} ${method}: not a full method name`, {
    hint: 'It looks like /zitadel.user.v2.UserService/AddHumanUser.',
  });
}
