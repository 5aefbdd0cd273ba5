import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createTestFolder } from '../support/folder.ts';
import { drawFrom, inputSeed } from './draw.ts';
import { isMisplaced, isMisplacedIn, plantFile, refuseCanary } from './canary.ts';
import { type Find, readFind, writeFind } from './find.ts';
import { mutate } from './mutate.ts';
import { runTarget } from './run-target.ts';
import { Finding, type FuzzTarget } from './target.ts';
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
  it('makes the same inputs for the same seed, and others for another', async () => {
    const made = async (seed: number): Promise<string[]> =>
      Promise.all(
        targets.map(async (target) => {
          const opened = await target.open();
          const input = opened.make(drawFrom(inputSeed(seed, target.name, 3)));
          await opened.close?.();
          return input.toString('base64');
        }),
      );
    expect(await made(1)).toEqual(await made(1));
    expect(await made(1)).not.toEqual(await made(2));
  });

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

  it('writes finds to files that can be read again', () => {
    const find: Find = {
      target: 't',
      seed: 1,
      index: 2,
      kind: 'slow',
      message: 'm',
      input: '',
      drawn: 'eA==',
    };
    expect(readFind(writeFind(createTestFolder(), find))).toEqual(find);
  });

  it('finds what takes too long', async () => {
    const { finds } = await run(
      planted(() => {}),
      3,
      0,
      -1,
    );
    expect(finds.map(({ kind }) => kind)).toEqual(['slow', 'slow', 'slow']);
  });

  it('stops after a few finds', async () => {
    const { finds, tried } = await run(
      planted(() => {
        throw new Finding('difference', 'always');
      }),
      1000,
    );
    expect([finds.length, tried]).toEqual([5, 5]);
  });
});

describe('the canary', () => {
  const keys = new Set(['value', 'secretData']);

  it('is planted in secrets of a fixture and nowhere else', () => {
    const file = readFileSync(new URL('../../fixtures/keycloak/typical/realm.json', import.meta.url));
    const text = plantFile(file, keys).toString();
    expect(text.match(/CANARYSECRET/g)?.length).toBeGreaterThan(3);
    expect(isMisplaced(JSON.parse(text), keys)).toBe(false);
  });

  it('is told from one that a change has brought to another place', () => {
    expect(isMisplaced({ value: 'CANARYSECRET' }, keys)).toBe(false);
    expect(isMisplaced({ value: ['CANARYSECRET'] }, keys)).toBe(false);
    expect(isMisplaced({ value: { name: 'CANARYSECRET' } }, keys)).toBe(true);
    expect(isMisplaced([{ name: 'xCANARYSECRETx' }], keys)).toBe(true);
    expect(isMisplaced({ CANARYSECRET: 1 }, keys)).toBe(true);
  });

  it.each([
    ['{"value":"CANARYSECRET","name":"x', false],
    ['{"id":"CANARYSECRET","value":"x', true],
    ['{"value":["a","CANARYSECRET"],"name":]', false],
    ['{"value":"x","CANARYSECRET":1', true],
    ['{"value":"x" CANARYSECRET "', true],
    ['{"secretData":"{\\"value\\":\\"CANARYSECRET\\"}",', false],
    ['name,hash\nx,CANARYSECRET', false],
  ])('is told from one in another place in broken JSON: %s', (text, misplaced) => {
    expect(isMisplacedIn(text, keys)).toBe(misplaced);
  });

  it('is refused wherever it is shown', () => {
    expect(() => refuseCanary('a note', 'all is well')).not.toThrow();
    expect(() => refuseCanary('a note', 'the hash canarySECRETab')).toThrow('a secret is shown in a note');
  });
});
