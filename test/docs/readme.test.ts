import { expect, it } from 'vitest';

import { createLive } from '../../src/terminal/live.ts';
import { noPaint } from '../../src/terminal/paint.ts';
import { withState } from '../../src/terminal/run-state.ts';

import { createFakeClock } from '../support/clock.ts';
import { runProgram } from '../support/workspace.ts';
import { readProject, root } from '../support/folder.ts';

it('docs/demo.svg shows what the demo prints (else: npm run record)', async () => {
  const picture = readProject('docs/demo.svg');
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
function steady(lines: readonly string[]) {
  const text = lines.join(' ').replace(/(--port=|127\.0\.0\.1:)\d+/g, '$1PORT');
  return text
    .replace(/in [\d.]+ m?s\b/g, 'in TIME')
    .replace(/\s+/g, ' ')
    .trim();
}

function unescape(line: string) {
  const text = line.replace(/<[^>]*>/g, '');
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

it('README counts the systems with real exports', () => {
  const rows = readProject('docs/sources.md').match(/\| export \|$/gm);
  expect(readProject('README.md')).toContain(`of ${rows?.length} other real systems`);
});
