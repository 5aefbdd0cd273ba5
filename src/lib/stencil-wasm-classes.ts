/** The letters of each class of text in, a table out that says of each byte what it may be part of. */
import type { Layout } from './stencil-layout.ts';
import { type Code, i32 } from './wasm-code.ts';

/** What a byte may be part of. */
const is = { address: 1, name: 2, base64: 4, lastOf3: 8, lastOf2: 16 } as const;
type Class = keyof typeof is;

/** Not zero where the byte may be part of that. */
export function mayBe(layout: Layout, what: Class, byte: Code): Code {
  return i32.and(i32.loadByte(byte, layout.classes), i32.of(is[what]));
}

export function writeClasses(bytes: Uint8Array, layout: Layout): void {
  const mark = (letters: string, what: Class): void => {
    for (const letter of Buffer.from(letters, 'latin1')) bytes[layout.classes + letter]! |= is[what];
  };
  const digits = '0123456789';
  const small = 'abcdefghijklmnopqrstuvwxyz';
  const letters = small.toUpperCase() + small + digits;
  mark(`${letters}-_+`, 'address');
  mark(`${letters}+/`, 'base64');
  // Of a last character that stands for fewer than six bits the others must be zero.
  mark('AEIMQUYcgkosw048', 'lastOf3');
  mark('AQgw', 'lastOf2');
  const careful = new Set([0x22, 0x40, 0x5c, 0x7f, 0xc2, 0xe1, 0xe2, 0xe3, 0xef]);
  for (let byte = 0x21; byte < 0x100; byte++)
    if (!careful.has(byte)) bytes[layout.classes + byte]! |= is.name;
}
