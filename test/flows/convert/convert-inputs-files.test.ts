import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Input } from '../../../src/lib/input.ts';
import { openInput } from '../../../src/storage/open-input.ts';
import { createTestFolder } from '../../support/folder.ts';
import { memoryInput } from '../../support/memory-input.ts';
import {
  withText,
  bothWays,
  compact,
  convert,
  count,
  late,
  sampleUsers,
  sampleUser,
  pretty,
  problemOf,
} from '../../support/unread-run.ts';

describe('the file of which batches are handed out unread', () => {
  it('is not read unread where it is small, and read without an error where no user is in it', async () => {
    const few = bothWays(JSON.stringify({ realm: 'x', users: sampleUsers().slice(0, 2000) }));
    expect(await convert([few.plain])).toMatchObject({ opened: 0, guessed: 0, failure: undefined });
    const noUser = bothWays(JSON.stringify({ realm: 'x', users: [], clients: sampleUsers() }));
    expect(await convert([noUser.plain])).toMatchObject({ sampleUsers: [], guessed: 0, failure: undefined });
  });

  it('says so when it gets shorter meanwhile', async () => {
    const folder = createTestFolder();
    writeFileSync(join(folder, 'realm.json'), compact);
    const input = openInput('realm.json', { cwd: folder });
    let batches = 0;
    const beforeBatch = (): void => {
      if (++batches === 3) truncateSync(join(folder, 'realm.json'), 300_000);
    };
    const found = await convert([input], { beforeBatch });
    expect(problemOf(found)).toMatchObject({ code: 'input:changed' });
  });

  it.each<[string, object]>([
    ['fewer', { realm: 'x', users: sampleUsers().slice(0, 100) }],
    ['as many, behind a place where the guess was wrong', { pad: ' '.repeat(400_000), users: sampleUsers() }],
  ])('says so when others stand in it meanwhile: %s', async (_, others) => {
    const folder = createTestFolder();
    const path = join(folder, 'realm.json');
    writeFileSync(path, compact);
    let batches = 0;
    const beforeBatch = (): void => {
      if (++batches === 3) writeFileSync(path, JSON.stringify(others));
    };
    const found = await convert([openInput('realm.json', { cwd: folder })], { beforeBatch });
    expect(problemOf(found)).toMatchObject({ code: 'input:changed' });
  });

  it('is read from its start to its end where a pipe is beside it', async () => {
    const friends = sampleUsers().slice(0, 9);
    const nested = sampleUsers((number) => ({ friends: number < 1000 ? [] : friends }));
    for (const text of [JSON.stringify({ users: nested }), withText(late + 6, '\n')]) {
      const pipe = (): Input => memoryInput('-', JSON.stringify({ users: [sampleUser(9)] }), { pipe: true });
      const { plain, packed } = bothWays(text);
      const [found, expected] = [await convert([pipe(), plain]), await convert([pipe(), packed])];
      expect(found).toMatchObject({ opened: 0, scans: 1 });
      expect(found.sampleUsers).toEqual(expected.sampleUsers);
      expect(problemOf(found)).toEqual(problemOf(expected));
    }
  });

  it('is open only as long as batches of it come', async () => {
    const many = Array.from({ length: 8 }, (_, number) => ({
      ...bothWays(compact).plain,
      name: `${number}.json`,
    }));
    expect(await convert(many)).toMatchObject({ opened: 8, closed: 8, openAtOnce: 1, scans: 1 });
  });

  it('lets signals and timers have their turn, also on one thread', async () => {
    const { guessed, turns } = await convert([bothWays(pretty).plain]);
    expect(guessed).toBeGreaterThan(5);
    expect(turns).toBeGreaterThan(guessed);
  });

  it('is closed when the run ends before it', { timeout: 60_000 }, async () => {
    for (const threads of [1, 3]) {
      const { plain } = bothWays(pretty);
      const { opened, closed } = await convert([plain], { threads, stopAfter: 2 });
      expect([opened, closed]).toEqual([1, 1]);
    }
  });

  it('gives the same on several threads, right or wrong', { timeout: 60_000 }, async () => {
    const decoys = JSON.stringify({ realm: 'x', users: sampleUsers(), clients: sampleUsers() }, null, 1);
    for (const text of [pretty, decoys]) {
      const { plain } = bothWays(text);
      const [alone, together] = [await convert([plain]), await convert([plain], { threads: 3 })];
      expect(together.failure).toBeUndefined();
      expect(together.sampleUsers).toHaveLength(count);
      expect(together.sampleUsers).toEqual(alone.sampleUsers);
      expect(together.raw).toEqual(alone.raw);
      expect(together.helped).toBeGreaterThan(2);
      expect([together.opened, together.scans]).toEqual([together.closed, alone.scans]);
    }
  });
});
