/**
 * Keeps the rows of a joined table as texts, found by a key, and their lines in the file. A row and its key take 30 bytes
 * in memory. Texts are on disk from 2 MB on.
 */
import { keyIfAny, KeyTable } from '../../compact/key-table.ts';
import { createPieceStore, type OpenSpillFile, type PieceStore } from '../../compact/piece-store.ts';
import { formatCounted } from '../../lib/format.ts';
import { warning, type Notice, type PlaceList } from '../../notice.ts';

export class RowStore {
  /** Its entries are the rows, in the order in which they were added. */
  readonly #keys = new KeyTable();
  readonly #texts: PieceStore;

  constructor(openSpillFile?: OpenSpillFile) {
    this.#texts = createPieceStore(openSpillFile, undefined, 2048);
  }

  /** Adds a row. It cannot be found by an empty key. */
  add(text: string, key: string) {
    this.#texts.add(text);
    this.#keys.add(keyIfAny(key));
  }

  /** Returns the rows with this key, in the order of the table. */
  rowsOf(key: string) {
    return this.#keys.findAll(keyIfAny(key)).reverse();
  }

  /** Returns the texts of the last rows with this key, at most `most`. */
  find(key: string, most: number) {
    return this.rowsOf(key)
      .slice(-most)
      .map((row) => this.text(row));
  }

  text(row: number) {
    return this.#texts.get(row).toString('utf8');
  }

  close() {
    this.#texts.close();
  }
}

/** Consecutive rows of a file. */
interface Run {
  readonly input: string;
  readonly line: number;
  readonly row: number;
}

export class RowNumbers {
  length = 0;
  readonly #runs: Run[] = [];

  /** Adds a row. `line` is its line, or its place in a list, from 1. */
  push(input: string, line: number) {
    const last = this.#runs.at(-1);
    const row = this.length++;
    if (last?.input !== input || last.line + row - last.row !== line) this.#runs.push({ input, line, row });
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
    const places: { readonly input: string; readonly ranges: [number, number][] }[] = [];
    for (const [at, { input, line, row: first }] of this.#runs.entries()) {
      const end = this.#runs[at + 1]?.row ?? this.length;
      for (let row = first; row < end; row++) {
        if (!isChosen(row)) continue;
        const number = line + row - first;
        let place = places.at(-1);
        if (place?.input !== input) places.push((place = { input, ranges: [] }));
        const last = place.ranges.at(-1);
        if (last?.[1] === number - 1) last[1] = number;
        else place.ranges.push([number, number]);
      }
    }
    return places;
  }
}
