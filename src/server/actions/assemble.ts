/** The parts of the actions feature put together for one server: what it knows, how it calls, which methods it adds. */
import type { ServerState } from '../context.ts';
import type { Ledger } from '../ledger.ts';
import { actionMethods } from '../methods/actions.ts';
import type { Method } from '../method.ts';
import type { ReferenceServerOptions } from '../options.ts';
import { createTargetCaller } from './call-target.ts';
import type { Sender, SentCall } from './execute.ts';
import { createMethodNames } from './names.ts';
import type { MethodNames } from './names.ts';
import { createRegistry } from './registry.ts';
import { createSealer } from './seal.ts';
import type { ActionsSetup } from './setup.ts';

export interface Actions {
  readonly setup: ActionsSetup;
  readonly sender: Sender;
  /** Of the whole server: those that were given, and those of the feature itself. */
  readonly methods: readonly Method[];
}

/**
 * Before the store is filled: its tables have to know their indexes first. `served`: conditions may name each of them.
 */
export function createActions(
  state: ServerState,
  served: readonly Method[],
  calls: Ledger<SentCall>,
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
    brand: options.brand ?? 'service',
    allowPrivate,
    enabled: options.actions ?? true,
  };
  const methods = [...served, ...actionMethods(setup)];
  const sender: Sender = {
    clock: state.settings.clock,
    caller: createTargetCaller({ allowPrivate }),
    registry,
    sealer: createSealer(state.webKey),
    ledger: calls,
    background: state.background,
  };
  return { setup, sender, methods };
}
