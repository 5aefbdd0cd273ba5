import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ConvertedBatch } from '../../../src/flows/convert/batch.ts';
import { type ConvertSettings, startJob } from '../../../src/flows/convert/convert-job.ts';
import type { UnreadBatch } from '../../../src/sources/source.ts';
import { usualJob, usualKeycloak } from '../../support/usual-job.ts';
import { createTestFolder } from '../../support/folder.ts';

const job: ConvertSettings<'keycloak'> = { ...usualJob, provider: 'keycloak', options: usualKeycloak };
const text = JSON.stringify(
  Array.from({ length: 50 }, (_, number) => ({
    id: `id-${number}`,
    username: `user-${number}`,
    email: `user-${number}@example.org`,
    enabled: true,
    firstName: 'Ada',
    lastName: 'Lovelace',
  })),
).slice(1, -1);

/** A file that holds these bytes; its descriptor is open while `use` runs. */
async function withFile<Found>(
  bytes: Uint8Array,
  use: (descriptor: number) => Promise<Found>,
): Promise<Found> {
  const path = join(createTestFolder(), 'realm.json');
  writeFileSync(path, bytes);
  const descriptor = openSync(path, 'r');
  try {
    return await use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** It never stands in the text: such a chunk is parsed as a whole. */
const border = { bytes: Buffer.from('}|{'), gap: 1, afterText: Buffer.from('"'), comma: 1 };

function unread(descriptor: number, length: number, offset = 0): UnreadBatch {
  const memory = new Uint8Array(3 * text.length);
  // Of an earlier batch: in the place of what cannot be read there stands something that could be taken for it.
  memory.set(Buffer.from(text));
  return {
    input: 'realm.json',
    elements: { form: 'unread', descriptor, offset, length, border, memory },
    context: { realm: 'x', federated: false },
  };
}

async function convert(batch: UnreadBatch): Promise<ConvertedBatch | undefined> {
  return (await startJob(job)).work(batch);
}

describe('an unread batch', () => {
  it('is read from its place, and converted', async () => {
    const found = await withFile(Buffer.from(`[ ${text} ]`), (file) => convert(unread(file, text.length, 2)));
    expect(found?.count).toBe(50);
    const sampleUsers = JSON.parse(`[${Buffer.from(found!.body).toString().slice(1)}]`) as unknown[];
    expect(sampleUsers).toHaveLength(50);
  });

  it.each<[string, Uint8Array]>([
    ['the file ends before it does', Buffer.from(text.slice(0, -200))],
    ['it is not UTF-8', Buffer.from(text).fill(0xe9, text.indexOf('Ada'), text.indexOf('Ada') + 1)],
    ['it ends inside an element', Buffer.from(`${text.slice(0, -5)}xxxxx`)],
    ['the list ends inside of it', Buffer.from(text.replace('},{"id":"id-40"', '}],{"id":"id-4'))],
    ['a value is none', Buffer.from(text.replace('true', 'tru '))],
  ])('is not what it was taken for where %s', async (_, bytes) => {
    expect(await withFile(bytes, (file) => convert(unread(file, text.length)))).toBeUndefined();
  });

  it('is not what it was taken for where it cannot be read', async () => {
    const closed = await withFile(Buffer.from(text), (file) => Promise.resolve(file));
    expect(await convert(unread(closed, text.length))).toBeUndefined();
  });

  it('is parsed in parts where its elements seem to end, also where they do not', async () => {
    const inside = { bytes: Buffer.from('","'), gap: 0, afterText: Buffer.from('":'), comma: 1 };
    const between = {
      bytes: Buffer.from('},{"id":"'),
      gap: 1,
      afterText: Buffer.from('","username":'),
      comma: 1,
    };
    const many = text.replaceAll('Lovelace', 'L'.repeat(5000));
    for (const guess of [inside, between]) {
      const found = await withFile(Buffer.from(many), async (file) => {
        const batch = unread(file, many.length);
        const memory = new Uint8Array(3 * many.length);
        return convert({ ...batch, elements: { ...batch.elements, border: guess, memory } });
      });
      expect(found?.count).toBe(50);
    }
  });
});
