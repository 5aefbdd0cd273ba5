import { describe, expect, it } from 'vitest';
import {
  assembleModule,
  createVariables,
  giveBack,
  i32,
  i64,
  repeatWhile,
  when,
  type Code,
} from '../../src/lib/wasm-code.ts';

type Run = (a: number, b: number) => number;

/** A program of two parameters, `a` and `b`. */
function compile(write: (program: ReturnType<typeof createVariables>) => Code[]): Run {
  const program = createVariables();
  const body = write(program);
  const module = assembleModule(program.declared, 2, 1, body);
  const { WebAssembly: engine } = globalThis as any;
  return new engine.Instance(new engine.Module(module)).exports.run as Run;
}

describe('WebAssembly as expressions', () => {
  it('computes, repeats and decides', () => {
    const sumOfEven = compile(({ variable }) => {
      const from = variable('i32');
      const to = variable('i32');
      const sum = variable('i32');
      return [
        repeatWhile(
          i32.isLess(from.get, to.get),
          when(i32.isZero(i32.and(from.get, i32.of(1))), [sum.set(i32.add(sum.get, from.get))]),
          from.set(i32.add(from.get, i32.of(1))),
        ),
        when(i32.isMore(sum.get, i32.of(1_000_000)), [giveBack(i32.of(-1))]),
        sum.get,
      ];
    });
    expect([sumOfEven(0, 11), sumOfEven(5, 5), sumOfEven(0, 100_000)]).toEqual([30, 0, -1]);
  });

  it.each([
    0n,
    1n,
    -1n,
    63n,
    64n,
    -64n,
    -65n,
    127n,
    128n,
    2n ** 31n,
    2n ** 63n - 1n,
    -(2n ** 63n),
    0x5555_5555_5555_5555n,
  ])('writes the constant %s', (value) => {
    const half = compile(({ variable }) => {
      const high = variable('i32');
      variable('i32');
      return [
        when(high.get, [giveBack(i32.from64(i64.shiftRight(i64.of(value), i64.of(32n))))]),
        i32.from64(i64.of(value)),
      ];
    });
    expect(half(0, 0)).toBe(Number(BigInt.asIntN(32, value)));
    expect(half(1, 0)).toBe(Number(BigInt.asIntN(32, value >> 32n)));
  });
});
