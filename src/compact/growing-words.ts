/** Words that mostly grow in place: copies would be garbage. Memory is taken for what is in use, address space for more. */

const bytesOf = (words: number) => words * Uint32Array.BYTES_PER_ELEMENT;

const reserve = (words: number): Uint32Array<ArrayBuffer> =>
  new Uint32Array(new ArrayBuffer(0, { maxByteLength: bytesOf(words) }));

const leastReserved = 64 * 1024 * 1024;
/** Words that are added at least. */
const step = 1024;

export const growingWords = (): Uint32Array<ArrayBuffer> => reserve(leastReserved);

/**
 * At least `length` words, with zeros as new ones, and a sixteenth more, so that growing step by step costs little. Mostly
 * the same array.
 */
export function growTo(words: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  if (length <= words.length) return words;
  const size = Math.max(length, words.length + step, Math.ceil((17 / 16) * words.length));
  const fits = bytesOf(size) <= words.buffer.maxByteLength;
  const grown = fits ? words : reserve(4 * size);
  grown.buffer.resize(bytesOf(size));
  if (!fits) grown.set(words);
  return grown;
}
