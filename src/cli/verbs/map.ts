/** `idport map`: the beginning of a mapping file. */
import { examples, type DeclareVerb } from '../verb.ts';

export const declareMap: DeclareVerb = (program, dispatch) => {
  program
    .command('map')
    .description('look at a table of users and draft a mapping for it')
    .argument('<file>', 'CSV, JSON or JSON lines, also gzipped')
    .addHelpText('after', examples('idport map users.csv > mapping.yaml', 'idport map users.jsonl.gz'))
    .action((file: string) =>
      dispatch(async () => (await import('../../commands/map.ts')).draftMap, { file }),
    );
};
