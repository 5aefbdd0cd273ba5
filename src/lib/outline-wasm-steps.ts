/**
 * What stands at `at` in; whether a step of an outline fits there, and where it stops, out: for the
 * programs that match them.
 */
import { marksOf } from './json-marks-code.ts';
import { node as field } from './stencil-layout.ts';
import { bump, isByte, isOutside, no, not, yes } from './stencil-wasm-machine.ts';
import { bytes16, i32, repeatWhile, type Variable, when } from './wasm-code.ts';

export interface StepVariables {
  readonly at: Variable;
  readonly end: Variable;
  readonly node: Variable;
  /** Of the literal bytes. */
  readonly length: Variable;
  /** Whether they are the same. */
  readonly same: Variable;
  /** Whether the rest fits, and where it stops. */
  readonly fits: Variable;
  readonly stop: Variable;
  readonly value: Variable;
  readonly flags: Variable;
  readonly before: Variable;
  readonly part: Variable;
}

export function codeForSteps({
  at,
  end,
  node,
  length,
  same,
  fits,
  stop,
  value,
  flags,
  before,
  part,
}: StepVariables) {
  /** Of 16 bytes the first one that differs; behind the literal it does not matter. */
  const compare = [
    same.set(yes),
    value.set(no),
    repeatWhile(
      i32.and(same.get, i32.isLess(value.get, length.get)),
      flags.set(
        i32.lowest(
          i32.xor(
            bytes16.equalBits(
              bytes16.load(i32.add(at.get, value.get), 0),
              bytes16.load(i32.add(i32.load(node.get, field.literal), value.get), 0),
            ),
            i32.of(-1),
          ),
        ),
      ),
      value.set(i32.add(value.get, flags.get)),
      same.set(i32.or(i32.areEqual(flags.get, i32.of(16)), not(i32.isLess(value.get, length.get)))),
    ),
  ];

  /** To the first quote, backslash or control character. */
  const findEnd = [
    flags.set(i32.of(16)),
    repeatWhile(
      i32.and(i32.areEqual(flags.get, i32.of(16)), i32.isLess(at.get, end.get)),
      part.set(bytes16.load(at.get, 0)),
      flags.set(i32.lowest(i32.or(marksOf(part), i32.of(0x1_0000)))),
      at.set(i32.add(at.get, flags.get)),
    ),
    stop.set(at.get),
    fits.set(isByte(i32.loadByte(at.get), '"')),
  ];
  const isDigit = not(isOutside(i32.loadByte(at.get), 0x30, 0x39));
  const readNumber = [
    when(isByte(i32.loadByte(at.get), '-'), [bump(at, 1)]),
    fits.set(isDigit),
    before.set(isByte(i32.loadByte(at.get), '0')),
    bump(at, 1),
    when(not(before.get), [repeatWhile(isDigit, bump(at, 1))]),
    stop.set(at.get),
  ];

  return { compare, findEnd, readNumber };
}
