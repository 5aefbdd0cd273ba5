/** Inputs of fast-check that are drawn by plain functions, and bytes that become as few as possible. */
import * as fc from 'fast-check';
import { type Draw, drawBy } from '../support/draw.ts';
import { mutate } from './mutate.ts';

/** Without bias, which would make small numbers, and so the first of all choices, the usual ones. */
const fraction = () => fc.noBias(fc.nat()).map((number) => number / 2 ** 31);

export const drawWith = (generate: fc.GeneratorValue) => drawBy(() => generate(fraction));

/** What `make` makes; it is made simpler by simpler choices. */
export const drawn = <Made>(make: (draw: Draw) => Made) =>
  fc.gen().map((generate) => make(drawWith(generate)));

/** One of these inputs, nearly always with changes; pieces of `corpus` may come in. */
export function changed(inputs: readonly Buffer[], corpus: readonly Buffer[] = inputs) {
  return new ShrinkingBytes(
    drawn((draw) => {
      const input = draw.pick(inputs);
      return draw.chance(0.1) ? input : mutate(input, draw, corpus);
    }),
  );
}

/** Made smaller by leaving parts out, the largest first. */
class ShrinkingBytes extends fc.Arbitrary<Buffer> {
  readonly #bytes: fc.Arbitrary<Buffer>;

  constructor(bytes: fc.Arbitrary<Buffer>) {
    super();
    this.#bytes = bytes;
  }

  override generate(...given: Parameters<fc.Arbitrary<Buffer>['generate']>) {
    return printable(this.#bytes.generate(...given).value);
  }

  override canShrinkWithoutContext(value: unknown): value is Buffer {
    return value instanceof Buffer;
  }

  override shrink(bytes: Buffer) {
    return fc.stream(shorter(bytes)).map(printable);
  }
}

function* shorter(bytes: Buffer) {
  for (let part = bytes.length; part >= 1; part = Math.floor(part / 2))
    for (let at = 0; at < bytes.length; at += part)
      yield Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + part)]);
}

/** As a text, in the report of a find. */
function printable(bytes: Buffer) {
  const shown = { [fc.toStringMethod]: () => JSON.stringify(bytes.toString('latin1')) };
  return new fc.Value(Object.assign(Buffer.from(bytes), shown), undefined);
}
