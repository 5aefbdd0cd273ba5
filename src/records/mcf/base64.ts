/** Reads any accepted base64 of a password hash into one canonical encoding, without decoding. */

/**
 * `padded` is RFC 4648 with `=`, `unpadded` the same without, `ab64` is passlib's (unpadded, `.` for `+`),
 * which servers with passwap before 0.4 (2.34 to 2.37) insist on for pbkdf2.
 */
export type Base64Encoding = 'padded' | 'unpadded' | 'ab64';

/** What is wrong with a text that should be base64. */
export interface Base64Flaw {
  readonly flaw: string;
}

const empty: Base64Flaw = { flaw: 'is empty' };
const urlSafe: Base64Flaw = { flaw: 'is in the URL-safe alphabet of base64' };
const mixed: Base64Flaw = { flaw: 'mixes `+` and `.`, two alphabets of base64' };
const foreign: Base64Flaw = { flaw: 'is not base64' };
const cutOff: Base64Flaw = { flaw: 'has a length that base64 cannot have' };
const misfit: Base64Flaw = { flaw: 'has the wrong number of `=` at its end' };

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const pad = 0x3d;

/** What a character says about the whole text; sums up by OR, so that the loop has no branches. */
const saysPlus = 1;
const saysDot = 2;
const saysUrlSafe = 4;
const saysForeign = 8;
const says = new Uint8Array(256).fill(saysForeign);
for (const letter of alphabet) says[letter.charCodeAt(0)] = 0;
for (const letter of '-_') says[letter.charCodeAt(0)] = saysUrlSafe;
says[0x2b] = saysPlus;
says[0x2e] = saysDot;

/** The sum of what the characters from `start` to `end` say. */
function listen(text: string, start: number, end: number): number {
  if (end - start >= worthCopying && end <= scratch.length) return listenToBytes(text, start, end);
  let said = 0;
  let units = 0;
  for (let i = start; i < end; i++) {
    const unit = text.charCodeAt(i);
    units |= unit;
    said |= says[unit & 0xff]!;
  }
  return units > 0xff ? said | saysForeign : said;
}

/** The characters of a text that was cut out of another one are slow to come by; as bytes they are not. */
const worthCopying = 40;
const scratch = Buffer.allocUnsafeSlow(1024);

function listenToBytes(text: string, start: number, end: number): number {
  // Characters beyond ASCII become more bytes, all of them foreign.
  const length = scratch.write(text, 'utf8');
  if (length !== text.length) return saysForeign;
  let said = 0;
  for (let i = start; i < end; i++) said |= says[scratch[i]!]!;
  return said;
}

/** 0 to 63 for a character that is of one of the two alphabets. */
function sextet(text: string, at: number): number {
  const letter = text.charAt(at);
  return letter === '.' ? 62 : alphabet.indexOf(letter);
}

/**
 * Reads the standard alphabet and passlib's, with or without padding, and writes the standard one with padding. Stray
 * bits in the last character are cleared. No copy where the text is canonical already, which is the rule.
 */
export function readBase64(text: string): string | Base64Flaw {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === pad) end--;
  if (end === 0) return empty;
  const said = listen(text, 0, end);
  if ((said & saysForeign) !== 0) return foreign;
  if ((said & saysUrlSafe) !== 0) return urlSafe;
  const dot = (said & saysDot) !== 0;
  if (dot && (said & saysPlus) !== 0) return mixed;
  const over = end & 3;
  if (over === 1) return cutOff;
  const missing = (4 - over) & 3;
  const pads = text.length - end;
  if (pads !== 0 && pads !== missing) return misfit;
  const last = over === 0 ? 0 : sextet(text, end - 1);
  const stray = last & strayBits(over);
  if (pads === missing && stray === 0 && !dot) return text;
  const body = stray === 0 ? text.slice(0, end) : text.slice(0, end - 1) + alphabet.charAt(last ^ stray);
  return (dot ? body.replaceAll('.', '+') : body) + '==='.slice(0, missing);
}

/** Another encoding of what `readBase64` has read. */
export function encodeBase64As(padded: string, encoding: Base64Encoding): string {
  if (encoding === 'padded') return padded;
  const end = padded.indexOf('=');
  const unpadded = end < 0 ? padded : padded.slice(0, end);
  return encoding === 'ab64' ? unpadded.replaceAll('+', '.') : unpadded;
}

/** True for what Go's strict `base64.RawStdEncoding` reads: standard alphabet, no padding, no stray bits, not empty. */
export function isStrictBase64(text: string, start = 0, end = text.length): boolean {
  const over = (end - start) & 3;
  if (start >= end || over === 1) return false;
  if ((listen(text, start, end) & ~saysPlus) !== 0) return false;
  return over === 0 || (sextet(text, end - 1) & strayBits(over)) === 0;
}

/** True where `readBase64` would give the piece of the text from `start` to `end` back as it is. */
export function isPaddedBase64(text: string, start: number, end: number): boolean {
  if (((end - start) & 3) !== 0) return false;
  let last = end;
  while (last > end - 2 && text.charCodeAt(last - 1) === pad) last--;
  return isStrictBase64(text, start, last);
}

/** The bits of the last character that stand for nothing, by the length modulo 4. */
function strayBits(over: number): number {
  if (over === 2) return 15;
  return over === 3 ? 3 : 0;
}
