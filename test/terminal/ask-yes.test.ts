import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it, test } from 'vitest';
import { InterruptedError } from '../../src/errors.ts';
import { askYes } from '../../src/terminal/ask-yes.ts';

class FakeKeys extends EventEmitter {
  raw = false;
  setRawMode(raw: boolean): void {
    this.raw = raw;
  }
  resume(): void {}
  pause(): void {}
}

function ask(...chunks: readonly string[]) {
  const keys = new FakeKeys();
  const screen = new PassThrough();
  const answer = askYes(keys, screen, 'Go on?');
  for (const chunk of chunks) keys.emit('data', Buffer.from(chunk));
  return { keys, answer, shown: () => String(screen.read() ?? '') };
}

describe('a question at a terminal', () => {
  test.each<[string, readonly string[], boolean]>([
    ['Enter is yes', ['\r'], true],
    ['y is yes', ['y'], true],
    ['n is no', ['n'], false],
    ['N is no', ['N'], false],
    ['Ctrl-D is no', ['\u0004'], false],
    ['other keys are passed over', ['x', '7', 'n'], false],
  ])('%s', async (_, chunks, expected) => {
    const { answer, keys } = ask(...chunks);
    expect(await answer).toBe(expected);
    expect([keys.raw, keys.listenerCount('data')]).toEqual([false, 0]);
  });

  it('is no when the input ends', async () => {
    const { keys, answer } = ask();
    keys.emit('end');
    expect(await answer).toBe(false);
  });

  it('shows the answer', async () => {
    const { answer, shown } = ask('\r');
    await answer;
    expect(shown()).toBe('Go on? [Y/n] yes\n');
  });

  it('is given up with Ctrl-C, and the terminal is as it was', async () => {
    const { answer, keys } = ask('\u0003');
    await expect(answer).rejects.toThrow(InterruptedError);
    expect([keys.raw, keys.listenerCount('data')]).toEqual([false, 0]);
  });
});
