/** What a command is handed, for tests: what it writes and emits is kept, time stands still, Ctrl-C is a function. */
import { Readable, Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import type { CommandContext } from '../../src/commands/context.ts';
import { InterruptedError } from '../../src/errors.ts';
import type { IdportEvent } from '../../src/events.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { createOutputs } from '../../src/storage/file-sink.ts';
import { createFakeClock } from './clock.ts';

export type TestContext = ReturnType<typeof createTestContext>;

export function createTestContext(
  options: {
    stdin?: string | Uint8Array;
    cwd?: string;
    clock?: Clock;
    env?: Record<string, string>;
  } = {},
) {
  const interrupt = new AbortController();
  const events: IdportEvent[] = [];
  const waiting = new Set<() => void>();
  let text = '';
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      for (const look of waiting) look();
      done();
    },
  });
  const cwd = options.cwd ?? process.cwd();
  const context: CommandContext = {
    given: [],
    typed: '',
    json: false,
    outputs: createOutputs({ cwd, stdout }),
    addFacts: () => undefined,
    onEnd: (close) => onTestFinished(async () => void (await close())),
    emit: (event) => void events.push(event),
    clock: options.clock ?? createFakeClock(),
    signal: interrupt.signal,
    env: options.env ?? {},
    cwd,
    stdin: Readable.from(options.stdin === undefined ? [] : [Buffer.from(options.stdin)]),
    stdout,
  };
  return {
    context,
    /** Everything on standard output so far. */
    out: () => text,
    events,
    /** As Ctrl-C does. */
    interrupt: () => interrupt.abort(new InterruptedError()),
    /** Resolves with the output as soon as it fits. */
    outputMatching: (pattern: RegExp) =>
      new Promise<RegExpExecArray>((resolve) => {
        const look = () => {
          const found = pattern.exec(text);
          if (found === null) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
  };
}
