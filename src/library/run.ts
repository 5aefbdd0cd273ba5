/** Runs a verb with the options of the library, as if they had been typed. */
import { setMaxListeners } from 'node:events';
import { Writable } from 'node:stream';
import { longName } from '../lib/flag.ts';
import { tree } from '../cli/verbs/index.ts';
import { runLine } from '../cli/program.ts';
import type { Verb } from '../cli/verb.ts';
import type { ProcessContext } from '../commands/context.ts';
import { type ExitCode, InterruptedError } from '../errors.ts';
import type { IdportEvent } from '../events.ts';
import { systemClock } from '../lib/clock.ts';
import type { Hooks } from './options.ts';

export interface Ran {
  readonly exitCode: ExitCode;
  readonly events: readonly IdportEvent[];
}

/** Types of the events from which results are made. */
const kept = new Set<IdportEvent['type']>(['run:end', 'verify:end', 'undo:end']);

/** Throws `IdportError`. What the verb prints goes to `stdout`; by default it is dropped. */
export async function runVerb(
  verb: string,
  options: object,
  hooks: Hooks,
  stdout: Writable = new Writable({ write: (_chunk, _encoding, done) => done() }),
): Promise<Ran> {
  const { body, token, ...flags } = options as { readonly body?: string; readonly token?: string };
  const events: IdportEvent[] = [];
  const interrupt = new AbortController();
  const { signal } = interrupt;
  // Each open request adds a listener, and Node would warn of a leak.
  setMaxListeners(0, signal);
  const stop = () => interrupt.abort(new InterruptedError('interrupted', undefined, hooks.signal?.reason));
  if (hooks.signal?.aborted === true) stop();
  hooks.signal?.addEventListener('abort', stop);
  const context: ProcessContext = {
    emit(event) {
      if (kept.has(event.type)) events.push(event);
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
    return { exitCode: await runLine('', argv, context), events };
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
