/** The contract of a fuzz target: what draws its inputs, and what must hold for each of them. */
import * as fc from 'fast-check';
import type { Draw } from '../support/draw.ts';
import { drawWith } from './arbitraries.ts';

export interface FuzzTarget {
  readonly name: string;
  /** What must hold, in one line. */
  readonly about: string;
  /** Its share of all inputs, relative to the other targets. */
  readonly share: number;
  /** How many inputs `npm run test:slow` runs, where one input takes long. */
  readonly inTests?: number;
  readonly open: () => Promise<fc.IAsyncPropertyWithHooks<[unknown, fc.GeneratorValue]>>;
}

/** Milliseconds on the processor that an input may take: a busy machine or a slow disk is not a defect of it. */
const patience = 5000;
/** Milliseconds in which a find is made smaller. */
const shrinkTime = 60_000;

/**
 * `check` throws when something does not hold; `draw` gives the choices besides the input (sizes of blocks, options).
 * Slow inputs and warnings are defects as well.
 */
export function fuzzProperty<Input>(
  inputs: fc.Arbitrary<Input>,
  check: (input: Input, draw: Draw) => void | Promise<void>,
) {
  let shrinkUntil = Infinity;
  return fc.asyncProperty(inputs, fc.gen(), async (input, generate) => {
    if (performance.now() > shrinkUntil) return;
    const emitWarning = process.emitWarning.bind(process);
    const warnings: string[] = [];
    process.emitWarning = (warning) => void warnings.push(String(warning));
    const begin = process.cpuUsage();
    try {
      await check(input, drawWith(generate));
      const { user, system } = process.cpuUsage(begin);
      if ((user + system) / 1000 > patience) throw new Error('it took over five seconds');
      // A library that warns does so on standard error, in its own words, and quotes what it has read.
      expectSame('warnings of the process', warnings, []);
    } catch (error) {
      shrinkUntil = Math.min(shrinkUntil, performance.now() + shrinkTime);
      throw error;
    } finally {
      process.emitWarning = emitWarning;
    }
  });
}

/** What a parse gives that fails. */
export const broken = 'broken JSON';

/** The oracle of all readers of JSON: no byte of the text may be wrong. */
export function parseStrictly(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return broken;
  }
}

/** Throws unless both are equal as JSON. */
export function expectSame(what: string, actual: unknown, expected: unknown) {
  const [one, other] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (one !== other) throw new Error(`${what}: ${shorten(one)} instead of ${shorten(other)}`);
}

function shorten(text: string | undefined) {
  if (text === undefined) return 'nothing';
  return text.length <= 300 ? text : `${text.slice(0, 300)}... (${text.length})`;
}
