/** Results are put behind the bytes of their batch: those that do not fit become garbage, which takes tens of megabytes. */
import { describe, expect, it } from 'vitest';
import type { RawElements } from '../../../src/sources/source.ts';
import { scanRows } from '../../../src/sources/rows.ts';
import { joinBatch } from '../../../src/sources/table/join.ts';

const blockBytes = 256 * 1024;
/** As large as the part of the body and the rows that are made of a table of users. */
const lengthsOfResults = 2;

describe('a batch has room for its results', () => {
  it.each([30, 186, 5000])('of a table with rows of %i bytes', async (bytes) => {
    const row = `${'x'.repeat(bytes - 1)}\n`;
    const table = Buffer.from(row.repeat((4 * blockBytes) / bytes));
    async function* blocks(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < table.length; at += blockBytes) yield table.subarray(at, at + blockBytes);
    }
    const dialect = { delimiter: ',', quotes: true, backslashes: false, titles: [] };
    for await (const batch of scanRows('users.csv', blocks(), dialect, { offset: 0, line: 1 })) {
      expect(batch.room!.buffer).toBe(batch.bytes.buffer);
      expect(batch.room!.length / batch.bytes.length).toBeGreaterThan(lengthsOfResults);
    }
  });

  it('of joined rows, and the rows before are released', () => {
    const join = { textFor: () => ',"logins":[]', close: () => {} };
    const text = Buffer.from('{"id":1}\n{"id":2}\n');
    const memory = new Uint8Array(new ArrayBuffer(77_777));
    memory.set(text);
    const lines = (): RawElements => ({
      form: 'lines',
      bytes: memory.subarray(0, text.length),
      room: memory.subarray(text.length),
      offset: 0,
      firstLine: 1,
      count: 2,
    });
    const joined = [...joinBatch('users', lines(), join)];
    const [batch] = joined as (RawElements & { form: 'lines' })[];
    expect(Buffer.from(batch!.bytes).toString()).toBe('{"id":1,"logins":[]}\n{"id":2,"logins":[]}');
    expect(batch!.room!.buffer).toBe(batch!.bytes.buffer);
    expect(batch!.room!.length / batch!.bytes.length).toBeGreaterThan(lengthsOfResults);
    const [next] = [...joinBatch('users', lines(), join)] as (RawElements & { form: 'lines' })[];
    expect(next!.bytes.buffer).toBe(memory.buffer);
  });
});
