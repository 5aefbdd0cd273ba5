/** Collects line numbers over several files, 4 bytes each, as ranges for the report. */
import type { PlaceList } from '../../source.ts';

/** A file, and the number of the line before its first one in the count over all files. */
export interface LineFile {
  readonly input: string;
  readonly before: number;
}

/** Numbers below 2^32 in the order of their arrival. */
export class LineNumbers {
  #numbers = new Uint32Array(64);
  length = 0;

  push(number: number): void {
    if (this.length === this.#numbers.length) {
      const wider = new Uint32Array(2 * this.length);
      wider.set(this.#numbers);
      this.#numbers = wider;
    }
    this.#numbers[this.length++] = number;
  }

  /** Ascending, by file, without repetitions, neighbours in one range. */
  placesIn(files: readonly LineFile[]): PlaceList[] {
    const places = files.map(({ input }) => ({ input, ranges: [] as [number, number][] }));
    let at = 0;
    for (const number of this.#numbers.slice(0, this.length).sort()) {
      while (number > (files[at + 1]?.before ?? Number.POSITIVE_INFINITY)) at++;
      const line = number - files[at]!.before;
      const { ranges } = places[at]!;
      const last = ranges.at(-1);
      if (last !== undefined && line <= last[1] + 1) last[1] = line;
      else ranges.push([line, line]);
    }
    return places.filter(({ ranges }) => ranges.length > 0);
  }
}
