/** A stencil that fits, and the holes of an element, in; the literal texts by turns with what is in the holes out. */
import { hole, item, noHole, stencil } from './stencil-layout.ts';
import { bump, isByte, type Machine, no } from './stencil-wasm-machine.ts';
import { type Code, i32, repeatWhile, when } from './wasm-code.ts';

export function codeToWrite(machine: Machine): Code[] {
  const { layout, out, at, stop, byte, found, items, left, current, size, bits, value } = machine;
  const { forEachByte, copyText, selectHole, holePlace, holeLength } = machine;
  const put = (code: Code): Code[] => [i32.storeByte(out.get, code), bump(out, 1)];
  const base32Letter = (shift: Code): Code => i32.loadByte(i32.and(shift, i32.of(31)), layout.base32);
  const writeBase32 = [
    value.set(no),
    bits.set(no),
    forEachByte(
      value.set(i32.or(i32.shiftLeft(value.get, i32.of(8)), byte.get)),
      bump(bits, 8),
      repeatWhile(
        i32.isMore(bits.get, i32.of(4)),
        bump(bits, -5),
        ...put(base32Letter(i32.shiftRight(value.get, bits.get))),
      ),
    ),
    when(bits.get, put(base32Letter(i32.shiftLeft(value.get, i32.sub(i32.of(5), bits.get))))),
  ];
  const writeEscaped = [
    forEachByte(
      when(i32.or(isByte(byte.get, '"'), isByte(byte.get, '\\')), put(i32.of(0x5c))),
      ...put(byte.get),
    ),
  ];
  const writeHole = [
    selectHole(i32.load(items.get, item.hole)),
    at.set(holePlace),
    stop.set(i32.add(at.get, holeLength)),
    size.set(i32.add(size.get, i32.sub(holeLength, i32.load(current.get, 4 * hole.escapes)))),
    when(i32.load(items.get, item.how), writeBase32, [
      when(i32.load(current.get, 4 * hole.special), writeEscaped, copyText(holePlace, holeLength, out)),
    ]),
  ];
  return [
    size.set(i32.load(found.get, stencil.size)),
    items.set(i32.load(found.get, stencil.items)),
    left.set(i32.load(found.get, stencil.itemCount)),
    repeatWhile(
      left.get,
      ...copyText(i32.load(items.get, item.literal), i32.load(items.get, item.length), out),
      when(i32.isLess(i32.load(items.get, item.hole), i32.of(noHole)), writeHole),
      bump(items, item.size),
      bump(left, -1),
    ),
  ];
}
