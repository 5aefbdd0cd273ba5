import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { withOrgIds } from '../../../src/sources/org-data/organizations.ts';
import { memoryInput } from '../../support/memory-input.ts';

it('withOrgIds replaces ids at any block boundary', async () => {
  const text = '{"orgId":"1","grantedOrgId":"2","x":"orgId","org_id" : "1"}';
  const ids = new Map([
    ['1', '1000'],
    ['2', '2000'],
  ]);
  for (let before = 0; before < 700; before += 1) {
    const blank = ' '.repeat(before);
    const input = memoryInput('body', blank + text + ' '.repeat(700), { blockBytes: 350 });
    const written = await buffer(withOrgIds(input, ids).blocks());
    expect(written.toString().trim()).toBe(
      '{"orgId":"1000","grantedOrgId":"2000","x":"orgId","org_id" : "1000"}',
    );
  }
});
