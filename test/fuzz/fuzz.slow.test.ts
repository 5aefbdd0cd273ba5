import { describe, expect, it } from 'vitest';

import { type Find } from './find.ts';
import { mutate } from './mutate.ts';
import { runTarget } from './run-target.ts';
import { type FuzzTarget } from './target.ts';
import { targets } from './targets/index.ts';

const run = async (target: FuzzTarget, to: number, from = 0, patience = 60_000) => {
  const finds: Find[] = [];
  const tried = await runTarget(target, {
    seed: 7,
    from,
    to,
    patience,
    now: () => performance.now(),
    before: () => false,
    found: (find) => finds.push(find),
  });
  return { finds, tried };
};

/** A target of which some inputs show a defect. */
const planted = (check: (input: Buffer) => void): FuzzTarget => ({
  name: 'planted',
  about: 'a defect',
  share: 1,
  open: () =>
    Promise.resolve({
      make: (draw) => mutate(Buffer.from('0123456789abcdef'.repeat(10)), draw),
      check,
    }),
});

describe('a short run of', () => {
  it.each(targets)('$name: $about', async (target) => {
    const count = target.inTests ?? 120;
    await expect(run(target, count)).resolves.toEqual({ finds: [], tried: count });
  });
});

describe('the fuzzer', () => {
  it('finds a crash, makes it as small as it can be, and names the input', async () => {
    const { finds } = await run(
      planted((input) => {
        if (input.includes('{')) throw new TypeError('a brace');
      }),
      500,
    );
    expect(finds.length).toBeGreaterThan(0);
    for (const find of finds) {
      expect(find).toMatchObject({ target: 'planted', seed: 7, kind: 'crash' });
      expect(find.message).toContain('TypeError: a brace');
      expect(Buffer.from(find.input, 'base64').toString()).toBe('{');
      expect(Buffer.from(find.drawn, 'base64').includes('{')).toBe(true);
    }
  });
});
