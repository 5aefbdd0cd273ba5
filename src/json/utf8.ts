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

/** Returns the index of a last character that later bytes can complete, or the length of the block. */
export function incompleteAt(block: Uint8Array) {
  for (let at = block.length - 1; at >= 0 && at >= block.length - 3; at--) {
    if ((block[at]! & 0xc0) === 0x80) continue;
    return mayBegin(block.subarray(at)) ? at : block.length;
  }
  return block.length;
}

function sequenceLength(lead: number) {
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  return lead >= 0xc2 && lead < 0xe0 ? 2 : 1;
}

/** Returns false if the second byte makes the character overlong or a surrogate. */
function mayBegin(bytes: Uint8Array) {
  const whole = new Uint8Array(sequenceLength(bytes[0]!)).fill(0x80);
  if (bytes.length >= whole.length) return false;
  whole.set(bytes);
  return bytes.length === 1 || isUtf8(whole);
}
