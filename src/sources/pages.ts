/** Whether the pages of an interface hold all the users that they speak of. */
import type { Notice, RawElements } from './source.ts';

/** What the pages of a file say, next to their lists. */
export interface Pages {
  readonly lists: number;
  /** Pages that name a next one. */
  readonly following: number;
  /** The most users that a page names in all. */
  readonly total: number;
}

export class PageCount {
  #read = 0;
  #pages: Pages = { lists: 0, following: 0, total: 0 };

  add(elements: RawElements): void {
    if (elements.form === 'values') this.#read += elements.values.length;
    else this.#read += 'count' in elements ? elements.count : 1;
  }

  /** At the end of a file. */
  close({ lists, following, total }: Pages): void {
    this.#pages = {
      lists: this.#pages.lists + lists,
      following: this.#pages.following + following,
      total: Math.max(this.#pages.total, total),
    };
  }

  /** Undefined where nothing says that there are more. The files may be the pages in any order. */
  missing(inputs: readonly { readonly name: string }[], advice: string): Notice | undefined {
    const { lists, following, total } = this.#pages;
    const names = inputs.map(({ name }) => name).join(', ');
    const isLast = lists === 0 || following < lists;
    if (this.#read >= total && isLast) return undefined;
    const problem =
      this.#read < total
        ? `the pages name ${total} users in all and hold ${this.#read}`
        : 'the last page names a next one, which is not here';
    return { level: 'warning', code: 'input:missing-pages', text: `${names}: ${problem}; ${advice}` };
  }
}
