/** Changes a few bytes of an input, as broken disks, editors and attackers do. */
import type { Draw } from './draw.ts';

type Change = (bytes: Buffer, draw: Draw, corpus: readonly Buffer[]) => Buffer;

/** Bytes that grammars care about. */
const telling = Buffer.from('{}[],:"\\ \n\r\t019.-+eEtfnu$=/|*&?#%<>!\0\x7f\x80\xc3\xed\xf0\xff', 'latin1');

/** Lengths: mostly a byte or a few, at times a good part. */
function span(draw: Draw, length: number) {
  return draw.chance(0.7) ? 1 + draw.below(4) : 1 + draw.below(Math.max(1, length));
}

const changes: readonly Change[] = [
  function insert(bytes, draw) {
    const at = draw.below(bytes.length + 1);
    const more = Buffer.from(Array.from({ length: 1 + draw.below(3) }, () => anyByte(draw)));
    return Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)]);
  },
  function remove(bytes, draw) {
    const at = draw.below(bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + span(draw, bytes.length - at))]);
  },
  function flip(bytes, draw) {
    const changed = Buffer.from(bytes);
    if (changed.length > 0) changed[draw.below(changed.length)]! ^= 1 << draw.below(8);
    return changed;
  },
  function replace(bytes, draw) {
    const changed = Buffer.from(bytes);
    if (changed.length > 0) changed[draw.below(changed.length)] = anyByte(draw);
    return changed;
  },
  function truncate(bytes, draw) {
    return Buffer.from(bytes.subarray(0, draw.below(bytes.length + 1)));
  },
  function repeat(bytes, draw) {
    const at = draw.below(bytes.length + 1);
    const part = bytes.subarray(at, at + span(draw, Math.min(200, bytes.length - at)));
    return Buffer.concat([
      bytes.subarray(0, at),
      ...Array<Buffer>(1 + draw.below(8)).fill(part),
      bytes.subarray(at),
    ]);
  },
  function splice(bytes, draw, corpus) {
    const other = corpus.length === 0 ? bytes : draw.pick(corpus);
    const from = draw.below(other.length + 1);
    const part = other.subarray(from, from + span(draw, Math.min(400, other.length - from)));
    const at = draw.below(bytes.length + 1);
    const next = draw.chance(0.5) ? at : at + part.length;
    return Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(next)]);
  },
];

/** One to three changes; pieces of `corpus` may come in. */
export function mutate(bytes: Buffer, draw: Draw, corpus: readonly Buffer[] = []) {
  let changed = bytes;
  for (let left = 1 + draw.below(3); left > 0; left--) changed = draw.pick(changes)(changed, draw, corpus);
  return changed;
}

function anyByte(draw: Draw) {
  return draw.chance(0.75) ? telling[draw.below(telling.length)]! : draw.below(256);
}
