import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { openScreen } from '../../src/terminal/screen.ts';

/** A terminal as the spinner needs it, which remembers what was written. */
function createTerminal(columns: number) {
  const terminal = new PassThrough();
  const calls = { isTTY: true, columns, cursorTo: () => true, clearLine: () => true, moveCursor: () => true };
  return Object.assign(terminal, calls);
}

it('openScreen draws on a terminal without columns', () => {
  const terminal = createTerminal(0);
  const screen = openScreen(terminal, false);
  screen.show('50 %');
  screen.show('60 %');
  screen.print(['done']);
  expect(String(terminal.read(terminal.readableLength))).toContain('60 %');
  expect(screen.columns()).toBe(80);
});

it('openScreen restores the terminal for questions', () => {
  const terminal = createTerminal(100);
  const writing = () => Reflect.get(terminal, 'write');
  const before = writing();
  const screen = openScreen(terminal, false);
  screen.show('50 %');
  expect(writing()).not.toBe(before);
  screen.print(['done']);
  expect(writing()).toBe(before);
});
