import { expect, it } from 'vitest';
import { recordFlags } from '../../src/flags/conversion.ts';
import { readFlags } from '../../src/lib/flag.ts';
import { readOptions } from '../../src/commands/source.ts';
import type { TableOptions } from '../../src/sources/table/mapping/schema.ts';
import { parseCommand } from '../support/tree.ts';

async function isVerified(flags: string) {
  const { options } = await parseCommand(`migrate auth0 --org=1 --users=users.ndjson ${flags}`.split(' '));
  return ((await readOptions('auth0', readFlags(recordFlags, options))) as TableOptions).emailVerified;
}

it.each([
  ['--multiline', undefined],
  ['--email-verified', true],
  ['--email-verified=TRUE', true],
  ['--email-verified --multiline', true],
  ['--email-verified true', true],
  ['--email-verified=false', false],
  ['--email-verified false', false],
])('"%s" says of addresses: %s', async (flags, expected) => {
  expect(await isVerified(flags)).toBe(expected);
});

it('a value that is neither true nor false is refused', async () => {
  await expect(isVerified('--email-verified=perhaps')).rejects.toThrow('neither true nor false');
});
