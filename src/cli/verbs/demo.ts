/** `idport demo`: shows a whole migration on this machine. */
import type { RunVerb } from '../../commands/demo-steps.ts';
import type { DeclareVerb } from '../verb.ts';

/** `run` runs the other verbs as if they were typed. */
export const declareDemo =
  (run: RunVerb): DeclareVerb =>
  (program, dispatch) => {
    program
      .command('demo')
      .description('show a whole migration on this machine: convert, check, import, verify, roll back')
      .option('--jit', 'show the login-time migration of users whose password hashes cannot move')
      .output('--page <file>', 'keep the report page of the migration (.html)')
      .examples('idport demo --page=cutover.html', 'idport demo --jit')
      .action((options: { jit?: boolean; page?: string }) =>
        dispatch(async () => (await import('../../commands/demo.ts')).demo, { run, ...options }),
      );
  };
