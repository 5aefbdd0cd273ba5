/** Reads any accepted base64 of a password hash into one canonical encoding. */
import { trimEndOf } from '../../lib/strings.ts';

/**
 * `padded` is RFC 4648 with `=`, `unpadded` is the same without. `ab64` is passlib's (unpadded, `.` for `+`), which
 * servers with passwap before 0.4 (2.34 to 2.37) require for pbkdf2.
 */
export type Base64Encoding = 'padded' | 'unpadded' | 'ab64';

/** What is wrong with a text that should be base64. */
interface Base64Flaw {
  readonly flaw: string;
}

/** One buffer for millions of salts and keys. */
const scratch = Buffer.allocUnsafeSlow(1024);

function recode(text: string) {
  const bytes = text.length > scratch.length ? Buffer.from(text, 'base64') : scratch;
  return bytes.toString('base64', 0, bytes === scratch ? scratch.write(text, 'base64') : bytes.length);
}

/** Reports whether `readBase64` would return the text unchanged. */
export const isPaddedBase64 = (text: string) => text !== '' && recode(text) === text;

/**
 * Reports whether Go's strict `base64.RawStdEncoding` reads the text: standard alphabet, no padding, no stray bits, not
 * empty.
 */
export const isStrictBase64 = (text: string) =>
  text !== '' && encodeBase64As(recode(text), 'unpadded') === text;

/**
 * Reads the standard or passlib's alphabet, with or without padding, and returns standard base64 with padding. Stray
 * bits in the last character are cleared.
 */
export function readBase64(text: string): string | Base64Flaw {
  if (isPaddedBase64(text)) return text;
  const body = trimEndOf(text, '=');
  const missing = -body.length & 3;
  const pads = text.length - body.length;
  if (body === '') return { flaw: 'is empty' };
  if (/[^\w+/.-]/.test(body)) return { flaw: 'is not base64' };
  if (/[-_]/.test(body)) return { flaw: 'is in the URL-safe alphabet of base64' };
  if (body.includes('.') && body.includes('+')) return { flaw: 'mixes `+` and `.`, two alphabets of base64' };
  if (missing === 3) return { flaw: 'has a length that base64 cannot have' };
  if (pads !== 0 && pads !== missing) return { flaw: 'has the wrong number of `=` at its end' };
  return recode(body.replaceAll('.', '+'));
}

/** Returns another encoding of what `readBase64` returned. */
export function encodeBase64As(padded: string, encoding: Base64Encoding) {
  if (encoding === 'padded') return padded;
  const unpadded = trimEndOf(padded, '=');
  return encoding === 'ab64' ? unpadded.replaceAll('+', '.') : unpadded;
}
