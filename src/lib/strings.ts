/** Strings: trims them in linear time, copies them out of longer ones, remembers what is made of them, makes them of bytes, and drops sentences of advice. */
import { isUtf8 } from 'node:buffer';

/**
 * Returns the text without the given characters at its end. A pattern such as `/=+$/` takes quadratic time on a long run of them
 * elsewhere, and a source may have millions.
 */
export function trimEndOf(text: string, characters: string) {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** Returns the text without the given characters at both ends. */
export function trimOf(text: string, characters: string) {
  const rest = trimEndOf(text, characters);
  let start = 0;
  while (start < rest.length && characters.includes(rest.charAt(start))) start++;
  return rest.slice(start);
}

/**
 * Copies a string so that it does not keep a longer string in memory: in V8, a substring refers to the string that it was cut
 * from. For substrings that are kept longer than the original.
 */
export function flattenString(text: string) {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

/**
 * Remembers what a function makes of the first `most` texts, whatever `more` is. Sources repeat a few texts, but inputs could contain any number of
 * them.
 */
export function memoized<Value, More extends readonly unknown[]>(
  make: (text: string, ...more: More) => Value,
  most = 1000,
) {
  const known = new Map<string, Value>();
  return (text: string, ...more: More) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const made = make(text, ...more);
    if (made !== undefined && known.size < most) known.set(flattenString(text), made);
    return made;
  };
}

/**
 * Returns the text in lower case letter by letter, as Go does, because the service compares names so: each `Σ` becomes `σ`, also at
 * the end of a word, and `İ` becomes `i`.
 */
export const lowerCase = (text: string) =>
  text.replaceAll(/[İΣ]/g, (letter) => letter.toLowerCase().charAt(0)).toLowerCase();

/** Reports whether an odd number of backslashes ends at `end`, so that the next character is escaped. */
export function endsInBackslash(text: string | Uint8Array, end: number, first = 0) {
  const codeAt = (at: number) => (typeof text === 'string' ? text.charCodeAt(at) : text[at]);
  let at = end;
  while (at > first && codeAt(at - 1) === 0x5c) at--;
  return (end - at) % 2 === 1;
}

/** Converts bytes in hex to text. `00` and `01` are the values of a one-bit column; bytes that are not text stay hex. */
export function bytesText(hex: string) {
  if (/^0[01]$/.test(hex)) return hex.slice(1);
  const bytes = Buffer.from(hex, 'hex');
  const text = bytes.toString('utf8');
  return 2 * bytes.length === hex.length && isUtf8(bytes) && !/[\p{Cc}\p{Cn}]/u.test(text) ? text : hex;
}

/** Reads the value of a column of bytes, as databases write it in text: `\x2432` or `0x2432`. */
export const readBytesText = (text: string) =>
  text.replace(/^(?:\\x|0x)([\da-f]+)$/i, (_, hex: string) => bytesText(hex));

/**
 * Returns a function that decodes block by block. It returns undefined for bytes that are not of the encoding, and needs a
 * call without a block at the end.
 */
export function strictDecoder(encoding = 'utf-8') {
  const decoder = new TextDecoder(encoding, { fatal: true });
  return (block?: Uint8Array) => {
    try {
      // Without `stream`, some versions of Node read Windows-1252 as ISO 8859-1.
      return decoder.decode(block, { stream: block !== undefined });
    } catch {
      return undefined;
    }
  };
}

const between = /(?<=[.?!]) (?=\S)/;

/** Returns the sentences to keep, or undefined if none is left. */
export function keepSentences(text: string, keep: (sentence: string) => boolean) {
  const kept = text.split(between).filter(keep);
  return kept.length === 0 ? undefined : kept.join(' ');
}

/** Flags and environment variables, as texts name them. */
export const namedFlags = /(?<![\w-])--[a-z][a-z0-9-]*|\bIDPORT_[A-Z_]+/g;

/** Returns the text without the sentences that name a flag of this run: the user has already decided about it. */
export function withoutAdviceOn(text: string, given: ReadonlySet<string>) {
  return keepSentences(text, (sentence) => !sentence.match(namedFlags)?.some((flag) => given.has(flag)));
}
