import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { drawFrom } from '../fuzz/draw.ts';
import { faultSchema } from '../../src/server/limits/faults.ts';
import { drawFault } from './faults.ts';
import { liveLate } from './late-life.ts';
import { live } from './life.ts';
import { play } from './scene.ts';
import { Troubles } from './trouble.ts';

describe('a life', () => {
  it.each(['import', 'import-users'] as const)(
    'of %s, killed twice, ends with every user there once',
    async (verb) => {
      const { troubles, runs } = await live(verb, 2, drawFrom(11));
      expect(troubles).toEqual([]);
      expect(runs).toBeGreaterThan(1);
    },
    120_000,
  );
});

it.each(['import', 'import-users'] as const)(
  'lives of %s with lists up to two minutes behind: none of the users is missing, and a rollback leaves none',
  async (verb) => {
    let killed = 0;
    for (let seed = 1; seed <= 4; seed++) {
      const { troubles, kills } = await liveLate(verb, 3, drawFrom(seed));
      expect(troubles).toEqual([]);
      killed += kills;
    }
    expect(killed).toBeGreaterThan(0);
  },
  120_000,
);

it('every fault that is drawn is one that the server takes', () => {
  const draw = drawFrom(3);
  for (let left = 200; left > 0; left--) expect(() => faultSchema.parse(drawFault(draw))).not.toThrow();
});

describe('troubles', () => {
  it('are what is not as it must be', () => {
    const troubles = new Troubles();
    troubles.expect(true, 'one');
    troubles.same('two', [1], [1]);
    troubles.says('the disk\n  is full', 'the disk is full');
    troubles.readable('three', 'error: all is well at 12:30:00', ['secret']);
    expect(troubles.list).toEqual([]);
    troubles.expect(false, 'one');
    troubles.same('two', [1], [2]);
    troubles.says('no', 'yes');
    troubles.readable('three', 'Error: x\n    at run (/a/b.js:1:2)\nsecret', ['secret']);
    expect(troubles.list).toHaveLength(5);
  });

  it('of a scene that breaks off are told', async () => {
    let folder = '';
    const troubles = await play(({ cwd }) => {
      folder = cwd;
      return Promise.reject(new Error('something else'));
    });
    onTestFinished(() => rmSync(folder, { recursive: true }));
    expect(existsSync(join(folder, 'realm.json'))).toBe(true);
    expect(troubles).toEqual([expect.stringContaining('something else'), `all files of it are in ${folder}`]);
  });
});

it('a shell gives the exit code of the first command of a pipe', async () => {
  const codes: (number | null)[] = [];
  await play(async ({ shell }) => {
    codes.push((await shell('false | true')).exitCode, (await shell('true | false')).exitCode);
  });
  expect(codes).toEqual([1, 0]);
});
