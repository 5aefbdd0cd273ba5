/** A hole of ASCII in; its place, its length and its hash, as `hashText` gives it, told of the element out. */
import { bump, isOutside, type Machine, not } from './stencil-wasm-machine.ts';
import { type Code, i32, plus, repeatWhile, type Variable, when } from './wasm-code.ts';

function multiply(code: Code, factor: number): Code {
  return i32.multiply(code, i32.of(factor | 0));
}

function rotate(code: Code, places: number): Code {
  return i32.rotateLeft(code, i32.of(places));
}

function finish(lane: Variable): Code[] {
  return [
    lane.set(multiply(i32.xor(lane.get, i32.shiftRight(lane.get, i32.of(16))), 0x85eb_ca6b)),
    lane.set(multiply(i32.xor(lane.get, i32.shiftRight(lane.get, i32.of(13))), 0xc2b2_ae35)),
    lane.set(i32.xor(lane.get, i32.shiftRight(lane.get, i32.of(16)))),
  ];
}

/** Capital letters count as small ones where `fold` says so; `to` and `text` are fields of the row. */
export function codeToHash(machine: Machine, seed: number) {
  const { at, stop, byte, length, one, two, units, tell, selectHole, holePlace, holeLength } = machine;
  const folded = (code: Code, fold: boolean): Code[] =>
    fold
      ? [byte.set(code), when(not(isOutside(byte.get, 0x41, 0x5a)), [bump(byte, 0x20)])]
      : [byte.set(code)];
  return (number: Code, fold: boolean, to: number, text: number): Code[] => [
    selectHole(number),
    at.set(holePlace),
    length.set(holeLength),
    tell(text, at.get),
    tell(text + 1, length.get),
    stop.set(i32.add(at.get, length.get)),
    one.set(i32.of(seed | 0)),
    two.set(i32.of(~seed ^ 0x5bd1_e995)),
    repeatWhile(
      i32.isLess(at.get, stop.get),
      ...folded(i32.loadByte(at.get), fold),
      units.set(byte.get),
      bump(at, 1),
      when(i32.isLess(at.get, stop.get), [
        ...folded(i32.loadByte(at.get), fold),
        units.set(i32.or(units.get, i32.shiftLeft(byte.get, i32.of(16)))),
      ]),
      bump(at, 1),
      one.set(i32.xor(one.get, multiply(rotate(multiply(units.get, 0xcc9e_2d51), 15), 0x1b87_3593))),
      one.set(i32.add(multiply(rotate(one.get, 13), 5), two.get)),
      two.set(i32.xor(two.get, multiply(rotate(multiply(units.get, 0x239b_961b), 16), 0xab0e_9789))),
      two.set(plus(i32.add(multiply(rotate(two.get, 17), 5), one.get), 0x561c_cd1b)),
    ),
    two.set(i32.xor(two.get, length.get)),
    one.set(i32.add(i32.xor(one.get, length.get), two.get)),
    two.set(i32.add(two.get, one.get)),
    ...finish(one),
    ...finish(two),
    tell(to, i32.add(one.get, two.get)),
    tell(to + 1, i32.add(one.get, i32.add(two.get, two.get))),
  ];
}
