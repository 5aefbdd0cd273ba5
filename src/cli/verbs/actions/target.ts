/** `actions target`: register the receivers of calls. */
import type { IdportCommand } from '../../command.ts';
import type { CreateTargetOptions, ListOptions, OneTargetOptions } from '../../../commands/actions/target.ts';
import type { DeclareVerb } from '../../verb.ts';
import { addServiceFlags } from './service-flags.ts';

const load = () => import('../../../commands/actions/target.ts');

export const declareTarget: DeclareVerb = (actions, dispatch) => {
  const target = actions
    .command('target')
    .description('register, list, change and delete targets')
    .examples('idport actions target list', 'idport actions target get audit');

  declareSettings(target, dispatch);
  declareReading(target, dispatch);
  declareKeysAndDeletion(target, dispatch);
};

type Declare = (target: IdportCommand, dispatch: Parameters<DeclareVerb>[1]) => void;

const declareSettings: Declare = (target, dispatch) => {
  target
    .command('create')
    .description('register a target')
    .requiredOption('--name <name>', 'its name')
    .requiredOption('--endpoint <url>', 'address that receives the calls')
    .option('--timeout <duration>', 'time that a call may take, up to 270s', '10s')
    .with(addSettings)
    .output('--key-file <file>', 'write the signing key into this new file, for its owner alone')
    .option('--show-key', 'put the signing key into the JSON on standard output')
    .examples(
      'idport actions target create --name audit --endpoint https://hooks.example/audit --timeout 10s --key-file audit.key',
      'idport actions target create --name gate --endpoint https://hooks.example/gate --call --interrupt-on-error --show-key',
    )
    .action((options: CreateTargetOptions) => dispatch(async () => (await load()).createTarget, options));

  target
    .command('update')
    .description('change a target; what is not given stays')
    .with(addOne, addSettings)
    .option('--name <name>', 'new name')
    .option('--endpoint <url>', 'address that receives the calls')
    .option('--timeout <duration>', 'time that a call may take, up to 270s')
    .option('--no-interrupt-on-error', 'a failed call changes nothing for the triggering call')
    .examples(
      'idport actions target update audit --timeout 5s',
      'idport actions target update audit --endpoint https://hooks.example/v2/audit',
    )
    .action((target: string, options: Omit<OneTargetOptions, 'target'>) =>
      dispatch(async () => (await load()).updateTarget, { ...options, target }),
    );
};

const declareReading: Declare = (target, dispatch) => {
  target
    .command('list')
    .description('list all targets, without their keys')
    .with(addServiceFlags)
    .format()
    .examples('idport actions target list', 'idport actions target list --format json | jq')
    .action((options: ListOptions) => dispatch(async () => (await load()).listTargets, options));

  target
    .command('get')
    .description('show one target; fetch its signing key')
    .with(addOne)
    .output('--key-file <file>', 'write the signing key into this new file, for its owner alone')
    .option('--show-key', 'put the signing key into the JSON on standard output')
    .examples('idport actions target get audit', 'idport actions target get audit --key-file audit.key')
    .action((target: string, options: Omit<OneTargetOptions, 'target'>) =>
      dispatch(async () => (await load()).getTarget, { ...options, target }),
    );
};

const declareKeysAndDeletion: Declare = (target, dispatch) => {
  target
    .command('delete')
    .description('delete a target; executions lose it')
    .with(addOne)
    .examples('idport actions target delete audit', 'idport actions target delete 344649040681500814')
    .action((target: string, options: Omit<OneTargetOptions, 'target'>) =>
      dispatch(async () => (await load()).deleteTarget, { ...options, target }),
    );

  target
    .command('rotate-key')
    .description('make a new signing key; the old one ends at once')
    .with(addOne)
    .output('--key-file <file>', 'write the new key into this file, in place of the one that is there')
    .option('--show-key', 'put the new key into the JSON on standard output')
    .examples(
      'idport actions target rotate-key audit --key-file audit.key',
      'idport actions target rotate-key audit --show-key',
    )
    .action((target: string, options: Omit<OneTargetOptions, 'target'>) =>
      dispatch(async () => (await load()).rotateKey, { ...options, target }),
    );
};

function addOne(command: IdportCommand): IdportCommand {
  return command.argument('<target>', 'id or name of the target').with(addServiceFlags);
}

function addSettings(command: IdportCommand): IdportCommand {
  const described = command
    .option('--webhook', 'only the status of its response counts (default)')
    .option('--call', 'its response replaces the content of the request or response')
    .option('--async', 'the service does not wait for its response')
    .option('--interrupt-on-error', 'a failed call fails the call that triggered it')
    .choice('--payload <form>', 'form of the payload', ['json', 'jwt', 'jwe']);
  return command.options.some(({ long }) => long === '--url') ? described : described.with(addServiceFlags);
}
