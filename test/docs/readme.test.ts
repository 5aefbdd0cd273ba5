import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

import { createLive } from '../../src/terminal/live.ts';
import { noPaint } from '../../src/terminal/paint.ts';
import { withState } from '../../src/terminal/run-state.ts';

import { createFakeClock } from '../support/clock.ts';
import { createTestFolder } from '../support/folder.ts';
import { linesOf } from '../support/page.ts';
import { runProgram } from '../support/program.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const keycloak = readFileSync(`${root}docs/providers/keycloak.md`, 'utf8');
const fixture = 'fixtures/keycloak/typical/realm.json';

it('the screen on the page of Keycloak is how that of the program begins', async () => {
  const cwd = createTestFolder();
  const { events, problem } = await runProgram(
    ['migrate', 'keycloak', '--org=165617389845094785', `--realm=${root}${fixture}`],
    { cwd },
  );
  expect(problem).toBeUndefined();
  const shown = /readme\.test\.ts -->\n```text\n(?<screen>.*?)\n```/s.exec(keycloak)?.groups?.['screen'];
  const steady = (text: string): string => text.replace(/read in [\d.]+ m?s/, 'read in no time');
  const printed = steady(linesOf(events).join('\n').replaceAll(root, ''));
  const expected = steady(shown ?? 'nothing');
  expect(printed.slice(0, expected.length)).toBe(expected);
});

it('the picture of the demo shows what the program prints (else: npm run record)', async () => {
  const picture = readFileSync(`${root}docs/demo.svg`, 'utf8');
  const texts = Array.from(picture.matchAll(/<text [^>]*>(.*)<\/text>/g), ([, line = '']) => unescape(line));
  const { events } = await runProgram(['demo'], { cwd: root });
  const lines: string[] = [];
  const screen = {
    columns: () => 132,
    show: () => {},
    print: (added: readonly string[]) => lines.push(...added),
  };
  const emit = withState(createLive(screen, noPaint), createFakeClock());
  for (const event of events) emit(event);
  expect(texts[0]).toMatch(/\$ npx idport demo$/);
  expect(steady(texts.slice(1))).toEqual(steady(lines));
});

/** Without what differs from run to run, and however the terminal broke the lines. */
function steady(lines: readonly string[]): string {
  const text = lines.join(' ').replace(/(--port=|127\.0\.0\.1:)\d+/g, '$1PORT');
  return text
    .replace(/in [\d.]+ m?s\b/g, 'in TIME')
    .replace(/\s+/g, ' ')
    .trim();
}

function unescape(line: string): string {
  const text = line.replace(/<[^>]*>/g, '');
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
