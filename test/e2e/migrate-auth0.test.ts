import { describe, expect, it } from 'vitest';
import { recordFlags } from '../../src/flags/conversion.ts';
import { readFlags } from '../../src/lib/flag.ts';
import { readOptions } from '../../src/commands/source.ts';
import type { TableOptions } from '../../src/sources/table/options.ts';
import { parseArgv } from '../support/argv.ts';

const required = ['migrate', 'auth0', '--org=1', '--users=users.ndjson'];

async function check(...argv: readonly string[]): Promise<TableOptions> {
  const typed = (await parseArgv([...required, ...argv])) as Readonly<Record<string, unknown>>;
  return (await readOptions('auth0', readFlags(recordFlags, typed))) as TableOptions;
}

describe('--email-verified', () => {
  it.each([
    [[], undefined],
    [['--email-verified'], true],
    [['--email-verified=true'], true],
    [['--email-verified=TRUE'], true],
    [['--email-verified', '--multiline'], true],
    [['--email-verified', 'true'], true],
    [['--email-verified=false'], false],
    [['--email-verified', 'false'], false],
  ])('%j says %s', async (argv, expected) => {
    expect((await check(...argv)).emailVerified).toBe(expected);
  });

  it.each([[['--email-verified=perhaps'], /neither true nor false/]])(
    '%j is refused',
    async (argv, message) => {
      await expect(check(...argv)).rejects.toThrow(message);
    },
  );
});

describe('the command line of migrate auth0', () => {
  it('takes several files, given at once or one by one', async () => {
    const argv = [
      ...required,
      '--users',
      'a',
      'b',
      '--passwords=c',
      '--passwords=d',
      '--mfa',
      'e',
      '--id=strip-prefix',
    ];
    expect(await parseArgv(argv)).toMatchObject({
      users: ['users.ndjson', 'a', 'b'],
      passwords: ['c', 'd'],
      mfa: ['e'],
      id: 'strip-prefix',
    });
  });

  it.each([
    [['migrate', 'auth0', '--org=1'], /--users/],
    [[...required, '--id=other'], /Allowed choices are keep, strip-prefix/],
    [[...required, '--realm=a'], /--realm/],
  ])('%j is refused', async (argv, message) => {
    await expect(parseArgv(argv)).rejects.toThrow(message);
  });
});
