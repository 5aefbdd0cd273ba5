/** The folder of data: what is written comes back, after an end, a kill and a torn line. */
import * as fs from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { IdportError } from '../../../src/errors.ts';
import type { Change } from '../../../src/server/store/table.ts';
import { elsewhere, ended, writeLock } from '../../support/lock-file.ts';
import { outOfDate } from '../../../src/lib/lock.ts';
import { createTestFolder } from '../../support/folder.ts';
import { limitDisk } from '../../support/full-disk.ts';
import { openDisk, type Disk, type Kept } from '../../../src/server/store/disk.ts';

let folder: string;
beforeEach(() => {
  folder = createTestFolder();
});

interface Rows extends Kept {
  readonly rows: Map<string, object>;
  disk: Disk | undefined;
  set(id: string, row: object | undefined): void;
}

/** The smallest thing that can be kept: one table. */
function createRows(): Rows {
  const rows = new Map<string, object>();
  const apply = ({ id, row }: Change): void => {
    if (row === undefined) rows.delete(id);
    else rows.set(id, row);
  };
  const store: Rows = {
    rows,
    disk: undefined,
    *dump() {
      for (const [id, row] of rows) yield { table: 't', id, row };
    },
    apply,
    set(id, row) {
      apply({ table: 't', id, row });
      store.disk?.write({ table: 't', id, row });
    },
  };
  return store;
}

const failures: IdportError[] = [];
const open = (store: Rows, snapshotAfter?: number): Disk => {
  store.disk = openDisk(folder, store, {
    ...(snapshotAfter === undefined ? {} : { snapshotAfter }),
    onFailure: (error) => failures.push(error),
  });
  return store.disk;
};

/** What stands in the folder, as a process would find it that starts now. */
async function readBack(): Promise<Record<string, object>> {
  const store = createRows();
  const disk = open(store);
  await disk.close();
  return Object.fromEntries(store.rows);
}

/** As `kill -9` does it: the process is gone, its files and its lock stay. */
function copyAsKilled(): string {
  const copy = `${folder}-copy`;
  fs.cpSync(folder, copy, { recursive: true });
  writeLock(join(copy, 'lock'), ended);
  return copy;
}

describe('a folder of data', () => {
  it('gives back what was put in, changed and deleted', async () => {
    const store = createRows();
    const disk = open(store);
    store.set('a', { n: 1 });
    store.set('b', { text: 'ü\n"' });
    store.set('a', { n: 2 });
    store.set('c', {});
    store.set('c', undefined);
    await disk.close();
    expect(await readBack()).toEqual({ a: { n: 2 }, b: { text: 'ü\n"' } });
  });

  it('has every change of a callback before anything that is answered after it', async () => {
    const store = createRows();
    const disk = open(store);
    store.set('a', { n: 1 });
    store.set('b', { n: 1 });
    await Promise.resolve();
    const copy = copyAsKilled();
    const found = createRows();
    const second = openDisk(copy, found, { onFailure: () => {} });
    expect([...found.rows.keys()]).toEqual(['a', 'b']);
    await second.close();
    fs.rmSync(copy, { recursive: true });
    await disk.close();
  });

  it('forgets only a torn last line, with all changes that were made together, wherever it was torn', async () => {
    const store = createRows();
    const disk = open(store);
    store.set('a', { n: 1 });
    await Promise.resolve();
    store.set('b', { text: 'äöü' });
    store.set('c', {});
    await disk.close();
    const log = join(folder, 'log.1.ndjson');
    const whole = fs.readFileSync(log);
    const second = whole.indexOf(10) + 1;
    for (let size = second; size < whole.length; size++) {
      fs.writeFileSync(log, whole.subarray(0, size));
      expect(await readBack()).toEqual({ a: { n: 1 } });
      expect(fs.statSync(log).size).toBe(second);
    }
  });

  it('does not start on a line that was changed in the middle', async () => {
    fs.writeFileSync(join(folder, 'log.1.ndjson'), '{"table":"t","id":"a","row":{}}\n{"table":\n{}\n');
    expect(() => open(createRows())).toThrow('line 2 cannot be read');
    expect(fs.existsSync(join(folder, 'lock'))).toBe(false);
  });

  it('is worked on by one server at a time; a lock of a killed one is taken over', async () => {
    const disk = open(createRows());
    expect(() => open(createRows())).toThrow('another server');
    await disk.close();
    writeLock(join(folder, 'lock'), { pid: process.ppid, started: '' });
    expect(() => open(createRows())).toThrow(`process ${process.ppid}`);
    writeLock(join(folder, 'lock'), ended);
    expect(await readBack()).toEqual({});
  });

  it('of a server on another machine is taken over after five minutes, or on demand, and says so', async () => {
    const told: string[] = [];
    const take = (steal: boolean): Disk =>
      openDisk(folder, createRows(), { steal, onFailure: () => {}, onTakenOver: (text) => told.push(text) });
    writeLock(join(folder, 'lock'), elsewhere);
    expect(() => take(false)).toThrow('another server (process 1 in another place (other)) works on it');
    await take(true).close();
    writeLock(join(folder, 'lock'), elsewhere, outOfDate + 1000);
    await take(false).close();
    expect(told).toHaveLength(2);
    expect(told[0]).toContain('its lock was taken over from process 1 in another place (other)');
  });

  it('that another server has taken over is not written any more, and loses nothing by it', async () => {
    failures.length = 0;
    const store = createRows();
    const disk = open(store, 1);
    store.set('a', {});
    await Promise.resolve();
    await disk.settled();
    const files = fs.readdirSync(folder);
    fs.rmSync(join(folder, 'lock'));
    writeLock(join(folder, 'lock'), elsewhere);
    store.set('b', {});
    await Promise.resolve();
    expect(failures).toMatchObject([{ code: 'data:lock-lost' }]);
    await disk.close();
    expect(fs.readdirSync(folder)).toEqual(files);
    fs.rmSync(join(folder, 'lock'));
    expect(await readBack()).toEqual({ a: {} });
  });

  it('is readable for its owner only', async () => {
    const inner = join(folder, 'inner');
    const disk = openDisk(inner, createRows(), { onFailure: () => {} });
    expect(fs.statSync(inner).mode & 0o777).toBe(0o700);
    expect(fs.statSync(join(inner, 'log.1.ndjson')).mode & 0o777).toBe(0o600);
    await disk.close();
  });

  it.skipIf(!fs.existsSync('/proc/self/fd'))(
    'says when the disk takes no more, and keeps what was there before (needs /proc)',
    async () => {
      failures.length = 0;
      const store = createRows();
      const disk = open(store);
      store.set('a', {});
      await Promise.resolve();
      const broken: unknown = { toJSON: () => undefined };
      fs.closeSync(openFile('log.1.ndjson'));
      store.set('b', broken as object);
      await Promise.resolve();
      expect(failures).toMatchObject([{ code: 'data:write' }]);
      expect(disk.failure?.hint).toContain('Make room');
    },
  );
});

