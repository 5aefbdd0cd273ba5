/** How far each entry of a run has come, in one byte each: 10 MB for 10 million users. */

export const State = {
  /** Not sent, or certainly not done. */
  none: 0,
  /** Sent; the result is unknown. */
  open: 1,
  created: 2,
  existed: 3,
  failed: 4,
  /** As a previous run has left it: never in the file, found out again by each run. */
  unchanged: 5,
  /** Created by a run before, and changed in place. */
  changed: 6,
} as const;
export type State = (typeof State)[keyof typeof State];

export class States {
  readonly #bytes: Uint8Array;

  constructor(entries: number) {
    this.#bytes = new Uint8Array(entries);
  }

  get(entry: number): State {
    return (this.#bytes[entry] ?? State.none) as State;
  }

  set(entries: Iterable<number>, state: State): void {
    for (const entry of entries) this.#bytes[entry] = state;
  }

  /** How many entries from `from` to before `to` are in this state. */
  count(state: State, from = 0, to = this.#bytes.length): number {
    let count = 0;
    for (let entry = from; entry < to; entry++) if (this.#bytes[entry] === state) count++;
    return count;
  }
}
