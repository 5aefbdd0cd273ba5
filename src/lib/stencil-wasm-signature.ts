/** What an element has beside its holes in, its signature out; the holes are noted beside it. */
import { hole, mostHoles } from './stencil-layout.ts';
import { bump, type Machine } from './stencil-wasm-machine.ts';
import { type Code, i32, plus, when } from './wasm-code.ts';

const longestConstant = 512;

export type Signs = ReturnType<typeof codeToSign>;

export function codeToSign(machine: Machine) {
  const {
    layout,
    signature,
    holes,
    copied,
    at,
    start,
    word,
    special,
    escapes,
    kind,
    tape,
    refuse,
    copyText,
  } = machine;
  const sign = (code: Code): Code[] => [i32.storeAt(signature.get, code), bump(signature, 4)];
  return {
    sign,
    /** From `start` to `at`, with its length before it. */
    signConstant: [
      copied.set(i32.sub(at.get, start.get)),
      ...sign(copied.get),
      word.set(copied.get),
      when(i32.isLess(word.get, i32.of(longestConstant)), copyText(start.get, word.get, signature), [refuse]),
    ],
    noteHole: (holeStart: Code, bytes: Code): Code[] => [
      i32.storeAt(plus(holes.get, 4 * hole.place), holeStart),
      i32.storeAt(plus(holes.get, 4 * hole.length), bytes),
      i32.storeAt(plus(holes.get, 4 * hole.special), special.get),
      i32.storeAt(plus(holes.get, 4 * hole.kind), kind.get),
      i32.storeAt(plus(holes.get, 4 * hole.token), plus(tape.get, -8)),
      i32.storeAt(plus(holes.get, 4 * hole.escapes), escapes.get),
      bump(holes, 4 * hole.words),
      when(i32.isMore(holes.get, i32.of(layout.holes + 4 * hole.words * (mostHoles - 1))), [
        refuse,
        holes.set(i32.of(layout.holes)),
      ]),
    ],
  };
}
