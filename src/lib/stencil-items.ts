/**
 * What the slow way wrote, and the texts that it was given, in; the literal texts between them, by
 * turns with holes, out.
 */
import { encodeBase32 } from './base32.ts';
import { type HoleKind, how, noHole } from './stencil-layout.ts';

export interface Item {
  readonly literal: Buffer;
  /** Number of the hole behind it. */
  readonly hole: number;
  readonly how: number;
}

/** Undefined where the texts do not stand in the bytes one after the other. */
export function findItems(
  bytes: Uint8Array,
  holes: readonly { readonly kind: HoleKind }[],
  texts: readonly string[],
): readonly Item[] | undefined {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const found: {
    readonly at: number;
    readonly length: number;
    readonly hole: number;
    readonly how: number;
  }[] = [];
  const search = (text: Buffer, hole: number, how: number): void => {
    for (let at = all.indexOf(text); at !== -1; at = all.indexOf(text, at + 1)) {
      found.push({ at, length: text.length, hole, how });
    }
  };
  texts.forEach((text, number) => {
    search(Buffer.from(JSON.stringify(text).slice(1, -1)), number, how.escaped);
    if (holes[number]!.kind === 'secret') {
      search(Buffer.from(encodeBase32(Buffer.from(text))), number, how.base32);
    }
  });
  found.sort((a, b) => a.at - b.at);
  const items: Item[] = [];
  let from = 0;
  for (const { at, length, hole, how } of found) {
    if (at < from) return undefined;
    items.push({ literal: all.subarray(from, at), hole, how });
    from = at + length;
  }
  items.push({ literal: all.subarray(from), hole: noHole, how: 0 });
  return items;
}
