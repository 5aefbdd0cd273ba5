/** `idport runs`: lists the runs whose journals are in a folder. */
import type { RunsFlags } from '../../commands/runs.ts';
import type { DeclareVerb } from '../verb.ts';

export const declareRuns: DeclareVerb = (program, dispatch) => {
  program
    .command('runs')
    .description('list the imports in a folder, by their journals, and how to resume, verify or undo each')
    .argument('[folder]', 'where the journals are', '.')
    .format()
    .examples('idport runs', 'idport runs rehearsal/ --format=json')
    .action((folder: string, options: Omit<RunsFlags, 'folder'>) =>
      dispatch(async () => (await import('../../commands/runs.ts')).runs, { ...options, folder }),
    );
};
