/** What the lists of a body say of each user: any change of it shows, and nothing else does. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFingerprints, readRelatedEntries } from '../../../src/flows/incremental/fingerprint.ts';
import { memoryInput } from '../../support/memory-input.ts';
import { snakeCase } from '../../../src/wire/member-names.ts';

type List = 'userMetadata' | 'userLinks';
interface Entry {
  readonly owner: string;
  readonly list: List;
  readonly what: string;
}

const owners = ['a', 'b', 'c'];
const entry: fc.Arbitrary<Entry> = fc.record({
  owner: fc.constantFrom(...owners),
  list: fc.constantFrom('userMetadata', 'userLinks'),
  what: fc.string({ maxLength: 3 }),
});
const entries = fc.array(entry, { maxLength: 8 });

const fieldsOf = ({ owner, list, what }: Entry): object =>
  list === 'userMetadata'
    ? { id: owner, key: 'k', value: what }
    : { userId: owner, idpId: 'idp', providedUserId: what };
/** With other names, and in another order. */
const turned = (fields: object) =>
  Object.fromEntries(
    Object.entries(fields)
      .toReversed()
      .map(([name, value]) => [snakeCase(name), value]),
  );

const read = (entries: readonly Entry[], spell = (fields: object) => fields) => {
  const of = (list: List) =>
    entries.filter((entry) => entry.list === list).map((entry) => spell(fieldsOf(entry)));
  const org = { orgId: '1', userMetadata: of('userMetadata'), userLinks: of('userLinks') };
  const text = JSON.stringify({ orgs: [org] });
  return readRelatedEntries(memoryInput('body.json', text), ['userMetadata', 'userLinks']);
};

const allOf = (related: (id: string) => string) => owners.map(related);

/** Of each user, in a fixed order, what the lists have. */
const meaning = (entries: readonly Entry[]) =>
  owners.map((owner) =>
    entries
      .filter((entry) => entry.owner === owner)
      .map((entry) => JSON.stringify(entry))
      .toSorted()
      .join(),
  );

test('related entries are an equal text exactly if two bodies have equal entries', async () => {
  await fc.assert(
    fc.asyncProperty(entries, entries, async (one, other) => {
      // Neither the order of fields nor the case of their names counts.
      const [texts, otherTexts] = [allOf(await read(one)), allOf(await read(other, turned))];
      const [meant, otherMeant] = [meaning(one), meaning(other)];
      for (const at of owners.keys()) expect(texts[at] === otherTexts[at]).toBe(meant[at] === otherMeant[at]);
    }),
    { numRuns: 200 },
  );
});

test('users without related entries have an empty text, and another key gives other fingerprints', async () => {
  const one: Entry = { list: 'userMetadata', owner: 'a', what: 'dg==' };
  const related = await read([one]);
  expect(related('b')).toBe('');
  expect(related('')).toBe('');
  const of = (key: string) => createFingerprints(key, related).of('a', '');
  expect(of('key')).not.toBe(of('another'));
});
