import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { InputError, IdportError } from '../../src/errors.ts';
import {
  isReplaced,
  parseServiceAccount,
  readObject,
  writeObject,
  type BucketAccess,
} from '../../src/storage/bucket.ts';
import { answerHere } from '../support/local-server.ts';
import { startStorageService, type StorageService } from '../support/storage-service.ts';

let service: StorageService;
beforeEach(async () => {
  service = await startStorageService();
});
afterEach(() => service.close());

/** Inside: every wait of a library that asks for `setTimeout` itself takes no time; outside: as always. */
async function hurry<T>(work: () => Promise<T>) {
  const real = globalThis.setTimeout;
  const fast = (call: () => void, ms = 0) => real(call, ms >= 500 ? 0 : ms);
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(fast);
  try {
    return await work();
  } finally {
    spy.mockRestore();
  }
}

type Account = Parameters<StorageService['keyFile']>[0];
const access = (account?: Account): BucketAccess => ({
  account: parseServiceAccount(service.keyFile(account)),
  endpoint: service.endpoint,
  retry: { times: 3, longestWait: 2 },
});
const object = (path: string, bucket = 'moving-day') => ({ bucket, path });
const bytes = (size: number) => Buffer.alloc(size, 'idport ');

async function* pieces(whole: Buffer, size = 100_000) {
  for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size);
}

async function read(path: string, account?: Account, bucket?: string) {
  const blocks: Uint8Array[] = [];
  for await (const block of readObject(object(path, bucket), access(account))) blocks.push(block);
  return Buffer.concat(blocks);
}

async function codeOf(start: () => Promise<unknown>) {
  const error = await hurry(start).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(IdportError);
  expect((error as IdportError).message).not.toContain('PRIVATE KEY');
  return (error as IdportError).code;
}

