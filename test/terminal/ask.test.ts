import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { InterruptedError } from '../../src/errors.ts';
import { askLine, askSecret, askYes } from '../../src/terminal/ask.ts';

/** Types on a terminal that remembers whether it was left as it was. */
async function typing<Answer>(
  ask: (keys: PassThrough, screen: PassThrough) => Promise<Answer>,
  chunks: readonly (string | Buffer)[],
) {
  const calls: boolean[] = [];
  const keys = Object.assign(new PassThrough(), { setRawMode: (raw: boolean) => calls.push(raw) });
  const screen = new PassThrough();
  const answer = ask(keys, screen).catch((error: unknown) => error);
  for (const chunk of chunks) {
    if (chunk === 'end') keys.end();
    else keys.write(chunk);
  }
  const given = await answer;
  expect([calls, keys.isPaused()]).toEqual([[true, false], true]);
  return { answer: given, shown: String(screen.read(screen.readableLength) ?? '') };
}

const interrupted = expect.any(InterruptedError) as unknown;

describe.each([
  ['line', askLine],
  ['secret', askSecret],
])('a %s', (name, ask) => {
  it.each([
    ['key by key', ['S', '3', '!', '\r'], 'S3!'],
    ['all at once', ['S3!\n'], 'S3!'],
    ['with a character cut in two', [Buffer.from([0xc3]), Buffer.from([0xbc, 0x0d])], 'ü'],
    ['with Backspace', ['ab\u007fc', '\b', 'd\r'], 'ad'],
    ['with Backspace over an emoji', ['a😀\u007fb\r'], 'ab'],
    ['with Backspace at the start', ['\u007f\u007fa\r'], 'a'],
    ['begun anew with Ctrl-U', ['wrong\u0015right\r'], 'right'],
    ['ended with Ctrl-D', ['\u0004'], ''],
    ['cut off by the end of the input', ['abc', 'end'], 'abc'],
    ['given up with Ctrl-C', ['sec\u0003'], interrupted],
  ])('%s', async (_, chunks, expected) => {
    const { answer, shown } = await typing((keys, screen) => ask(keys, screen, 'What? '), chunks);
    expect(answer).toEqual(expected);
    expect(shown.replaceAll(/\u001b\[\d+[GJ]/g, '')).toMatch(
      name === 'line' ? /^What\? [^]*\n$/ : /^What\? \n$/,
    );
  });
});

it.each([
  ['Enter', ['\r'], true],
  ['y', ['y\r'], true],
  ['Yes', ['Yes\r'], true],
  ['n', ['n\r'], false],
  ['anything else', ['what?\r'], false],
  ['Ctrl-D', ['\u0004'], false],
  ['the end of the input', ['end'], false],
  ['Ctrl-C', ['\u0003'], interrupted],
])('a question is answered by %s', async (_, chunks, expected) => {
  const { answer, shown } = await typing((keys, screen) => askYes(keys, screen, 'Go on?'), chunks);
  expect(answer).toEqual(expected);
  expect(shown).toContain('Go on? [Y/n] ');
});
