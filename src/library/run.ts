/** Runs a verb with the options of the library, as if they had been typed. */
import { setMaxListeners } from 'node:events';
import { Writable } from 'node:stream';
import { longName } from '../lib/flag.ts';
import { tree } from '../cli/verbs/index.ts';
import { runLine } from '../cli/program.ts';
import type { Verb } from '../cli/verb.ts';
import type { ProcessContext } from '../commands/context.ts';
import { InterruptedError } from '../errors.ts';
import type { EventOf, IdportEvent } from '../events.ts';
import { systemClock } from '../lib/clock.ts';
import type { Hooks } from './options.ts';

/**
 * Returns the exit code and the last event of type `last`. Throws `IdportError`. What the verb prints goes to `stdout`; by
 * default it is dropped.
 */
export async function runVerb<Last extends IdportEvent['type']>(
  last: Last,
  verb: string,
  options: object,
  hooks: Hooks,
  stdout: Writable = new Writable({ write: (_chunk, _encoding, done) => done() }),
) {
  const { body, token, ...flags } = options as { readonly body?: string; readonly token?: string };
  let end: EventOf<Last> | undefined;
  const interrupt = new AbortController();
  const { signal } = interrupt;
  // Each open request adds a listener, and Node would warn of a leak.
  setMaxListeners(0, signal);
  const stop = () => interrupt.abort(new InterruptedError('interrupted', undefined, hooks.signal?.reason));
  if (hooks.signal?.aborted) stop();
  hooks.signal?.addEventListener('abort', stop);
  const context: ProcessContext = {
    emit(event) {
      if (event.type === last) end = event as EventOf<Last>;
      hooks.onEvent?.(event);
    },
    clock: systemClock,
    signal,
    // Not passed as a flag, because other users of the machine could see it.
    env: token === undefined ? process.env : { ...process.env, IDPORT_TOKEN: token },
    cwd: hooks.cwd ?? process.cwd(),
    stdin: process.stdin,
    stdout,
  };
  const argv = [...verb.split(' '), ...(body === undefined ? [] : [body]), ...toFlags(verb, flags)];
  try {
    return { exitCode: await runLine('', argv, context), end };
  } finally {
    hooks.signal?.removeEventListener('abort', stop);
  }
}

/** Converts options to flags: `{ maxEmails: 10, export: false }` becomes `--max-emails=10 --no-export`. */
export function toFlags(verb: string, options: object) {
  const own = verb.split(' ').reduce<Verb | undefined>((at, name) => at?.verbs?.[name]?.(), tree);
  const flags = { ...own?.flags, ...tree.flags };
  return Object.entries(options as Readonly<Record<string, unknown>>).flatMap(([name, value]) => {
    const flag = flags[name] ?? { help: '' };
    const long = longName(name, flag);
    if (value === undefined) return [];
    if (typeof value !== 'boolean')
      return [value].flat().map((one: unknown) => `${long}=${one as string | number}`);
    if (value === (flag.negated !== true)) return [long];
    return flag.read === undefined ? [] : [`${long}=${value}`];
  });
}
