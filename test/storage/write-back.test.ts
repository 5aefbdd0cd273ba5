import { readdirSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { OutputError } from '../../src/errors.ts';
import { createFileSink } from '../../src/storage/file-sink.ts';
import { WriteBack } from '../../src/storage/write-back.ts';
import { createTestFolder } from '../support/folder.ts';

/** What the system does with a sync that a file asks for. */
const system = vi.hoisted(() => ({ failure: null as Error | null, syncs: 0 }));
vi.mock('node:fs', async (original) => ({
  ...(await original<typeof import('node:fs')>()),
  fdatasync: (_file: number, done: (error: Error | null) => void) => {
    system.syncs++;
    setImmediate(() => done(system.failure));
  },
}));

const megabyte = 1024 * 1024;
const full = Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });

describe('writing back', () => {
  it('syncs now and then, one sync at a time, and waits for the last one', async () => {
    const underWay: ((error: Error | null) => void)[] = [];
    let all = 0;
    const writeBack = new WriteBack(7, (file, done) => {
      expect(file).toBe(7);
      underWay.push(done);
      all++;
    });
    for (let step = 0; step < 15; step++) writeBack.wrote(megabyte);
    expect(all).toBe(0);
    for (let step = 0; step < 100; step++) writeBack.wrote(megabyte);
    expect(all).toBe(1);
    underWay.shift()!(null);
    writeBack.wrote(1);
    expect(all).toBe(2);
    let isFinished = false;
    const finished = writeBack.finish().then(() => (isFinished = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isFinished).toBe(false);
    underWay.shift()!(null);
    await finished;
  });

  it('tells of a sync that failed, with the next bytes and at the end', async () => {
    const writeBack = new WriteBack(7, (_file, done) => done(full));
    writeBack.wrote(100 * megabyte);
    expect(() => writeBack.wrote(1)).toThrow('EIO');
    await expect(writeBack.finish()).rejects.toThrow('EIO');
    await expect(new WriteBack(7, () => undefined).finish()).resolves.toBeUndefined();
  });
});

describe('a file of which a sync fails', () => {
  it('ends the run and is not there', async () => {
    const cwd = createTestFolder();
    system.failure = full;
    const sink = createFileSink('body.json', { cwd });
    sink.write(Buffer.alloc(40 * megabyte));
    await expect(sink.commit()).rejects.toBeInstanceOf(OutputError);
    sink.discard();
    expect(readdirSync(cwd)).toEqual([]);
    system.failure = null;
  });

  it('is not the one that is discarded while a sync is under way', async () => {
    const cwd = createTestFolder();
    const before = system.syncs;
    const sink = createFileSink('body.json', { cwd });
    sink.write(Buffer.alloc(40 * megabyte));
    expect(system.syncs).toBe(before + 1);
    const committed = sink.commit();
    sink.discard();
    await expect(committed).rejects.toThrow('closed');
    expect(readdirSync(cwd)).toEqual([]);
  });
});
