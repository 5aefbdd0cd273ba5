/** `actions apply`: bring the targets and executions of a service into the state of a file. */
import type { ApplyOptions } from '../../../commands/actions/apply.ts';
import type { DeclareVerb } from '../../verb.ts';
import { addServiceFlags } from './service-flags.ts';

export const declareApply: DeclareVerb = (actions, dispatch) => {
  actions
    .command('apply')
    .description('show what a file would change at the service; with --yes change it')
    .argument('<file>', 'targets and executions as YAML or JSON, or - for standard input')
    .with(addServiceFlags)
    .option('--yes', 'make the changes')
    .option('--prune', 'also delete targets and clear executions that the file does not have')
    .option('--key-folder <folder>', 'write the signing keys of new targets into this folder')
    .format()
    .examples(
      'idport actions apply actions.yaml',
      'idport actions apply actions.yaml --yes --key-folder keys',
    )
    .action((file: string, options: Omit<ApplyOptions, 'file'>) =>
      dispatch(async () => (await import('../../../commands/actions/apply.ts')).applyActions, {
        ...options,
        file,
      }),
    );
};
