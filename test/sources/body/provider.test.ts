import { describe, expect, it } from 'vitest';
import { body } from '../../../src/sources/body/provider.ts';
import type { Notice } from '../../../src/sources/source.ts';
import { memoryInput } from '../../support/memory-input.ts';

async function scan(text: string): Promise<{ batches: number; notices: Notice[] }> {
  const notices: Notice[] = [];
  let batches = 0;
  const input = memoryInput('given.json', text);
  for await (const _ of body.scan([input], {}, (notice) => notices.push(notice))) batches++;
  return { batches, notices };
}

describe('an import body as a source', () => {
  it('says nothing where there are users', async () => {
    const { batches, notices } = await scan('{"dataOrgs":{"orgs":[{"humanUsers":[{}]}]}}');
    expect(batches).toBe(1);
    expect(notices).toEqual([]);
  });

  it.each(['{"realm":"r","users":[{"username":"a"}]}', '{"dataOrgs":{"orgs":[{"humanUsers":[]}]}}', '[]'])(
    'explains why no user is in %s',
    async (text) => {
      const { batches, notices } = await scan(text);
      expect(batches).toBe(0);
      expect(notices).toMatchObject([{ level: 'warning', code: 'input:no-users' }]);
      expect(notices[0]?.text).toMatch(/given\.json.*--from=keycloak/);
    },
  );
});
