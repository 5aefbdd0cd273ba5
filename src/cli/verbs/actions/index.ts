/** `idport actions`: targets, executions, and a receiver of calls for tests. */
import type { DeclareVerb } from '../../verb.ts';
import { declareApply } from './apply.ts';
import { declareListen, declareReplay, declareSign, declareVerify } from './calls.ts';
import { declareExecution } from './execution.ts';
import { declareTarget } from './target.ts';

const parts = [
  declareTarget,
  declareExecution,
  declareApply,
  declareListen,
  declareVerify,
  declareSign,
  declareReplay,
];

export const declareActions: DeclareVerb = (program, dispatch) => {
  const actions = program
    .command('actions')
    .description('register targets and executions; receive, verify, sign and replay their calls')
    .examples(
      'idport actions apply actions.yaml',
      'idport actions listen --port 8080 --signing-key-file audit.key',
    );
  for (const declare of parts) declare(actions, dispatch);
};
