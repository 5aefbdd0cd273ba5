/** Changes a few bytes of an input, as broken disks, editors and attackers do. */
import type { Draw } from '../support/draw.ts';

/** Bytes that grammars care about. */
const telling = Buffer.from('{}[],:"\\ \n\r\t019.-+eEtfnu$=/|*&?#%<>!\0\x7f\x80\xc3\xed\xf0\xff', 'latin1');

/** One to three times: some bytes, or none, are replaced by others, by pieces of `corpus`, or by none. */
export function mutate(bytes: Buffer, draw: Draw, corpus: readonly Buffer[] = [bytes]) {
  let changed = bytes;
  for (let left = 1 + draw.below(3); left > 0; left--) {
    const at = draw.below(changed.length + 1);
    const length = draw.pick([0, 0, 1, 1, draw.below(5), draw.below(changed.length - at + 1)]);
    const more = draw.pick([noBytes, fewBytes, fewBytes, piece, repeatedPiece])(draw, corpus);
    changed = Buffer.concat([changed.subarray(0, at), more, changed.subarray(at + length)]);
  }
  return changed;
}

const noBytes = () => Buffer.alloc(0);

const fewBytes = (draw: Draw) =>
  Buffer.from(
    Array.from({ length: 1 + draw.below(3) }, () =>
      draw.chance(0.75) ? draw.pick([...telling]) : draw.below(256),
    ),
  );

function piece(draw: Draw, corpus: readonly Buffer[]) {
  const whole = draw.pick(corpus);
  const from = draw.below(whole.length + 1);
  return whole.subarray(from, from + draw.pick([1 + draw.below(4), draw.below(400)]));
}

const repeatedPiece = (draw: Draw, corpus: readonly Buffer[]) =>
  Buffer.concat(Array<Buffer>(1 + draw.below(8)).fill(piece(draw, corpus)));
