/** Builds the actions feature of one server: targets and executions, the sender of calls, the methods that it adds. */
import { actionMethodsV3 } from '../methods/actions-v3alpha.ts';
import { executionMethods, nameMethods } from '../methods/executions.ts';
import { publicKeyMethods } from '../methods/public-keys.ts';
import { targetMethods } from '../methods/targets.ts';
import { betaMessages } from '../../wire/actions.ts';
import type { ServerState } from '../context.ts';
import type { Method } from '../method.ts';
import type { ReferenceServerOptions } from '../options.ts';
import type { Recent } from '../recent.ts';
import { createTargetCaller } from './call-target.ts';
import { createSealer, type Sender, type SentCall } from './execute.ts';
import { createMethodNames, type MethodNames } from './names.ts';
import { createRegistry, type ActionsSetup } from './registry.ts';

export interface Actions {
  readonly setup: ActionsSetup;
  readonly sender: Sender;
  /** Of the whole server: those that were given, and those of the feature itself. */
  readonly methods: readonly Method[];
}

/**
 * Called before the store is filled, because tables need their indexes first. Conditions may name any method of `served`.
 */
export function createActions(
  state: ServerState,
  served: readonly Method[],
  calls: Recent<SentCall>,
  options: ReferenceServerOptions,
): Actions {
  const registry = createRegistry(state.store);
  const allowPrivate = options.allowPrivateTargets ?? true;
  let names: MethodNames | undefined;
  const setup: ActionsSetup = {
    registry,
    get names() {
      return (names ??= createMethodNames(methods.map(({ rpc }) => rpc)));
    },
    brand: options.brand ?? 'zitadel',
    allowPrivate,
    enabled: options.actions ?? true,
  };
  const methods = [...served, ...actionMethods(setup)];
  const sender: Sender = {
    clock: state.settings.clock,
    caller: createTargetCaller({ allowPrivate }),
    registry,
    sealer: createSealer(state.webKey),
    sent: calls,
    background: state.background,
  };
  return { setup, sender, methods };
}

/** The table of all methods of the actions feature: `v2`, `v2beta`, which differs in a few messages, and `v3alpha`. */
export function actionMethods(setup: ActionsSetup): readonly Method[] {
  const names = nameMethods(setup);
  const second = [...targetMethods(setup), ...executionMethods(setup), ...names];
  return [
    ...second,
    ...second.map(asBeta),
    ...publicKeyMethods(setup),
    ...actionMethodsV3(setup),
    ...names.map((method) => moved(method, '/v2/actions', '/v3alpha')),
  ];
}

function asBeta(method: Method): Method {
  const messages: Readonly<Record<string, Partial<Method>>> = betaMessages;
  return {
    ...moved(method, '/v2/', '/v2beta/'),
    rpc: method.rpc.replace('.v2.', '.v2beta.'),
    ...messages[method.rpc.split('/').at(-1)!],
  };
}

const moved = (method: Method, from: string, to: string): Method => ({
  ...method,
  route: method.route.replace(from, to) as Method['route'],
});
