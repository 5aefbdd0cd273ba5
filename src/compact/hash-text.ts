/** A 64-bit hash that distinguishes texts within one run. Not cryptographic, and not stable between runs. */

/**
 * Writes two words to `into[at]` and `into[at + 1]`. Two lanes like those of MurmurHash3 over pairs of UTF-16 units,
 * each mixed into the other at every step, with the finish of MurmurHash3 x86_128. `seed` is any 32-bit number, a new
 * one in every run, so that an attacker cannot prepare texts that collide.
 */
export function hashText(text: string, seed: number, into: Uint32Array, at: number) {
  const length = text.length;
  let one = seed | 0;
  let two = ~seed ^ 0x5bd1e995;
  for (let i = 0; i < length; i += 2) {
    const units = text.charCodeAt(i) | (i + 1 < length ? text.charCodeAt(i + 1) << 16 : 0);
    const first = Math.imul(units, 0xcc9e2d51);
    one ^= Math.imul((first << 15) | (first >>> 17), 0x1b873593);
    one = (Math.imul((one << 13) | (one >>> 19), 5) + two) | 0;
    const second = Math.imul(units, 0x239b961b);
    two ^= Math.imul((second << 16) | (second >>> 16), 0xab0e9789);
    two = (Math.imul((two << 17) | (two >>> 15), 5) + one + 0x561ccd1b) | 0;
  }
  one = (one ^ length) + (two ^ length);
  two = (two ^ length) + one;
  one = finish(one);
  two = finish(two);
  into[at] = one + two;
  into[at + 1] = one + 2 * two;
}

function finish(lane: number) {
  let mixed = Math.imul(lane ^ (lane >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
