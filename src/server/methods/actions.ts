/** The table of all methods of the actions feature, first and second generation. */
import type { ActionsSetup } from '../actions/setup.ts';
import type { Method } from '../method.ts';
import { actionMethodsV3 } from './actions-v3alpha.ts';
import { executionMethods } from './executions.ts';
import { publicKeyMethods } from './public-keys.ts';
import { targetMethods } from './targets.ts';

export function actionMethods(setup: ActionsSetup): readonly Method[] {
  return [
    ...targetMethods(setup),
    ...publicKeyMethods(setup),
    ...executionMethods(setup),
    ...actionMethodsV3(setup),
  ];
}
