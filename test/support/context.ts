/** What a command is handed, for tests: what it writes and emits is kept, time stands still, Ctrl-C is a function. */
import { setMaxListeners } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import type { CommandContext } from '../../src/commands/context.ts';
import { InterruptedError } from '../../src/errors.ts';
import type { IdportEvent } from '../../src/events.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { createOutputs } from '../../src/storage/file-sink.ts';
import { createFakeClock } from './clock.ts';

export function createTestContext(
  options: {
    stdin?: string | Uint8Array;
    cwd?: string;
    clock?: Clock;
    env?: Readonly<Record<string, string>>;
  } = {},
) {
  const interrupt = new AbortController();
  setMaxListeners(0, interrupt.signal);
  const events: IdportEvent[] = [];
  const written: Buffer[] = [];
  const waiting = new Set<() => void>();
  const lookAgain = () => waiting.forEach((look) => look());
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk);
      lookAgain();
      done();
    },
  });
  const out = () => Buffer.concat(written).toString();
  const cwd = options.cwd ?? process.cwd();
  const context: CommandContext = {
    given: [],
    typed: '',
    json: false,
    outputs: createOutputs({ cwd, stdout }),
    addFacts: () => undefined,
    onEnd: (close) => onTestFinished(async () => void (await close())),
    emit: (event) => {
      events.push(event);
      lookAgain();
    },
    clock: options.clock ?? createFakeClock(),
    signal: interrupt.signal,
    env: options.env ?? {},
    cwd,
    stdin: Readable.from(options.stdin === undefined ? [] : [Buffer.from(options.stdin)]),
    stdout,
  };
  /** Resolves with what is found in the output or among the events, as soon as it is there. */
  const when = <Found>(find: () => Found | null | undefined | false) =>
    new Promise<Found>((resolve) => {
      const look = () => {
        const found = find();
        if (!found) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  return {
    context,
    /** Everything on standard output so far. */
    out,
    events,
    /** As Ctrl-C does. */
    interrupt: () => interrupt.abort(new InterruptedError()),
    when,
    outputMatching: (pattern: RegExp) => when(() => pattern.exec(out())),
  };
}
