/** `idport demo`: shows a whole migration on this machine. */
import type { RunVerb } from '../../commands/demo.ts';
import { type DeclareVerb, examples } from '../verb.ts';

/** `run` runs the other verbs as if they were typed. */
export const declareDemo =
  (run: RunVerb): DeclareVerb =>
  (program, dispatch) => {
    program
      .command('demo')
      .description('show a whole migration on this machine: convert, check, import, verify, roll back')
      .addHelpText('after', examples('idport demo', 'idport demo --json'))
      .action(() => dispatch(async () => (await import('../../commands/demo.ts')).demo, { run }));
  };
