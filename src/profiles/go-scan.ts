/** Reads a text the way Go's `fmt.Sscanf` does, for the few verbs that hash strings need. */

/** `%s` is a word; `%i64`, `%u32` and `%u8` are whole numbers, named by the Go type they are read into. */
const bounds: Readonly<Record<string, readonly [min: bigint, max: bigint]>> = {
  '%i64': [-(2n ** 63n), 2n ** 63n - 1n],
  '%u32': [0n, 2n ** 32n - 1n],
  '%u8': [0n, 255n],
};

/** White space of Go without the line break; JavaScript's `\s` has U+FEFF, and lacks U+0085. */
const blank = '\t\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000';

export type Scanned = readonly (string | bigint)[];

/**
 * The words and numbers found, or undefined if Go would report an error. A blank in the format matches one or more blanks, but
 * no line break. Text after the last item is ignored.
 */
export function scan(text: string, format: string): Scanned | undefined {
  const verbs: string[] = [];
  const pattern = format.replaceAll(/%[a-z0-9]+| /g, (item) => {
    if (item === ' ') return `(?:[${blank}]+|$)`;
    verbs.push(item);
    const sign = bounds[item]?.[0] === 0n ? '' : '[+-]?';
    return `[${blank}]*(${item === '%s' ? `[^\\n${blank}]+` : `${sign}\\d+`})`;
  });
  const found = new RegExp(`^${pattern}`).exec(text)?.slice(1);
  const values = found?.map((token, at) => {
    const range = bounds[verbs[at]!];
    if (range === undefined) return token;
    const value = BigInt(token.replace('+', ''));
    return value >= range[0] && value <= range[1] ? value : undefined;
  });
  return values?.every((value) => value !== undefined) ? values : undefined;
}
