/** Texts that encode bytes. They are checked, never guessed: the result is undefined if a text is not in its encoding. */
import { readBase64 } from '../mcf/base64.ts';
import { isHex } from '../text.ts';

/** `base64` is any alphabet, with or without padding. A text that mixes two alphabets is refused. */
export type TextEncoding = keyof typeof decoders;

export function fromText(text: string) {
  return Buffer.from(text, 'utf8');
}

export function fromHex(text: string) {
  return isHex(text) ? Buffer.from(text, 'hex') : undefined;
}

export function fromBase64(text: string) {
  const trimmed = text.trim();
  const isUrlSafe = /^[\w-]*={0,2}$/.test(trimmed);
  const read = readBase64(isUrlSafe ? trimmed.replaceAll('-', '+').replaceAll('_', '/') : trimmed);
  return typeof read === 'string' ? Buffer.from(read, 'base64') : undefined;
}

export function decodeText(text: string, encoding: TextEncoding) {
  return decoders[encoding](text);
}

const decoders = {
  text: fromText,
  hex: (text: string) => fromHex(text.trim().replace(/^(?:\\x|0x)/i, '')),
  base64: fromBase64,
  'hex-or-base64': (text: string) => fromHex(text.trim()) ?? fromBase64(text),
  'hex-or-text': (text: string) => fromHex(text) ?? fromText(text),
};

/** Returns the bytes as text, or undefined if they are not visible text. */
export function readText(bytes: Uint8Array) {
  const text = Buffer.from(bytes).toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) && !/[\p{Cc}\p{Cn}\u007f]/u.test(text) ? text : undefined;
}

/** Returns a plain decimal number, or NaN, for which encoders have their own messages. */
export function toCount(text: string | undefined) {
  return text !== undefined && /^\d{1,15}$/.test(text.trim()) ? Number(text.trim()) : Number.NaN;
}

/** Returns a parameter as text, since sources write numbers as strings or as numbers. Empty for any other value. */
export function toText(value: unknown) {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : '';
}
