/** `actions execution`: say when targets are called. */
import type { IdportCommand } from '../../command.ts';
import { Argument } from 'commander';
import type {
  ConditionFlags,
  ListNamesOptions,
  SetExecutionOptions,
} from '../../../commands/actions/execution.ts';
import type { ServiceFlags } from '../../../commands/actions/actions-api.ts';
import type { OutputFormat } from '../../../commands/actions/output.ts';
import { collect, type DeclareVerb } from '../../verb.ts';
import { addServiceFlags } from './service-flags.ts';

const load = () => import('../../../commands/actions/execution.ts');

export const declareExecution: DeclareVerb = (actions, dispatch) => {
  const execution = actions
    .command('execution')
    .description('say when which targets are called')
    .examples(
      'idport actions execution list',
      'idport actions execution set --event user.human.added --target audit',
    );

  execution
    .command('set')
    .description('set the targets of a condition, in place of those it has')
    .with(addCondition)
    .requiredOption('--target <id|name>', 'target to call (repeatable; called in this order)', collect)
    .examples(
      'idport actions execution set --request-method /zitadel.user.v2.UserService/AddHumanUser --target audit',
      'idport actions execution set --event user.human.added --target audit --target crm',
    )
    .action((options: SetExecutionOptions) => dispatch(async () => (await load()).setExecution, options));

  execution
    .command('list')
    .description('list all executions')
    .with(addServiceFlags)
    .format()
    .examples('idport actions execution list', 'idport actions execution list --format json | jq')
    .action((options: ServiceFlags & { format: OutputFormat }) =>
      dispatch(async () => (await load()).listExecutions, options),
    );

  execution
    .command('clear')
    .description('remove all targets from a condition')
    .with(addCondition)
    .examples(
      'idport actions execution clear --request-method /zitadel.user.v2.UserService/AddHumanUser',
      'idport actions execution clear --event-all',
    )
    .action((options: ServiceFlags & ConditionFlags) =>
      dispatch(async () => (await load()).clearExecution, options),
    );

  execution
    .command('names')
    .description('list what conditions may name at this service')
    .addArgument(new Argument('<kind>', 'of what').choices(['methods', 'services', 'functions']))
    .with(addServiceFlags)
    .examples('idport actions execution names methods', 'idport actions execution names functions')
    .action((kind: ListNamesOptions['kind'], options: ServiceFlags) =>
      dispatch(async () => (await load()).listNames, { ...options, kind }),
    );
};

function addCondition(command: IdportCommand): IdportCommand {
  return command
    .option('--request-method <method>', 'before this method runs: /zitadel.user.v2.UserService/AddHumanUser')
    .option('--request-service <service>', 'before any method of this service: zitadel.user.v2.UserService')
    .option('--request-all', 'before any method')
    .option('--response-method <method>', 'after this method')
    .option('--response-service <service>', 'after any method of this service')
    .option('--response-all', 'after any method')
    .option('--function <name>', 'preuserinfo, preaccesstoken or presamlresponse')
    .option('--event <type>', 'when this event happens: user.human.added')
    .option('--event-group <group>', 'when any event of this group happens: user.human')
    .option('--event-all', 'when any event happens')
    .with(addServiceFlags);
}
