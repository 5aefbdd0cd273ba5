/** The contract of a fuzz target: what draws its inputs, and what must hold for each of them. */
import type { Draw } from './draw.ts';

export interface FuzzTarget {
  readonly name: string;
  /** What must hold, in one line. */
  readonly about: string;
  /** Its share of all inputs, relative to the other targets. */
  readonly share: number;
  /** How many inputs `npm run test:slow` runs, where one input takes long. */
  readonly inTests?: number;
  /** Called once; the target is then used for any number of inputs. */
  open(): Promise<OpenTarget>;
}

export interface OpenTarget {
  /** An input, sound or broken. */
  make(draw: Draw): Buffer;
  /**
   * Throws when something does not hold: a `Finding`, or whatever the code under test throws. `draw` gives the choices
   * besides the input (sizes of blocks, options); it begins anew, so its first choices are those of `make`.
   */
  check(input: Buffer, draw: Draw): void | Promise<void>;
  /** Removes the state that previous inputs left. */
  renew?(): Promise<void>;
  close?(): void | Promise<void>;
}

export type FindingKind = 'crash' | 'difference' | 'secret' | 'slow';

/** A defect. Any other error of a check counts as a crash. */
export class Finding extends Error {
  override readonly name = 'Finding';
  readonly kind: FindingKind;

  constructor(kind: FindingKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Throws a difference unless both are equal as JSON. */
export function expectSame(what: string, actual: unknown, expected: unknown) {
  const [one, other] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (one === other) return;
  throw new Finding('difference', `${what}: ${shorten(one)} instead of ${shorten(other)}`);
}

function shorten(text: string | undefined) {
  if (text === undefined) return 'nothing';
  return text.length <= 300 ? text : `${text.slice(0, 300)}... (${text.length})`;
}
