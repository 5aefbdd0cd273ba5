import { expect, it } from 'vitest';
import { wantsColor } from '../../src/terminal/paint.ts';

it.each([
  ['a terminal', {}, true],
  ['no one watches', { interactive: false }, false],
  ['a dumb terminal', { env: { TERM: 'dumb' } }, false],
  ['NO_COLOR', { env: { NO_COLOR: '1' } }, false],
  ['an empty NO_COLOR, which means nothing', { env: { NO_COLOR: '' } }, true],
  ['FORCE_COLOR where no one watches', { interactive: false, env: { FORCE_COLOR: '1' } }, true],
  ['an empty FORCE_COLOR', { interactive: false, env: { FORCE_COLOR: '' } }, true],
  ['FORCE_COLOR=0', { env: { FORCE_COLOR: '0' } }, false],
  ['FORCE_COLOR=false', { env: { FORCE_COLOR: 'false' } }, false],
  ['FORCE_COLOR over NO_COLOR', { env: { FORCE_COLOR: '1', NO_COLOR: '1' } }, true],
  ['--no-color over FORCE_COLOR', { color: false, env: { FORCE_COLOR: '1' } }, false],
])('wantsColor: %s', (_, choice, colored) => {
  expect(wantsColor({ color: true, interactive: true, env: {}, ...choice })).toBe(colored);
});
