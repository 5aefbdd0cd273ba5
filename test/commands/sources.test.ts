import { expect, it } from 'vitest';
import { providerNames } from '../../src/sources/providers.ts';
import { openFolder, succeeded } from '../support/workspace.ts';

it('idport sources lists every source, what it moves, and whether it is proven', async () => {
  const { stdout } = await succeeded(openFolder().run('sources'));
  const [first = '', ...more] = stdout.split(/\n(?=\S)/);
  expect([first, ...more].map((text) => text.split(' ', 1)[0])).toEqual([...providerNames]);
  const textOf = (name: string) => [first, ...more].find((text) => text.startsWith(`${name} `));
  expect(textOf('phoenix')).toMatch(
    /Phoenix \(phx.gen.auth\)\n +moves: .*email addresses[^]*\n +not tested with a real export/,
  );
  expect(textOf('auth0')).toMatch('moves: ids');
  expect(textOf('django')).not.toMatch('not tested');
});
