import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createNewIds, newIdOf } from '../../../src/flows/import/entries.ts';

it('createNewIds replaces any id and remembers the old one', async () => {
  const ids = fc.uniqueArray(fc.string({ unit: 'binary', minLength: 1 }), { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(ids, async (known) => {
      const texts = known.map((userId) => ({ list: 'humanUsers', text: JSON.stringify({ userId }) }));
      const rename = await createNewIds(
        (async function* () {
          yield* texts;
        })(),
        'key',
      );
      for (const [at, { list, text }] of texts.entries()) {
        const renamed = rename(list, text);
        expect(renamed?.oldId).toBe(known[at]);
        expect(JSON.parse(renamed?.text ?? '{}').userId).toBe(newIdOf('key', known[at]!));
      }
      expect(rename('userMetadata', '{"id":"another"}')).toBeUndefined();
    }),
    { numRuns: 50 },
  );
});
