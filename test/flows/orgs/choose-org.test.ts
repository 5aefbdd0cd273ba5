/** The organization of each user. */
import { expect, it } from 'vitest';
import { listCreated } from '../../../src/flows/orgs/choose-org.ts';

it('listCreated cuts a long organization name between two characters', () => {
  const start = '\u{1f600}'.repeat(199);
  const members = {
    memory: undefined as never,
    orgs: [{ keys: ['1'], name: `${start}\u{1f601}\u{1f602}`, domains: [] }],
    places: [],
    digest: '',
  };
  const settings = { ids: {}, create: true, fallback: '1', further: 'report', members } as const;
  const [org] = listCreated({ ...settings, rule: { by: 'organization' } });
  expect(org?.name).toBe(`${start}\u{1f601}`);
});
