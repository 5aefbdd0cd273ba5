/** `idport merge`: joins the files of all shards of a run to those of one run. */
import type { DeclareVerb } from '../verb.ts';

export const declareMerge: DeclareVerb = (program, dispatch) => {
  program
    .command('merge')
    .description('join the journals, id maps and reports of the shards of a run to those of one run')
    .argument(
      '<file...>',
      'names without the shard: x.csv joins x.1-of-4.csv to x.4-of-4.csv; .csv are id maps, .json reports, others journals',
    )
    .examples(
      'idport merge importBody.json.users.journal importBody.json.ids.csv',
      'idport merge report.json',
    )
    .action((files: readonly string[], options: object) =>
      dispatch(async () => (await import('../../commands/merge.ts')).merge, {
        ...options,
        files,
      }),
    );
};
