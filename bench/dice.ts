/** Numbers that look random and are the same each time for one seed. */
export interface Dice {
  /** From 0 to below `n`. */
  below(n: number): number;
  pick<T>(values: readonly T[]): T;
  uuid(): string;
  /** So many bytes, as padded base64. */
  base64(bytes: number): string;
}

/** xorshift32: fast, and random enough for a bench. */
export function createDice(seed: number): Dice {
  let state = seed;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  const fill = (length: number): Buffer => {
    const bytes = Buffer.allocUnsafe((length + 3) & ~3);
    for (let i = 0; i < bytes.length; i += 4) bytes.writeUInt32LE(next(), i);
    return bytes.subarray(0, length);
  };
  return {
    below: (n) => next() % n,
    pick: (values) => values[next() % values.length] as (typeof values)[number],
    uuid: () => {
      const hex = fill(16).toString('hex');
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
    },
    base64: (bytes) => fill(bytes).toString('base64'),
  };
}
