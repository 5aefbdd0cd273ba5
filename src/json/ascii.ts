/**
 * Turns JSON bytes into an ASCII string for JSON.parse, with every other character as its `\uXXXX`. V8 parses a string
 * of one-byte characters 2.4 times as fast as one of two-byte characters, and a single character beyond Latin-1 makes
 * all of them two bytes long.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import { skipSpace } from './skip.ts';

/** The longest escape for each byte of input: two bytes of UTF-8 become six. */
const worst = 3;
/** Longer texts (one huge element) are decoded without escapes, to save memory. */
const longest = 1024 * 1024;
const noWords = new Int32Array(0);
const hexDigits = Buffer.from('0123456789abcdef');
let scratch = Buffer.allocUnsafeSlow(0);

/**
 * The JSON text of an array of these elements, which are separated by commas. Undefined when the bytes are not UTF-8,
 * or when a backslash before a character would turn broken JSON into a valid escape.
 */
export function jsonListText(bytes: Uint8Array): string | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const ascii = isAscii(buffer);
  if (!ascii && !isUtf8(buffer)) return undefined;
  if (bytes.length > longest) return `[${shortenTexts(buffer).toString(ascii ? 'latin1' : 'utf8')}]`;
  // The brackets are added to the bytes: adding them to the string would copy it once more.
  const out = scratchFor(buffer);
  out[0] = 0x5b;
  const written = ascii ? 1 + buffer.copy(out, 1) : escapeInto(out, 1, buffer);
  if (written === broken) return undefined;
  if (written === wideKey) return `[${buffer.toString('utf8')}]`;
  out[written] = 0x5d;
  return out.toString('latin1', 0, written + 1);
}

/** The same for any JSON text, without brackets added. */
export function jsonText(bytes: Uint8Array): string | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isAscii(buffer)) return shortenTexts(buffer).toString('latin1');
  if (!isUtf8(buffer)) return undefined;
  if (bytes.length > longest) return shortenTexts(buffer).toString('utf8');
  const written = escapeInto(scratchFor(buffer), 0, buffer);
  if (written === wideKey) return buffer.toString('utf8');
  return written === broken ? undefined : scratch.toString('latin1', 0, written);
}

/** In JSON, where a byte may be written as six. No field of the target takes more than 500,000 bytes. */
const longestText = 4 * 1024 * 1024;

/** Leaves out what stands beyond `longestText` in each text, because parsing would copy it several times. */
function shortenTexts(bytes: Buffer): Buffer {
  if (bytes.length <= longestText) return bytes;
  const parts: Buffer[] = [];
  let kept = 0;
  for (let open = bytes.indexOf(0x22); open !== -1;) {
    const close = endOfText(bytes, open);
    if (close === -1) break;
    const text = bytes.subarray(open, close);
    // A line feed ends a line of JSON: there is no text of several lines, only one whose quote is missing.
    if (text.length > longestText && !text.includes(0x0a)) {
      parts.push(bytes.subarray(kept, open + wholeCharacters(text, longestText)));
      kept = close;
    }
    open = bytes.indexOf(0x22, close + 1);
  }
  return parts.length === 0 ? bytes : Buffer.concat([...parts, bytes.subarray(kept)]);
}

/** The closing quote of a text, or -1. */
function endOfText(bytes: Buffer, open: number): number {
  let at = bytes.indexOf(0x22, open + 1);
  while (at !== -1 && endsInBackslash(bytes, at)) at = bytes.indexOf(0x22, at + 1);
  return at;
}

/** The end of the last whole character or escape before `end`. */
function wholeCharacters(text: Buffer, end: number): number {
  let at = end;
  while ((text[at]! & 0xc0) === 0x80) at--;
  const slash = text.lastIndexOf(0x5c, at - 1);
  return at - slash < longestEscape && endsInBackslash(text, slash + 1) ? slash : at;
}

const longestEscape = 6;

