import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { InterruptedError } from '../../src/errors.ts';
import { askSecret, createDialog } from '../../src/terminal/dialog.ts';

/** Types on a terminal that remembers whether it was left as it was. */
async function typing<Answer>(
  ask: (keys: PassThrough, screen: PassThrough) => Promise<Answer>,
  chunks: readonly (string | Buffer)[],
) {
  const calls: boolean[] = [];
  const keys = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (raw: boolean) => calls.push(raw),
  });
  const screen = new PassThrough();
  const answer = ask(keys, screen).catch((error: unknown) => error);
  for (const chunk of chunks) {
    if (chunk === 'end') keys.end();
    else keys.write(chunk);
  }
  const given = await answer;
  expect([calls[0], calls.at(-1), keys.isPaused()]).toEqual([true, false, true]);
  return { answer: given, shown: String(screen.read(screen.readableLength) ?? '') };
}

const interrupted = expect.any(InterruptedError) as unknown;

describe.each([
  ['line', (...[keys, screen]: Streams) => createDialog(keys, screen).text('What?')],
  ['secret', (...[keys, screen]: Streams) => askSecret(keys, screen, 'What? ')],
])('typing a %s', (name, ask) => {
  const isSecret = name === 'secret';
  it.each([
    ['key by key', ['S', '3', '!', '\r'], 'S3!'],
    ['all at once', ['S3!\n'], 'S3!'],
    ['with a character cut in two', [Buffer.from([0xc3]), Buffer.from([0xbc, 0x0d])], 'ü'],
    ['with Backspace', ['ab\u007fc', '\b', 'd\r'], 'ad'],
    ['with Backspace over an emoji', ['a😀\u007fb\r'], 'ab'],
    ['with Backspace at the start', ['\u007f\u007fa\r'], 'a'],
    ['begun anew with Ctrl-U', ['wrong\u0015right\r'], 'right'],
    ['ended with Ctrl-D', ['\u0004'], isSecret ? '' : interrupted],
    ['cut off by the end of the input', ['abc', 'end'], isSecret ? 'abc' : interrupted],
    ['given up with Ctrl-C', ['sec\u0003'], interrupted],
  ])('%s', async (_, chunks, expected) => {
    const { answer, shown } = await typing(ask, chunks);
    expect(answer).toEqual(expected);
    expect(shown).toMatch(isSecret ? /^What\? \n$/ : /What\?/);
  });
});

type Streams = [keys: PassThrough, screen: PassThrough];

it.each([
  ['Enter', ['\r'], true],
  ['y', ['y'], true],
  ['n', ['n'], false],
  ['Ctrl-D', ['\u0004'], interrupted],
  ['the end of the input', ['end'], interrupted],
  ['Ctrl-C', ['\u0003'], interrupted],
])('confirm is answered by %s', async (_, chunks, expected) => {
  const { answer, shown } = await typing((...streams) => createDialog(...streams).confirm('Go on?'), chunks);
  expect(answer).toEqual(expected);
  expect(shown).toContain('Go on?');
});
