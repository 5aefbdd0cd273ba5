import { expect, it } from 'vitest';
import { wantsColor } from '../../src/terminal/paint.ts';

const watched = { color: true, interactive: true, env: {} };

it.each([
  ['a terminal', watched, true],
  ['no one watches', { ...watched, interactive: false }, false],
  ['a dumb terminal', { ...watched, env: { TERM: 'dumb' } }, false],
  ['NO_COLOR', { ...watched, env: { NO_COLOR: '1' } }, false],
  ['an empty NO_COLOR, which means nothing', { ...watched, env: { NO_COLOR: '' } }, true],
  ['FORCE_COLOR where no one watches', { ...watched, interactive: false, env: { FORCE_COLOR: '1' } }, true],
  ['an empty FORCE_COLOR', { ...watched, interactive: false, env: { FORCE_COLOR: '' } }, true],
  ['FORCE_COLOR=0', { ...watched, env: { FORCE_COLOR: '0' } }, false],
  ['FORCE_COLOR=false', { ...watched, env: { FORCE_COLOR: 'false' } }, false],
  ['FORCE_COLOR over NO_COLOR', { ...watched, env: { FORCE_COLOR: '1', NO_COLOR: '1' } }, true],
  ['--no-color over FORCE_COLOR', { ...watched, color: false, env: { FORCE_COLOR: '1' } }, false],
])('wantsColor: %s', (_, choice, colored) => {
  expect(wantsColor(choice)).toBe(colored);
});