describe('a bucket object', () => {
  it('is read back as written, small and in several parts', async () => {
    for (const size of [1, 300_000, 17 * 1024 * 1024]) {
      await writeObject(object('2026/export.json'), access(), pieces(bytes(size)));
      expect(service.objects.get('2026/export.json')?.length).toBe(size);
      expect((await read('2026/export.json')).equals(bytes(size))).toBe(true);
    }
  });

  it('is written completely if the connection drops', async () => {
    service.dropUpload([1, 3]);
    await hurry(() => writeObject(object('export.json'), access(), pieces(bytes(17 * 1024 * 1024))));
    expect(service.objects.get('export.json')?.equals(bytes(17 * 1024 * 1024))).toBe(true);
    expect(service.requests.length).toBeGreaterThan(4);
  });

  async function* broken(error: Error) {
    yield bytes(100);
    throw error;
  }

  it.each([
    ['the upload is cut', 'storage:interrupted', [1, 2, 3, 4, 5, 6, 7, 8, 9], pieces(bytes(300_000))],
    ['its source breaks off', 'storage:interrupted', [], broken(new Error('no more'))],
    ['its file changes', 'input:changed', [], broken(new InputError('input:changed', 'a.json', 'changed'))],
  ])('is not created if %s: %s', async (_, code, dropped, source) => {
    service.dropUpload(dropped);
    const work = () => writeObject(object('export.json'), access(), source);
    expect(await codeOf(work)).toBe(code);
    expect(service.objects.size).toBe(0);
  });

  const write = (path: string, account?: Account, bucket?: string) =>
    writeObject(object(path, bucket), access(account), pieces(bytes(1000)));

  it.each([
    ['written with a key that the service does not know', write, 'unknown', 'moving-day', 'storage:bad-key'],
    ['written with an account without the right', write, 'reader', 'moving-day', 'storage:no-permission'],
    ['written to a bucket that does not exist', write, 'writer', 'another', 'storage:no-bucket'],
    ['read with a key that the service does not know', read, 'unknown', 'moving-day', 'storage:bad-key'],
    ['read with an account without the right', read, 'nobody', 'moving-day', 'storage:no-permission'],
    ['read from a bucket that does not exist', read, 'reader', 'another', 'storage:no-bucket'],
    ['read from a path where nothing is', read, 'reader', 'moving-day', 'storage:no-object'],
  ] as const)('cannot be %s', async (_, use, account, bucket, code) => {
    expect(await codeOf(() => use('of-bucket.json', account, bucket))).toBe(code);
  });

  it.each([
    [404, 'Not Found', 'storage:no-bucket'],
    [403, 'pemberton@a-project does not have storage.objects.create access', 'storage:no-permission'],
  ])('that is written with %i %s reports %s', async (status, message, code) => {
    const endpoint = await answerHere(async () => [status, { error: { code: status, message } }]);
    const work = () => writeObject(object('x.json'), { ...access(), endpoint }, pieces(bytes(10)));
    expect(await codeOf(work)).toBe(code);
  });

  it('that changes while it is read is refused', async () => {
    const old = bytes(3_000_000);
    const changes: Record<string, () => void> = {
      replaced: () => service.objects.set('export.json', Buffer.from('{}')),
      'replaced by the same bytes': () => service.objects.set('export.json', Buffer.from(old)),
    };
    for (const [name, change] of Object.entries(changes)) {
      for (const moment of ['before', 'during']) {
        service.objects.set('export.json', old);
        let due = true;
        const act = () => {
          if (due) change();
          due = false;
        };
        service.onRequest = (request) => {
          if (moment === 'before' && request.endsWith('?alt=media')) act();
        };
        const work = async () => {
          for await (const block of readObject(object('export.json'), access())) {
            expect(block.length).toBeGreaterThan(0);
            if (moment === 'during') act();
          }
        };
        expect([name, moment, await codeOf(work)]).toEqual([name, moment, 'input:changed']);
        expect(due).toBe(false);
      }
    }
    service.objects.set('export.json', old);
    service.onRequest = (request) => {
      if (request.endsWith('?alt=media')) service.objects.delete('export.json');
    };
    expect(await codeOf(() => read('export.json'))).toBe('input:changed');
  });

  it('is reported as replaced after another write', async () => {
    const generation = await writeObject(object('export.json'), access(), pieces(bytes(1000)));
    const check = () => isReplaced(object('export.json'), access(), generation);
    expect(generation).toBeGreaterThan(0);
    expect(await check()).toBe(false);
    service.objects.set('export.json', bytes(1000));
    expect(await check()).toBe(true);
    service.objects.delete('export.json');
    expect(await check()).toBe(false);
  });

  it('is refused if no server listens at the endpoint', async () => {
    const gone = { ...access(), endpoint: 'http://127.0.0.1:1' };
    const work = () => writeObject(object('export.json'), gone, pieces(bytes(10)));
    expect(await codeOf(work)).toBe('storage:unreachable');
  });
});

describe('parseServiceAccount', () => {
  it('reads JSON and base64', () => {
    const file = service.keyFile();
    const account = parseServiceAccount(file);
    expect(account.clientEmail).toBe('writer@a-project.iam.gserviceaccount.com');
    expect(parseServiceAccount(Buffer.from(file).toString('base64'))).toEqual(account);
  });

  it.each(['', 'not base64!', '{}', '[]', 'null', '{"client_email":"a"}', '{"private_key":"canary"'])(
    'refuses %j without repeating it',
    (text) => {
      expect(() => parseServiceAccount(text, 'gcs.json')).toThrow('gcs.json: it ');
      expect(() => parseServiceAccount(text)).not.toThrow('canary');
    },
  );

  it('with a broken key causes bad-key, not unreachable', async () => {
    const file = JSON.stringify({
      client_email: 'a@b.c',
      private_key: '-----BEGIN PRIVATE KEY-----\nAAAA\n',
    });
    const broken = { ...access(), account: parseServiceAccount(file) };
    const work = () => writeObject(object('export.json'), broken, pieces(bytes(10)));
    expect(await codeOf(work)).toBe('storage:bad-key');
  });
});
