import { expect, it } from 'vitest';
import { providerNames } from '../../src/sources/providers.ts';
import { openFolder, succeeded } from '../support/desk.ts';

it('idport sources lists every source, what it moves, and whether it is proven', async () => {
  const { run } = openFolder();
  const { stdout } = await succeeded(run('sources --format json'));
  const sources = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(sources.map(({ name }) => name)).toEqual([...providerNames]);
  expect(sources.find(({ name }) => name === 'phoenix')).toMatchObject({
    title: 'Phoenix (phx.gen.auth)',
    moves: expect.arrayContaining(['email addresses']),
    isProven: false,
  });
  expect(sources.find(({ name }) => name === 'django').isProven).toBe(true);
  const text = (await run('sources')).stdout;
  for (const { title } of sources) expect(text).toContain(title);
});
