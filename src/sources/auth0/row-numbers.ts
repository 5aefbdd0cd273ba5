/** Keeps the lines of rows in their files, for warnings that name them. */
import { NumberList } from '../../compact/columns.ts';
import { formatCounted } from '../../lib/format.ts';
import { warning, type Notice, type PlaceList } from '../../notice.ts';

/** Where rows are: the file of each, and its line, or its place in a list, from 1. */
export class RowNumbers {
  readonly #lines = new NumberList();
  /** Files with their first rows. */
  readonly #inputs: { readonly input: string; readonly first: number }[] = [];

  get length() {
    return this.#lines.length;
  }

  push(input: string, line: number) {
    if (this.#inputs.at(-1)?.input !== input) this.#inputs.push({ input, first: this.length });
    this.#lines.push(line);
  }

  /** Returns a warning about the chosen rows, which are called `noun`. Empty if no row is chosen. */
  warn(code: Notice['code'], noun: string, text: string, isChosen: (row: number) => boolean): Notice[] {
    const places = this.#placesOf(isChosen);
    if (places.length === 0) return [];
    const count = places
      .flatMap(({ ranges }) => ranges)
      .reduce((sum, [first, last]) => sum + last - first + 1, 0);
    return [{ ...warning(code, `${formatCounted(count, noun)} ${text}`), places }];
  }

  /** Returns the lines of the chosen rows. Neighbouring lines are one range. */
  #placesOf(isChosen: (row: number) => boolean): PlaceList[] {
    return this.#inputs.flatMap(({ input, first }, at) => {
      const ranges: [number, number][] = [];
      const end = this.#inputs[at + 1]?.first ?? this.length;
      for (let row = first; row < end; row++) {
        if (!isChosen(row)) continue;
        const line = this.#lines.get(row)!;
        const last = ranges.at(-1);
        if (last?.[1] === line - 1) last[1] = line;
        else ranges.push([line, line]);
      }
      return ranges.length === 0 ? [] : { input, ranges };
    });
  }
}
