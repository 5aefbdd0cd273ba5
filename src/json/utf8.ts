/** Finds where bytes stop being valid UTF-8. */
import { isUtf8 } from 'node:buffer';

/** Returns the number of bytes from the start that are well-formed UTF-8. */
export function validLength(bytes: Uint8Array) {
  let at = 0;
  while (at < bytes.length) {
    const length = sequenceLength(bytes[at]!);
    if (at + length > bytes.length || !isUtf8(bytes.subarray(at, at + length))) return at;
    at += length;
  }
  return at;
}

/** Returns the index of a character at the end that later bytes may complete, or the length of the block. */
export function incompleteAt(block: Uint8Array) {
  const at = block.findLastIndex((byte) => (byte & 0xc0) !== 0x80);
  return at >= block.length - 3 && block[at]! >= 0xc0 ? at : block.length;
}

function sequenceLength(lead: number) {
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  return lead >= 0xc2 && lead < 0xe0 ? 2 : 1;
}
