import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it, test } from 'vitest';
import { InterruptedError } from '../../src/errors.ts';
import { askLine, askSecret, askYes } from '../../src/terminal/ask.ts';

/** A terminal that remembers what was asked of it. */
class FakeKeys extends EventEmitter {
  readonly calls: string[] = [];
  setRawMode(raw: boolean): void {
    this.calls.push(raw ? 'raw' : 'cooked');
  }
  resume(): void {
    this.calls.push('resume');
  }
  pause(): void {
    this.calls.push('pause');
  }
}

function typing<Answer>(
  ask: (keys: FakeKeys, screen: PassThrough) => Promise<Answer>,
  chunks: readonly (string | Buffer)[],
) {
  const keys = new FakeKeys();
  const screen = new PassThrough();
  const answer = ask(keys, screen);
  for (const chunk of chunks) keys.emit('data', Buffer.from(chunk));
  return { keys, answer, shown: () => String(screen.read() ?? '') };
}

const ask = (...chunks: readonly (string | Buffer)[]) =>
  typing((keys, screen) => askSecret(keys, screen, 'Password: '), chunks);

describe('a secret typed at a terminal', () => {
  test.each<[string, readonly (string | Buffer)[], string]>([
    ['key by key', ['S', '3', '!', '\r'], 'S3!'],
    ['all at once', ['S3!\n'], 'S3!'],
    ['with a character cut in two', [Buffer.from([0xc3]), Buffer.from([0xbc, 0x0d])], 'ü'],
    ['with Backspace', ['ab\u007fc', '\b', 'd\r'], 'ad'],
    ['with Backspace over an emoji', ['a😀\u007fb\r'], 'ab'],
    ['with Backspace at the start', ['\u007f\u007fa\r'], 'a'],
    ['begun anew with Ctrl-U', ['wrong\u0015right\r'], 'right'],
    ['with arrow keys', ['a', '\u001b[D', 'b\r'], 'ab'],
    ['ended with Ctrl-D', ['abc\u0004'], 'abc'],
  ])('%s', async (_, chunks, expected) => {
    expect(await ask(...chunks).answer).toBe(expected);
  });

  it('is shown nowhere', async () => {
    const { answer, shown } = ask('secret\r');
    await answer;
    expect(shown()).toBe('Password: \n');
  });

  it('leaves the terminal as it was', async () => {
    const { answer, keys } = ask('secret\r');
    await answer;
    expect(keys.calls).toEqual(['raw', 'resume', 'cooked', 'pause']);
    expect(keys.listenerCount('data')).toBe(0);
  });

  it('is given up with Ctrl-C, and the terminal is as it was', async () => {
    const { answer, keys } = ask('sec\u0003');
    await expect(answer).rejects.toThrow(InterruptedError);
    expect(keys.calls).toEqual(['raw', 'resume', 'cooked', 'pause']);
  });

  it('ends with the input', async () => {
    const { answer, keys } = ask('abc');
    keys.emit('end');
    expect(await answer).toBe('abc');
  });
});

describe('a line typed at a terminal', () => {
  test.each([
    ['as it is typed', ['12', '5', '\r'], '125', '125'],
    ['with what is corrected', ['12\u007f', '3\r'], '13', '12\b \b3'],
    ['with what is begun anew', ['12\u0015', '3\r'], '3', '12\b \b\b \b3'],
    ['with nothing to take away', ['\u007f1\r'], '1', '1'],
  ])('is shown %s', async (_, chunks, expected, shown) => {
    const line = typing((keys, screen) => askLine(keys, screen, 'Type 13: '), chunks);
    expect(await line.answer).toBe(expected);
    expect(line.shown()).toBe(`Type 13: ${shown}\n`);
  });
});

describe('a question at a terminal', () => {
  const ask = (...chunks: readonly string[]) =>
    typing((keys, screen) => askYes(keys, screen, 'Go on?'), chunks);

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
    expect([keys.calls.slice(2), keys.listenerCount('data')]).toEqual([['cooked', 'pause'], 0]);
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
    expect([keys.calls.slice(2), keys.listenerCount('data')]).toEqual([['cooked', 'pause'], 0]);
  });
});
