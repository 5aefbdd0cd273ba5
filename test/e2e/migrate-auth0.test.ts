import { expect, it } from 'vitest';
import { recordFlags } from '../../src/flags/conversion.ts';
import { readFlags } from '../../src/lib/flag.ts';
import { readOptions } from '../../src/commands/source.ts';
import type { TableOptions } from '../../src/sources/table/mapping/schema.ts';
import { parseArgv } from '../support/tree.ts';

const parse = async (flags: string) =>
  (await parseArgv(`migrate auth0 --org=1 ${flags}`.trim().split(' '))) as Readonly<Record<string, unknown>>;

async function isVerified(flags: string): Promise<unknown> {
  const typed = await parse(`--users=users.ndjson ${flags}`.trim());
  return ((await readOptions('auth0', readFlags(recordFlags, typed))) as TableOptions).emailVerified;
}

it.each([
  ['', undefined],
  ['--email-verified', true],
  ['--email-verified=TRUE', true],
  ['--email-verified --multiline', true],
  ['--email-verified true', true],
  ['--email-verified=false', false],
  ['--email-verified false', false],
])('"%s" says of addresses: %s', async (flags, expected) => {
  expect(await isVerified(flags)).toBe(expected);
});

it('takes several files, given at once or one by one', async () => {
  const flags = '--users=users.ndjson --users a b --passwords=c --passwords=d --mfa e --id=strip-prefix';
  expect(await parse(flags)).toMatchObject({
    users: ['users.ndjson', 'a', 'b'],
    passwords: ['c', 'd'],
    mfa: ['e'],
    id: 'strip-prefix',
  });
});

it.each([
  ['', /--users/],
  ['--users=a --id=other', /Allowed choices are keep, strip-prefix/],
  ['--users=a --realm=a', /--realm/],
])('"%s" is refused', async (flags, message) => {
  await expect(parse(flags)).rejects.toThrow(message);
});

it('a value that is neither true nor false is refused', async () => {
  await expect(isVerified('--email-verified=perhaps')).rejects.toThrow(/neither true nor false/);
});
