/**
 * Joins executions to the order of processing: request targets before the field rules, response targets after the
 * handler.
 */
import type { Hooks } from '../app.ts';
import type { Call } from '../context.ts';
import type { Method } from '../method.ts';
import { replaceable, callTargets, type Replaceable, type Sender } from './execute.ts';
import { brandedName } from './names.ts';
import { callPayload } from './payload.ts';
import type { ActionsSetup } from './registry.ts';

export function actionHooks(
  { registry, brand }: ActionsSetup,
  sender: Sender,
): Required<Pick<Hooks, 'onRequest' | 'onResponse'>> {
  const run = (method: Method, call: Call, asked: Replaceable, answered?: Replaceable) => {
    const found = registry.match(`${answered === undefined ? 'request' : 'response'}${method.rpc}`);
    if (found === undefined || found.targets.length === 0) return undefined;
    const { execution, targets } = found;
    const message = answered ?? asked;
    return callTargets(sender, {
      executionId: execution.id,
      trigger: brandedName(method.rpc, brand),
      targets,
      payload: () =>
        callPayload({ call, request: asked.json(), response: answered?.json() }, execution.generation, brand),
      replace: message.replace,
    }).then(() => message.value);
  };
  return {
    onRequest: (method, call, request) => run(method, call, replaceable(method.request, request)),
    onResponse: (method, call, request, response) =>
      run(method, call, replaceable(method.request, request), replaceable(method.response, response)),
  };
}
