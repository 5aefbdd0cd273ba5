import { expect, it } from 'vitest';
import { openSharedStore } from '../../src/storage/redis.ts';

it.each([
  'localhost',
  'http://127.0.0.1',
  'redis://',
  'redis://:a/secret@127.0.0.1:6379',
  'redis://:a#secret@127.0.0.1:6379',
  'redis://127.0.0.1:6379/secret',
  'redis://:secret%zz@127.0.0.1:6379',
  'redis://127.0.0.1:6379?secret',
])('openSharedStore refuses the address %s without repeating it', async (address) => {
  const opened = openSharedStore('--rate-store', address, { onProblem: () => undefined });
  await expect(opened).rejects.toThrow('--rate-store: not an address of a Redis or Valkey');
  await expect(opened).rejects.not.toThrow('secret');
});
