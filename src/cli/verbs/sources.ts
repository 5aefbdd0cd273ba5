/** `idport sources`: the sources that there are. */
import type { SourcesFlags } from '../../commands/sources.ts';
import type { DeclareVerb } from '../verb.ts';

export const declareSources: DeclareVerb = (program, dispatch) => {
  program
    .command('sources')
    .description('list the systems that users can be migrated from, and what of each can be migrated')
    .format()
    .examples('idport sources', 'idport sources --format json | jq .name')
    .action((options: SourcesFlags) =>
      dispatch(async () => (await import('../../commands/sources.ts')).listSources, options),
    );
};
