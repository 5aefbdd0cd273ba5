/** Runs a verb with the options of the library, as if they had been typed. */
import { setMaxListeners } from 'node:events';
import { Writable } from 'node:stream';
import { longName } from '../lib/flag.ts';
import { tree } from '../cli/verbs/index.ts';
import { createProgram } from '../cli/program.ts';
import type { CommandContext } from '../commands/context.ts';
import { ExitCode } from '../errors.ts';
import type { IdportEvent } from '../events.ts';
import { systemClock } from '../lib/clock.ts';
import type { Hooks } from './options.ts';

export interface Ran {
  readonly exitCode: ExitCode;
  readonly events: readonly IdportEvent[];
}

/** What a result is made of; the others are only passed on. */
const kept = new Set<IdportEvent['type']>(['run:end', 'import:end', 'verify:end', 'undo:end']);

/** Throws `IdportError`. Lines that the verb would print go to `onLine`; all that they say is in events, too. */
export async function runVerb(
  verb: string,
  { body, token, ...flags }: { readonly body?: string | undefined; readonly token?: string | undefined },
  hooks: Hooks,
  onLine: (line: string) => void = () => {},
): Promise<Ran> {
  const events: IdportEvent[] = [];
  const { signal = new AbortController().signal } = hooks;
  // Every open request listens; Node would warn of a leak.
  setMaxListeners(0, signal);
  const context: CommandContext = {
    emit(event) {
      if (kept.has(event.type)) events.push(event);
      hooks.onEvent?.(event);
    },
    clock: systemClock,
    signal,
    // Not as a flag, which other users of a machine could see: the verb would warn.
    env: token === undefined ? process.env : { ...process.env, IDPORT_TOKEN: token },
    cwd: hooks.cwd ?? process.cwd(),
    stdin: process.stdin,
    stdout: new Writable({
      write(chunk: Buffer, _encoding, done) {
        onLine(chunk.toString());
        done();
      },
    }),
    interactive: false,
  };
  let exitCode: ExitCode = ExitCode.done;
  const program = createProgram(
    '',
    async (load, options) => {
      exitCode = await (await load())(options, context);
    },
    { out: () => {}, err: () => {} },
  );
  const argv = [verb, ...(body === undefined ? [] : [body]), ...toFlags(verb, flags)];
  await program.parseAsync(argv, { from: 'user' });
  return { exitCode, events };
}

/** `{ maxEmails: 10, export: false }` is `--max-emails=10 --no-export`. */
export function toFlags(verb: string, options: object): string[] {
  const flags = { ...tree.verbs?.[verb]?.().flags, ...tree.flags };
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
