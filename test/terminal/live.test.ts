import { expect, it } from 'vitest';
import type { IdportEvent } from '../../src/events.ts';
import { createLive, type Screen, openScreen } from '../../src/terminal/live.ts';
import { noPaint } from '../../src/terminal/paint.ts';
import { withState } from '../../src/terminal/run-state.ts';
import { createFakeClock } from '../support/clock.ts';
import { exampleRun, type Timed } from '../support/events.ts';
import { PassThrough } from 'node:stream';

/** A screen that remembers: `~` marks what the moving line showed. */
function createMemoryScreen(columns = 80): Screen & { drawn: string[] } {
  const drawn: string[] = [];
  return {
    drawn,
    columns: () => columns,
    show: (line) => drawn.push(`~ ${line}`),
    print: (lines) => drawn.push(...(lines.length === 0 ? ['taken away'] : lines)),
  };
}

async function draw(run: readonly Timed[], columns?: number) {
  const clock = createFakeClock();
  const screen = createMemoryScreen(columns);
  const emit = withState(createLive(screen, noPaint), clock);
  for (const [after, event] of run) {
    await clock.advance(after);
    emit(event);
  }
  return screen.drawn;
}

it('createLive shows a moving line, problems and the final summary', async () => {
  const drawn = await draw(exampleRun);
  expect(drawn.slice(0, 5)).toEqual([
    '~ [##--------] 25 %, 250 users, 6.0 s left, 125/s, 250 kB of 1 MB',
    'rejected: realm.json #252 (mia): user-skipped:no-email',
    'warning: the realm half only',
    '~ [##--------] 25 %, waiting 30 s: the service asks to slow down, 250 users',
    '~ [#######---] 75 %, waiting 27 s: the service asks to slow down, 750 users',
  ]);
  expect(drawn.join('\n')).toContain('1,000 users read in 8.0 s');
});

it('createLive shows no moving line for an instant run', async () => {
  const quick = exampleRun.map(([, event]): Timed => [0, event]);
  expect((await draw(quick)).filter((line) => line.startsWith('~'))).toEqual([]);
});

it.each<IdportEvent>([
  { type: 'output:closed' },
  { type: 'login:tried', userName: 'ann', succeeded: true, detail: '' },
])('createLive removes the moving line at %j', async (event) => {
  const progress: IdportEvent = { type: 'run:progress', bytes: 1, records: 1 };
  const drawn = await draw([...exampleRun.slice(0, 2), [500, progress], [0, event]]);
  expect(drawn).toEqual([/^~/, 'taken away']);
});

it('createLive wraps demo text but no command', async () => {
  const commands = ['idport report migrate.json check.json --output=cutover.html'];
  const title = 'Roll back: delete the users that the import created, and no others';
  const step = { type: 'demo:step', number: 7, of: 7, title, commands } as const;
  const end = { type: 'demo:end', seconds: 2, jit: false } as const;
  const drawn = await draw(
    [step, end].map((event) => [0, event]),
    50,
  );
  expect(drawn.filter((line) => line.length > 50)).toEqual([`     $ ${commands[0]}`]);
  expect(drawn).toContain('7/7  Roll back: delete the users that the import');
  expect(drawn).toContain('     created, and no others');
});

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
