import { expect, it } from 'vitest';
import { recordFlags } from '../../../src/flags/conversion.ts';
import { readFlags } from '../../../src/lib/flag.ts';
import { parseFlags } from '../../support/tree.ts';

it.each([
  ['--multiline', undefined],
  ['--email-verified', true],
  ['--email-verified --multiline', true],
  ['--email-verified true', true],
  ['--email-verified=false', false],
  ['--email-verified false', false],
])('"%s" sets emailVerified to %s', async (flags, expected) => {
  const options = await parseFlags(`migrate auth0 --org=1 --users=users.ndjson ${flags}`.split(' '));
  expect(readFlags(recordFlags, options).emailVerified).toBe(expected);
});
