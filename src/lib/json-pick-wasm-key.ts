/**
 * A key that was read as a text, and what is wanted of its object, in; its token, and what is wanted of its value, out.
 */
import { bucketCount, everything, key, table, token } from './json-pick-layout.ts';
import { isBefore, type Machine, must, one } from './json-pick-wasm-machine.ts';
import { bytes16, type Code, i32, i64, plus, when } from './wasm-code.ts';

export function codeToFindKeys(machine: Machine, emitText: Code): Code[] {
  const { at, wanted, open, start, length, found, emit } = machine;
  /** First byte, middle byte and length of a key choose its bucket. */
  const half = i32.add(start.get, i32.shiftRight(length.get, one));
  const hash = i32.add(
    length.get,
    i32.add(
      i32.multiply(i32.loadByte(start.get), i32.load(open.get, table.firstFactor)),
      i32.multiply(i32.loadByte(half), i32.load(open.get, table.halfFactor)),
    ),
  );
  const bucket = i32.shiftLeft(i32.and(hash, i32.of(bucketCount - 1)), i32.of(2));
  const equalBytes = (offset: number): Code =>
    i64.from32(bytes16.equalBits(bytes16.load(start.get, offset), bytes16.load(found.get, offset)));
  /** All bits of a key's bytes are set, and those behind it do not matter. */
  const isFound = i64.isZero(
    i64.not(
      i64.or(
        i64.or(equalBytes(0), i64.shiftLeft(equalBytes(16), i64.of(16n))),
        i64.shiftLeft(i64.of(-1n), i64.from32(length.get)),
      ),
    ),
  );
  return [
    wanted.set(i32.and(open.get, i32.areEqual(open.get, i32.of(everything)))),
    when(wanted.get, [emitText]),
    when(isBefore(i32.of(everything), open.get), [
      // An escape in a key is so rare that JSON.parse may have it.
      must(i32.areEqual(i32.sub(plus(at.get, -1), start.get), length.get)),
      found.set(i32.load(i32.add(open.get, bucket), table.buckets)),
      when(i32.areEqual(i32.load(found.get, key.length), length.get), [
        when(isFound, [
          ...emit(token.key, i32.load(found.get, key.number)),
          wanted.set(i32.load(found.get, key.wanted)),
        ]),
      ]),
    ]),
  ];
}
