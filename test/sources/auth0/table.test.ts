import { expect, it } from 'vitest';
import { scanTable } from '../../../src/sources/auth0/table.ts';
import { memoryInput } from '../../support/memory-input.ts';

it('a CSV with bytes that are not UTF-8 ends with one line', async () => {
  const input = memoryInput('users.csv', Buffer.from('user_id,email\na,\xff@example.org\n', 'latin1'));
  const batches = scanTable('users.csv', input.blocks(), { delimiter: ',', apostrophes: false });
  await expect(batches.next()).rejects.toThrow(/^users\.csv at byte 16: the bytes here are not UTF-8$/);
});
