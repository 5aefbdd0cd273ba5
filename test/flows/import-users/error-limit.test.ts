import { describe, expect, it } from 'vitest';
import { ErrorLimit } from '../../../src/flows/import-users/error-limit.ts';

/** After how many users a run is given up; `x` is one who is refused, `.` one who arrives. */
function givenUpAfter(
  limit: ConstructorParameters<typeof ErrorLimit>[0],
  sampleUsers: string,
): number | undefined {
  const errors = new ErrorLimit(limit);
  for (const [place, end] of Array.from(sampleUsers).entries()) {
    try {
      if (end === 'x') errors.failed('refused');
      else errors.arrived();
    } catch {
      return place + 1;
    }
  }
  return undefined;
}

describe('a run is given up', () => {
  it('without a limit, when its first thirty users are all refused', () => {
    expect(givenUpAfter({}, 'x'.repeat(40))).toBe(30);
    expect(givenUpAfter({}, `${'x'.repeat(29)}.${'x'.repeat(1000)}`)).toBeUndefined();
  });

  it('with a number, when one more is refused, at the start as well', () => {
    expect(givenUpAfter({ most: 20 }, 'x'.repeat(40))).toBe(21);
    expect(givenUpAfter({ most: 40 }, 'x'.repeat(40))).toBeUndefined();
  });

  it('with a part, when more of them are refused, once a hundred users were sent', () => {
    expect(givenUpAfter({ share: 0.05 }, 'x'.repeat(200))).toBe(100);
    expect(givenUpAfter({ share: 0.05 }, `${'.'.repeat(95)}${'x'.repeat(10)}`)).toBe(101);
    expect(givenUpAfter({ share: 0.05 }, '....................x'.repeat(50))).toBeUndefined();
  });
});
