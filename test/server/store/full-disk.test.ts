/** A data folder on a full disk: nothing is answered that is not kept, and the next start has all that was answered. */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IdportError } from '../../../src/errors.ts';
import { createFullServer, type FullServer } from '../../support/full-server.ts';
import { createTestFolder } from '../../support/folder.ts';
import { limitDisk, type FullDisk } from '../../support/full-disk.ts';

let folder: string;
let disk: FullDisk;
let failures: IdportError[];
beforeEach(() => {
  folder = createTestFolder();
  disk = limitDisk(folder, Infinity);
  failures = [];
});
afterEach(() => disk.restore());

const start = (): FullServer =>
  createFullServer({ data: folder, onFailure: (error) => failures.push(error) });

const human = (userId: string) => ({
  userId,
  username: userId,
  profile: { givenName: 'A', familyName: 'B' },
  email: { email: `${userId}@b.c`, isVerified: true },
});

/** Creates users until one is refused; ids of those that were answered with 200, and the status of the refusal. */
async function createUntilFull(server: FullServer): Promise<{ answered: string[]; status: number }> {
  const answered: string[] = [];
  for (let i = 0; i < 1000; i++) {
    const { status } = await server.call('POST /v2/users/human', human(`u-${i}`));
    if (status !== 200) return { answered, status };
    answered.push(`u-${i}`);
  }
  throw new Error('the disk was never full');
}

/** Ids of the human users that a new server finds in the folder. */
async function restart(): Promise<string[]> {
  disk.room = Infinity;
  const server = start();
  const { body } = await server.call('POST /v2/users', {
    query: { limit: 1000 },
    queries: [{ typeQuery: { type: 'TYPE_HUMAN' } }],
  });
  await server.close();
  return (body.result ?? []).map(({ userId }: { userId: string }) => userId);
}

describe('a full disk', () => {
  it.each([3000, 3001, 3007, 3050, 3111, 3333, 4000])(
    'of %d bytes: what was answered is there at the next start',
    async (room) => {
      const server = start();
      await server.call('GET /v2/users/x');
      disk.room = room;
      const { answered, status } = await createUntilFull(server);
      expect(status).toBe(503);
      expect(answered.length).toBeGreaterThan(3);
      expect(failures).toMatchObject([{ code: 'data:write' }]);
      expect(failures[0]?.message).toBe(
        `${folder}: could not write to it: ENOSPC: no space left on device, write`,
      );
      await server.close();
      expect((await restart()).toSorted()).toEqual(answered.toSorted());
      expect((await restart()).toSorted()).toEqual(answered.toSorted());
    },
  );

  it('answers nothing more, not even when there is room again', async () => {
    const server = start();
    await server.call('POST /v2/users/human', human('before'));
    disk.room = 10;
    expect((await server.call('POST /v2/users/human', human('lost'))).status).toBe(503);
    disk.room = Infinity;
    for (const route of ['GET /v2/users/before', 'POST /v2/users', 'GET /admin/v1/healthz']) {
      expect((await server.call(route, route.startsWith('POST') ? {} : undefined)).status).toBe(503);
    }
    expect((await server.control('POST seed', { orgs: [] })).status).toBe(503);
    await server.close();
    expect(await restart()).toEqual(['before']);
  });

  it('without room for a lock: the server does not start, and leaves nothing', async () => {
    disk.room = 100;
    expect(start).toThrow('cannot be used: ENOSPC');
    expect(fs.readdirSync(folder)).toEqual([]);
    expect(await restart()).toEqual([]);
  });

  it.each([600, 1500, 3000])(
    'of %d bytes at the first start: the next one is a first start',
    async (room) => {
      disk.room = room;
      const full = start();
      expect((await full.call('GET /v2/users/x')).status).toBe(503);
      await full.close();
      expect(failures).toHaveLength(1);
      expect(await restart()).toEqual([]);
      expect(failures).toHaveLength(1);
    },
  );

  it.each([100, 3000])(
    'cut by a kill after %d bytes of the first write: the next start is a first start',
    async (size) => {
      const server = start();
      await server.close();
      const log = join(folder, 'log.1.ndjson');
      fs.truncateSync(log, size);
      expect(await restart()).toEqual([]);
      expect(failures).toEqual([]);
    },
  );

  it('makes seed, reset and createKey fail', async () => {
    const user = { userName: 'a', profile: { firstName: 'A', lastName: 'B' }, email: { email: 'a@b.c' } };
    const works: ((server: FullServer) => Promise<unknown>)[] = [
      (server) => server.seed({ orgs: [{ orgId: 'acme', humanUsers: [{ userId: 'a', user }] }] }),
      (server) => server.reset(),
      (server) => server.createKey(),
    ];
    for (const work of works) {
      disk.room = Infinity;
      const server = start();
      await server.call('GET /v2/users/x');
      disk.room = 5;
      await expect(work(server)).rejects.toMatchObject({ code: 'data:write' });
      await server.close();
    }
  });

  it('that has no room for the end of a bulk import: what was kept is there, and the answer was 503', async () => {
    const server = start();
    await server.call('GET /v2/users/x');
    disk.room = 40_000;
    const humanUsers = Array.from({ length: 300 }, (_, i) => ({
      userId: `u-${i}`,
      user: {
        userName: `u-${i}`,
        profile: { firstName: 'A', lastName: 'B' },
        email: { email: `u-${i}@b.c`, isEmailVerified: true },
      },
    }));
    const body = { dataOrgs: { orgs: [{ orgId: server.orgId, humanUsers }] }, timeout: '1m' };
    expect((await server.call('POST /admin/v1/import', body)).status).toBe(503);
    await server.close();
    disk.room = Infinity;
    const next = start();
    const again = await next.call('POST /admin/v1/import', body);
    expect(again.status).toBe(200);
    await next.close();
    expect(await restart()).toHaveLength(300);
  });
});

describe('a disk that reports late', () => {
  it.each(['fsyncSync', 'closeSync'] as const)(
    'in %s: the end fails, and the folder is free again',
    async (name) => {
      const server = start();
      await server.call('POST /v2/users/human', human('a'));
      disk.failNext(name);
      await expect(server.close()).rejects.toMatchObject({ code: 'data:write' });
      expect(failures).toHaveLength(1);
      expect(await restart()).toEqual(['a']);
    },
  );

  it('and cannot even cut off what it took: the next start drops it', async () => {
    const server = start();
    await server.call('POST /v2/users/human', human('a'));
    disk.room = 50;
    disk.failNext('ftruncateSync');
    expect((await server.call('POST /v2/users/human', human('b'))).status).toBe(503);
    await server.close();
    expect(await restart()).toEqual(['a']);
  });
});

describe('a folder', () => {
  it('that has no room for its lock is refused with one line, and can be used later', async () => {
    disk.room = 0;
    expect(start).toThrow(`${folder}: cannot be used: ENOSPC: no space left on device, write`);
    expect(await restart()).toEqual([]);
  });

  it('that is deleted during the run: requests are refused', async () => {
    const server = start();
    await server.call('POST /v2/users/human', human('a'));
    fs.rmSync(folder, { recursive: true });
    expect((await server.call('POST /v2/users/human', human('b'))).status).toBe(503);
    expect(failures[0]?.message).toContain('the log was deleted');
    await server.close();
  });

  it('that cannot be used is refused with one line', () => {
    fs.writeFileSync(join(folder, 'file'), '');
    const at = join(folder, 'file', 'data');
    expect(() => createFullServer({ data: at })).toThrow(`${at}: cannot be used: ENOTDIR`);
  });
});