const broken = -1;
/**
 * V8 13 (Node 24) can misread an escape in a key, such as `{"a\u00e9":0}`, so such texts are decoded without escapes.
 */
const wideKey = -2;

function scratchFor({ length }: Buffer): Buffer {
  const needed = worst * length + 2;
  if (scratch.length < needed) scratch = Buffer.allocUnsafeSlow(2 * needed);
  return scratch;
}

/** Writes from `start` on. Returns the end, `broken` or `wideKey`. */
function escapeInto(out: Buffer, start: number, bytes: Buffer): number {
  const first = -bytes.byteOffset & 3;
  const count = (bytes.length - first) >> 2;
  const words = count > 0 ? new Int32Array(bytes.buffer, bytes.byteOffset + first, count) : noWords;
  let written = start;
  let from = 0;
  for (;;) {
    const run = nextWide(bytes, first, words, from);
    written += bytes.copy(out, written, from, run);
    if (run === bytes.length) return written;
    if (endsInBackslash(bytes, run)) return broken;
    if (isKey(bytes, run)) return wideKey;
    from = run;
    while (from < bytes.length && bytes[from]! >= 0x80) {
      const point = codePoint(bytes, from);
      from += byteLength(bytes[from]!);
      if (point > 0xffff) {
        written = putEscape(out, written, 0xd7c0 + (point >> 10));
        written = putEscape(out, written, 0xdc00 | (point & 0x3ff));
      } else {
        written = putEscape(out, written, point);
      }
    }
  }
}

/**
 * The first byte beyond ASCII from `from` on. Checks sixteen bytes at a time, as four of the words that begin at the byte
 * `first`.
 */
function nextWide(bytes: Buffer, first: number, words: Int32Array, from: number): number {
  const length = bytes.length;
  let at = from;
  for (; at < length && (at - first) % 4 !== 0; at++) if (bytes[at]! >= 0x80) return at;
  let word = (at - first) >> 2;
  const last = words.length - 4;
  while (word <= last) {
    const any = words[word]! | words[word + 1]! | words[word + 2]! | words[word + 3]!;
    if ((any & 0x80808080) !== 0) break;
    word += 4;
  }
  at = Math.max(at, first + (word << 2));
  while (at < length && bytes[at]! < 0x80) at++;
  return at;
}

function endsInBackslash(bytes: Buffer, end: number): boolean {
  let at = end;
  while (at > 0 && bytes[at - 1] === 0x5c) at--;
  return (end - at) % 2 === 1;
}

/** Whether the string that contains this byte is a key: a colon follows it. */
function isKey(bytes: Buffer, inside: number): boolean {
  let at = bytes.indexOf(0x22, inside);
  while (at !== -1 && endsInBackslash(bytes, at)) at = bytes.indexOf(0x22, at + 1);
  return at !== -1 && bytes[skipSpace(bytes, at + 1)] === 0x3a;
}

function byteLength(lead: number): number {
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

function codePoint(bytes: Buffer, at: number): number {
  const lead = bytes[at]!;
  const second = bytes[at + 1]! & 0x3f;
  if (lead < 0xe0) return ((lead & 0x1f) << 6) | second;
  const third = bytes[at + 2]! & 0x3f;
  if (lead < 0xf0) return ((lead & 0x0f) << 12) | (second << 6) | third;
  return ((lead & 0x07) << 18) | (second << 12) | (third << 6) | (bytes[at + 3]! & 0x3f);
}

function putEscape(out: Buffer, at: number, unit: number): number {
  out[at] = 0x5c;
  out[at + 1] = 0x75;
  out[at + 2] = hexDigits[unit >> 12]!;
  out[at + 3] = hexDigits[(unit >> 8) & 15]!;
  out[at + 4] = hexDigits[(unit >> 4) & 15]!;
  out[at + 5] = hexDigits[unit & 15]!;
  return at + 6;
}
