/**
 * Joins executions to the order of processing: request targets before the field rules, response targets after the
 * handler.
 */
import type { Hooks } from '../app.ts';
import type { Call } from '../context.ts';
import type { Method } from '../method.ts';
import { replaceable, callTargets, type Sender } from './execute.ts';
import { brandedName } from './names.ts';
import { callPayload } from './payload.ts';
import type { ActionsSetup } from './registry.ts';

export function actionHooks(
  setup: ActionsSetup,
  sender: Sender,
): Required<Pick<Hooks, 'onRequest' | 'onResponse'>> {
  return {
    onRequest(method, call, request) {
      const found = setup.registry.match(`request${method.rpc}`);
      if (found === undefined || found.targets.length === 0) return undefined;
      const message = replaceable(method.request, request);
      const { execution, targets } = found;
      return callTargets(sender, {
        executionId: execution.id,
        trigger: brandedName(method.rpc, setup.brand),
        targets,
        payload: () => callPayload({ call, request: message.json() }, execution.generation, setup.brand),
        replace: message.replace,
      }).then(() => message.value);
    },
    onResponse: (method, call, request, response) =>
      runResponse(setup, sender, method, call, request, response),
  };
}

function runResponse(
  setup: ActionsSetup,
  sender: Sender,
  method: Method,
  call: Call,
  request: unknown,
  response: unknown,
): Promise<unknown> | undefined {
  const found = setup.registry.match(`response${method.rpc}`);
  if (found === undefined || found.targets.length === 0) return undefined;
  const asked = replaceable(method.request, request);
  const message = replaceable(method.response, response);
  const { execution, targets } = found;
  return callTargets(sender, {
    executionId: execution.id,
    trigger: brandedName(method.rpc, setup.brand),
    targets,
    payload: () =>
      callPayload(
        { call, request: asked.json(), response: message.json() },
        execution.generation,
        setup.brand,
      ),
    replace: message.replace,
  }).then(() => message.value);
}
