import { expect, test } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { createTree } from '../support/tree.ts';

async function complain(...argv: readonly string[]): Promise<string> {
  const error: unknown = await createTree()
    .parseAsync(argv, { from: 'user' })
    .catch((error: unknown) => error);
  expect(error).toBeInstanceOf(UsageError);
  const { message, hint } = error as UsageError;
  return `${message}\n${hint}\n`;
}

test.each([
  [['migrate', 'keycloak', '--org=1', '--realm=a', 'b'], '--realm=a --realm=b, or: --realm a b'],
  [
    ['migrate', 'auth0', '--org=1', '--users=a', 'b', 'c'],
    '--users=a --users=b --users=c, or: --users a b c',
  ],
  [
    ['migrate', 'auth0', '--org=1', '--users', 'a', '--passwords=p', 'q'],
    '--passwords=p --passwords=q, or: --passwords p q',
  ],
  [['verify', 'body.json', '--org=1', '2'], '--org=1 --org=2\n'],
])('%j is told how several values are given', async (argv, hint) => {
  expect(await complain(...argv)).toContain(
    `After = there is one value; give the flag again for each: ${hint}`,
  );
});

test('says nothing where no list flag was given', async () => {
  const told = await complain('verify', 'body.json', 'other.json');
  expect(told).toMatch(/too many arguments/);
  expect(told).not.toContain('After =');
});
