import { expect, it } from 'vitest';
import { createErrorLimit } from '../../../src/flows/import-users/run.ts';

/** After how many users a run is given up, 0 for none; `x` is one who is refused, `.` one who arrives. */
it.each([
  ['without a limit, when its first thirty users are all refused', {}, 'x'.repeat(40), 30],
  ['... and not where one of them arrives', {}, `${'x'.repeat(29)}.${'x'.repeat(1000)}`, 0],
  ['with a number, when one more is refused', { most: 20 }, 'x'.repeat(40), 21],
  ['... at the start as well', { most: 40 }, 'x'.repeat(40), 0],
  ['with a part, once a hundred users were sent', { share: 0.05 }, 'x'.repeat(200), 100],
  ['... when more of them are refused', { share: 0.05 }, `${'.'.repeat(95)}${'x'.repeat(10)}`, 101],
  ['... and not before', { share: 0.05 }, `${'.'.repeat(20)}x`.repeat(50), 0],
])('createErrorLimit stops a run %s', (_, limit, ends, expected) => {
  const errors = createErrorLimit(limit);
  const place = Array.from(ends).findIndex((end) => {
    try {
      return errors(end === '.' ? undefined : 'refused');
    } catch {
      return true;
    }
  });
  expect(place + 1).toBe(expected);
});
