import { expect, it } from 'vitest';
import { scanRecords } from '../../../src/sources/auth0/records.ts';
import { memoryInput } from '../../support/memory-input.ts';

it('a CSV with bytes that are not UTF-8 ends with one line', async () => {
  const input = memoryInput('users.csv', Buffer.from('user_id,email\na,\xff@example.org\n', 'latin1'));
  const batches = scanRecords(input);
  await expect(batches.next()).rejects.toThrow(/^users\.csv at byte 16: the bytes here are not UTF-8$/);
});

it('a CSV with two columns of one field is refused, and one with two others is not', async () => {
  const twice = scanRecords(memoryInput('users.csv', 'user_id,email,email\na,x@y,z@y\n'));
  await expect(twice.next()).rejects.toThrow(/two columns email/);
  const others = scanRecords(memoryInput('users.csv', 'user_id,team,team\na,1,2\n'));
  expect((await others.next()).value).toMatchObject({ count: 1 });
});
