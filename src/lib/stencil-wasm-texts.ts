/** A whole text from `at` to `stop` in; refused where it is not plain for its kind of hole. */
import { mayBe } from './stencil-wasm-classes.ts';
import { bump, isByte, isOutside, type Machine, no, not, yes } from './stencil-wasm-machine.ts';
import { bytes16, type Code, i32, repeatWhile, when } from './wasm-code.ts';

/** Which bytes are so many from this letter on. */
function among(bytes: Code, first: string, count: number): Code {
  return bytes16.areLess(bytes16.sub(bytes, bytes16.filled(first.charCodeAt(0))), bytes16.filled(count));
}

/** From `at` on to the first byte that is no letter, no digit and none of these; up to 15 bytes behind it are read. */
export function skipLetters({ at, stop, part, flags }: Machine, more: string): Code[] {
  const letters = among(bytes16.or(part.get, bytes16.filled(0x20)), 'a', 26);
  const others = Array.from(more, (letter) =>
    bytes16.areEqual(part.get, bytes16.filled(letter.charCodeAt(0))),
  );
  const all = [letters, among(part.get, '0', 10), ...others].reduce((some, one) => bytes16.or(some, one));
  return [
    flags.set(i32.of(16)),
    repeatWhile(
      i32.areEqual(flags.get, i32.of(16)),
      part.set(bytes16.load(at.get, 0)),
      // The bits above those of the 16 bytes end the run.
      flags.set(i32.lowest(i32.xor(bytes16.bits(all), i32.of(-1)))),
      at.set(i32.add(at.get, flags.get)),
      when(i32.isMore(at.get, stop.get), [flags.set(no)]),
    ),
  ];
}

export function codeToCheckTexts(machine: Machine) {
  const { layout, at, stop, byte, before, flags, special, refuseIf, isKind, forEachByte } = machine;
  const checkLetters = (more: string): Code[] => [
    ...skipLetters(machine, more),
    refuseIf(i32.isLess(at.get, stop.get)),
  ];
  /** As `isPlainAddress` of an address: one `@`, and dots between other characters only. */
  const checkAddress = [
    before.set(i32.of(0x2e)),
    flags.set(no),
    forEachByte(
      when(
        mayBe(layout, 'address', byte.get),
        [before.set(no)],
        [
          refuseIf(i32.areEqual(before.get, i32.of(0x2e))),
          before.set(i32.of(0x2e)),
          when(isByte(byte.get, '@'), [bump(flags, 1)], [refuseIf(not(isByte(byte.get, '.')))]),
        ],
      ),
    ),
    refuseIf(i32.areEqual(before.get, i32.of(0x2e))),
    refuseIf(not(i32.areEqual(flags.get, yes))),
  ];
  const isAt = (offset: number, min: number, max = min): Code =>
    not(isOutside(i32.loadByte(at.get, offset), min, max));
  /** The beginnings of C1 controls and of white space beyond ASCII. */
  const checkBeyondAscii: readonly (readonly [first: number, refused: Code])[] = [
    [0xc2, isAt(1, 0x80, 0xa0)],
    [0xe1, isAt(1, 0x9a)],
    [0xe2, isAt(1, 0x80, 0x81)],
    [0xe3, i32.and(isAt(1, 0x80), isAt(2, 0x80))],
    [0xef, isAt(1, 0xbb)],
  ];
  const checkName = [
    before.set(yes),
    forEachByte(
      when(
        mayBe(layout, 'name', byte.get),
        [before.set(no)],
        [
          when(
            isByte(byte.get, ' '),
            [refuseIf(before.get), before.set(yes)],
            [
              before.set(no),
              when(
                i32.or(isByte(byte.get, '"'), isByte(byte.get, '\\')),
                [special.set(yes)],
                [
                  flags.set(yes),
                  when(isByte(byte.get, '@'), [flags.set(isKind('label'))]),
                  ...checkBeyondAscii.map(([first, refused]) =>
                    when(i32.areEqual(byte.get, i32.of(first)), [flags.set(refused)]),
                  ),
                  refuseIf(flags.get),
                ],
              ),
            ],
          ),
        ],
      ),
    ),
    refuseIf(before.get),
  ];
  return { checkLetters, checkAddress, checkName };
}
