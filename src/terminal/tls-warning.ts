/** Warns once that certificates are not checked, although each connection and Node say it. */
import type { Emit } from '../events.ts';

/** What prints the warnings of Node: `process`. */
export interface Warner {
  emitWarning(warning: string | Error, ...more: never[]): void;
}

export function warnOfTlsOnce(emit: Emit, node: Warner): Emit {
  let said = false;
  return (event) => {
    if (event.type === 'notice' && event.code === 'api:tls-not-verified') {
      if (said) return;
      said = true;
      silenceNode(node);
    }
    emit(event);
  };
}

/** Its words come with the first connection that is made, later than ours, and name no way out. */
function silenceNode(node: Warner): void {
  const emitWarning = node.emitWarning.bind(node);
  node.emitWarning = (warning, ...more) => {
    if (!String(warning).startsWith('Setting the NODE_TLS_REJECT_UNAUTHORIZED'))
      emitWarning(warning, ...more);
  };
}
