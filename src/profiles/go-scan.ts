/** Reads a text the way Go's `fmt.Sscanf` does, for the few verbs that hash strings need. */

/** `%s` is a word; `%i64`, `%u32` and `%u8` are whole numbers, named by the Go type they are read into. */
const bounds: Readonly<Record<string, readonly [min: bigint, max: bigint]>> = {
  '%i64': [-(2n ** 63n), 2n ** 63n - 1n],
  '%u32': [0n, 2n ** 32n - 1n],
  '%u8': [0n, 255n],
};

/** What Go takes for white space; JavaScript's `\s` has U+FEFF more and U+0085 less. */
const space = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

export type Scanned = readonly (string | bigint)[];

/**
 * The words and numbers found, or undefined where Go would report an error. A blank in the format stands for one blank
 * or more, but for no line break. What follows the last item is ignored.
 */
export function scan(text: string, format: string): Scanned | undefined {
  const found: (string | bigint)[] = [];
  let at = 0;
  for (const item of format.match(/%[a-z0-9]+| |[^% ]+/g) ?? []) {
    if (item === ' ') {
      const next = text.charAt(at);
      if (next === '\n' || (next !== '' && !space.test(next))) return undefined;
      at = skipBlanksOfLine(text, at);
      continue;
    }
    if (!item.startsWith('%')) {
      if (!text.startsWith(item, at)) return undefined;
      at += item.length;
      continue;
    }
    at = skipBlanksOfLine(text, at);
    if (at >= text.length || text.charAt(at) === '\n') return undefined;
    const range = bounds[item];
    const token = range === undefined ? wordAt(text, at) : integerAt(text, at, range[0] < 0n);
    if (token === undefined) return undefined;
    at += token.length;
    if (range === undefined) {
      found.push(token);
      continue;
    }
    const value = BigInt(token.replace('+', ''));
    if (value < range[0] || value > range[1]) return undefined;
    found.push(value);
  }
  return found;
}

function skipBlanksOfLine(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charAt(at) !== '\n' && space.test(text.charAt(at))) at++;
  return at;
}

function wordAt(text: string, at: number): string {
  let end = at;
  while (end < text.length && !space.test(text.charAt(end))) end++;
  return text.slice(at, end);
}

function integerAt(text: string, at: number, signed: boolean): string | undefined {
  let end = at;
  if (signed && (text.charAt(end) === '+' || text.charAt(end) === '-')) end++;
  const digits = end;
  while (text.charCodeAt(end) >= 0x30 && text.charCodeAt(end) <= 0x39) end++;
  return end === digits ? undefined : text.slice(at, end);
}
