/** The signature of an element in; its hash, and the stencil of the same signature, if there is one, out. */
import { slotCount, stencil } from './stencil-layout.ts';
import { bump, type Machine, no, not, yes } from './stencil-wasm-machine.ts';
import { bytes16, i32, i64, repeatWhile, when } from './wasm-code.ts';

export function codeToFind(machine: Machine) {
  const { layout, signature, mixed, at, value, same, length, slot, found } = machine;
  const signatureBytes = i32.sub(signature.get, i32.of(layout.signature));
  /** Into `value`. */
  const hashSignature = [
    bytes16.store(signature.get, bytes16.filled(0)),
    mixed.set(i64.of(0n)),
    at.set(i32.of(layout.signature)),
    repeatWhile(
      i32.isLess(at.get, signature.get),
      mixed.set(i64.multiply(i64.xor(mixed.get, i64.load(at.get)), i64.of(0x9e37_79b9_7f4a_7c15n))),
      mixed.set(i64.xor(mixed.get, i64.shiftRight(mixed.get, i64.of(29n)))),
      bump(at, 8),
    ),
    value.set(i32.from64(mixed.get)),
  ];
  const compare = [
    same.set(yes),
    at.set(no),
    repeatWhile(
      i32.and(same.get, i32.isLess(at.get, length.get)),
      same.set(
        i32.areEqual(
          bytes16.equalBits(
            bytes16.load(i32.add(found.get, at.get), stencil.signature),
            bytes16.load(i32.add(i32.of(layout.signature), at.get), 0),
          ),
          i32.of(0xffff),
        ),
      ),
      bump(at, 16),
    ),
  ];
  const slotAddress = i32.add(
    i32.of(layout.slots),
    i32.shiftLeft(i32.and(slot.get, i32.of(slotCount - 1)), i32.of(2)),
  );
  /** Signatures are followed by zeros up to a multiple of 16, here and in the stencils. */
  const lookUp = [
    length.set(signatureBytes),
    slot.set(value.get),
    found.set(i32.load(slotAddress)),
    same.set(no),
    repeatWhile(
      i32.and(not(same.get), not(not(found.get))),
      when(
        i32.and(
          i32.areEqual(i32.load(found.get, stencil.hash), value.get),
          i32.areEqual(i32.load(found.get, stencil.signatureLength), length.get),
        ),
        compare,
      ),
      when(not(same.get), [bump(slot, 1), found.set(i32.load(slotAddress))]),
    ),
  ];
  return { hashSignature, lookUp };
}
