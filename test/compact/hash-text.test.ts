import { describe, expect, it } from 'vitest';
import { hashText } from '../../src/compact/key-table.ts';

function wordsOf(text: string, seed = 1): [number, number] {
  const words = new Uint32Array(2);
  hashText(text, seed, words, 0);
  return [words[0]!, words[1]!];
}

/** Names as they come in real exports: much alike, counted up, or of one letter. */
const families: Record<string, (n: number) => string> = {
  counted: (n) => `user${n}`,
  padded: (n) => `u${String(n).padStart(8, '0')}`,
  emails: (n) => `first.last${n}@example.com`,
  ids: (n) =>
    `${(n * 2654435761).toString(16).padStart(12, '0')}-4aaa-8bbb-${n.toString(16).padStart(12, '0')}`,
  ordinals: (n) => String.fromCharCode(n & 0xffff, n >>> 16),
  zeros: (n) => '\0'.repeat(n % 2000) + String(Math.floor(n / 2000)),
};

describe('hashText', () => {
  it('is equal for equal text and seed, and differs otherwise', () => {
    expect(wordsOf('alice')).toEqual(wordsOf(['ali', 'ce'].join('')));
    const variants = [
      'alice',
      'alicf',
      'Alice',
      'alice\0',
      '\0alice',
      'alic',
      '',
      '\0',
      '\0\0',
      'é',
      'e\u0301',
    ];
    const hashes = [...variants.map((text) => wordsOf(text)), wordsOf('alice', 2), wordsOf('alice', -1)];
    expect(new Set(hashes.map(String)).size).toBe(hashes.length);
  });

  it('writes only within its range', () => {
    const into = new Uint32Array(5);
    hashText('alice', 7, into, 2);
    expect([into[0], into[1], into[4]]).toEqual([0, 0, 0]);
    expect([into[2], into[3]]).toEqual(wordsOf('alice', 7));
  });

  it.each(Object.keys(families))('has no more collisions for %s than chance', (family) => {
    const count = 1 << 17;
    const seen = [new Set<number>(), new Set<number>(), new Set<number>()];
    for (let n = 0; n < count; n++) {
      const [hi, lo] = wordsOf(families[family]!(n));
      seen[0]!.add(hi);
      seen[1]!.add(lo);
      seen[2]!.add((hi ^ (lo << 16) ^ (lo >>> 16)) >>> 0);
    }
    // count^2 / 2^33 = 2 pairs by chance; 14 or more once in ten million.
    for (const words of seen) expect(count - words.size).toBeLessThan(14);
  });
});
