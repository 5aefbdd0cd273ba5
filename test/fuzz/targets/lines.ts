/** Newline-delimited JSON against a split at every LF and `JSON.parse`: a broken line costs only itself. */
import { JsonSyntaxError } from '../../../src/json/error.ts';
import { parseLines } from '../../../src/json/line-values.ts';
import { scanLines } from '../../../src/json/lines.ts';
import { blocksOf } from '../../support/memory-input.ts';
import { readFixtures } from '../corpus.ts';
import { changed } from '../arbitraries.ts';
import { broken, expectSame, parseStrictly, type FuzzTarget, fuzzProperty } from '../target.ts';

export const lines: FuzzTarget = {
  name: 'lines',
  about: 'the values that JSON.parse finds line by line; an invalid line costs only itself',
  share: 15,
  async open() {
    const corpus = [
      ...readFixtures('auth0').filter(({ length }) => length < 4000),
      // Lines that are JSON only together with others.
      Buffer.from('1,2\r\n\n{"a":[{}\n{"id":[1\n2]}\n{}]}\n{},{}\n \n[1\n2]\n"\n"\n{\n}\n7'),
    ];
    return fuzzProperty(changed(corpus), async (input, draw) => {
      const batchBytes = 1 + draw.below(draw.pick([4, 300, 5000]));
      const values: unknown[] = [];
      for await (const item of scanLines(blocksOf(input, draw.pick([1, 33, 4096])), { batchBytes })) {
        if (item.kind !== 'lines') continue;
        const found = [...parseLines(item)].map((value) =>
          value instanceof JsonSyntaxError ? broken : value,
        );
        expectSame('the count of a batch', item.count, found.length);
        values.push(...found);
      }
      expectSame('the values', values, expectedOf(input));
    });
  },
};

function expectedOf(input: Buffer) {
  const values: unknown[] = [];
  for (let start = 0; start < input.length;) {
    const feed = input.indexOf(0x0a, start);
    const line = input.subarray(start, feed === -1 ? undefined : feed);
    start = feed === -1 ? input.length : feed + 1;
    if (line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)) continue;
    values.push(parseStrictly(line));
  }
  return values;
}
