import { describe, expect, it } from 'vitest';
import { InputError } from '../../../src/errors.ts';
import { type ConvertSettings, startJob } from '../../../src/flows/convert/convert-job.ts';
import type { ConvertedBatch } from '../../../src/flows/convert/batch.ts';
import type { RawBatch } from '../../../src/sources/source.ts';
import { usualJob, usualKeycloak } from '../../support/usual-job.ts';
import { seededRandom } from '../../support/seeded-random.ts';

/** `FUZZ_RUNS=100000` for a long run. */
const runs = Number(process.env['FUZZ_RUNS'] ?? 4000);

const job: ConvertSettings<'keycloak'> = { ...usualJob, provider: 'keycloak', options: usualKeycloak };
const sampleUser = (number: number): object => ({
  id: `id-${number}`,
  username: `user-${number}`,
  email: `user-${number}@example.org`,
  enabled: true,
  emailVerified: number % 3 === 0,
  firstName: 'Ada',
  lastName: 'Lovelace',
  attributes: { shoe: [`${number}`] },
});
const sampleUsers = Array.from({ length: 40 }, (_, number) => sampleUser(number));
/** What stands behind the users looks like them. */
const documents = [undefined, 2].map((indent) =>
  JSON.stringify({ users: sampleUsers, clients: sampleUsers }, null, indent),
);

function batchOf(text: string): RawBatch {
  return {
    input: 'realm.json',
    elements: {
      form: 'elements',
      bytes: new TextEncoder().encode(text),
      cuts: [],
      offset: 0,
      count: sampleUsers.length,
    },
    context: { realm: 'x', federated: false },
  };
}

function countOf(text: string): number | undefined {
  try {
    return (JSON.parse(`[${text}]`) as unknown[]).length;
  } catch {
    return undefined;
  }
}

describe('a batch that no one has cut', () => {
  it('is as many elements as JSON.parse finds, or broken, by whatever way it is converted', async () => {
    const random = seededRandom(1);
    const below = (end: number): number => Math.floor(random() * end);
    const { work } = await startJob(job);
    const convert = async (batch: RawBatch): Promise<ConvertedBatch> => await work(batch);
    for (const text of documents) {
      const users = text.slice(text.indexOf('{', 1), text.lastIndexOf(']', text.indexOf('"clients"')));
      for (let turn = 0; turn < 5; turn++) expect((await convert(batchOf(users))).count).toBe(40);
    }
    let broken = 0;
    for (let run = 0; run < runs; run++) {
      const text = documents[below(2)]!;
      const starts = [...text.matchAll(/\{\s*"id"/g)].map(({ index }) => index);
      const start = starts[below(starts.length)]!;
      const next = starts[below(starts.length)]!;
      // Often the end of an element, else anywhere.
      const end = random() < 0.6 ? text.lastIndexOf('}', next) + 1 : start + 1 + below(3000);
      let slice = text.slice(start, Math.max(end, start + 1));
      if (random() < 0.5) {
        const at = below(slice.length);
        slice = slice.slice(0, at) + '{}[],:" '[below(8)]! + slice.slice(at + below(2));
      }
      const expected = countOf(slice);
      if (expected === undefined) broken++;
      const found = await convert(batchOf(slice)).then(
        ({ count }) => count,
        (error: unknown) => (error instanceof InputError ? undefined : error),
      );
      expect({ slice, found }).toEqual({ slice, found: expected });
    }
    expect(broken).toBeGreaterThan(runs / 10);
    expect(broken).toBeLessThan(runs * 0.9);
  });
});