/** The descriptor that this process has open on a file of the folder. */
function openFile(name: string): number {
  const path = fs.realpathSync(join(folder, name));
  const found = fs.readdirSync('/proc/self/fd').find((fd) => {
    try {
      return fs.readlinkSync(`/proc/self/fd/${fd}`) === path;
    } catch {
      return false;
    }
  });
  return Number(found);
}

describe('snapshots', () => {
  it('keep the folder small, and changes that come while one is taken are not lost', async () => {
    const store = createRows();
    const disk = open(store, 2000);
    for (let i = 0; i < 500; i++) {
      store.set(`row-${i % 20}`, { i, filler: 'x'.repeat(50) });
      if (i % 10 === 0) await disk.settled();
    }
    await disk.close();
    const files = fs.readdirSync(folder).sort();
    expect(files).toHaveLength(2);
    expect(files[1]).toMatch(/^snapshot\.\d+\.ndjson$/);
    expect(Object.values(await readBack())).toHaveLength(20);
    expect(await readBack()).toEqual(Object.fromEntries(store.rows));
  });

  it.each([0, 500, 3000])(
    'that have %d bytes of room only are removed, and nothing is lost',
    async (room) => {
      failures.length = 0;
      const store = createRows();
      const disk = open(store, 10_000);
      for (let i = 0; i < 100; i++) store.set(`row-${i}`, { filler: 'x'.repeat(90) });
      // The log is open already, and has room.
      const limit = limitDisk(folder, room);
      try {
        await Promise.resolve();
        await disk.settled();
        await disk.close();
      } finally {
        limit.restore();
      }
      expect(failures).toMatchObject([{ code: 'data:write' }]);
      expect(fs.readdirSync(folder).toSorted()).toEqual(['log.1.ndjson', 'log.2.ndjson']);
      expect(await readBack()).toEqual(Object.fromEntries(store.rows));
      expect(Object.keys(await readBack())).toHaveLength(100);
    },
  );

  it('that a killed process left half written are removed', async () => {
    fs.writeFileSync(join(folder, 'snapshot.2.ndjson.part'), '{"tab');
    await open(createRows()).close();
    expect(fs.readdirSync(folder)).toEqual(['log.1.ndjson']);
  });

  it('that were not finished do no harm', async () => {
    const store = createRows();
    const disk = open(store, 100);
    for (let i = 0; i < 30; i++) {
      store.set(`row-${i}`, { i });
      await Promise.resolve();
    }
    const copy = copyAsKilled();
    const found = createRows();
    const second = openDisk(copy, found, { onFailure: () => {} });
    expect(Object.fromEntries(found.rows)).toEqual(Object.fromEntries(store.rows));
    await second.close();
    fs.rmSync(copy, { recursive: true });
    await disk.close();
  });

  it('and logs together always give the last state, for any run of changes, stops and kills', async () => {
    const step = fc.oneof(
      fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd'), n: fc.integer() }),
      fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd'), gone: fc.constant(true) }),
      fc.constant('restart' as const),
      fc.constant('kill' as const),
      fc.constant('wait' as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        fs.rmSync(folder, { recursive: true, force: true });
        const truth = new Map<string, object>();
        const found: object[] = [];
        const expected: object[] = [];
        let store = createRows();
        let disk = open(store, 150);
        for (const one of steps) {
          if (one === 'wait') await disk.settled();
          else if (one === 'restart' || one === 'kill') {
            if (one === 'kill') {
              await Promise.resolve();
              const copy = copyAsKilled();
              await disk.close();
              fs.rmSync(folder, { recursive: true });
              fs.renameSync(copy, folder);
            } else await disk.close();
            store = createRows();
            disk = open(store, 150);
            found.push(Object.fromEntries(store.rows));
            expected.push(Object.fromEntries(truth));
          } else if ('gone' in one) {
            store.set(one.id, undefined);
            truth.delete(one.id);
          } else {
            store.set(one.id, { n: one.n });
            truth.set(one.id, { n: one.n });
          }
        }
        await disk.close();
        expect(found).toEqual(expected);
        expect(await readBack()).toEqual(Object.fromEntries(truth));
      }),
      { numRuns: 40 },
    );
  });
});
