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

export function createPageCount() {
  let read = 0;
  let pages: Pages = { lists: 0, following: 0, total: 0 };
  return {
    add(elements: RawElements): void {
      if (elements.form === 'values') read += elements.values.length;
      else read += 'count' in elements ? elements.count : 1;
    },
    /** At the end of a file. */
    close({ lists, following, total }: Pages): void {
      pages = {
        lists: pages.lists + lists,
        following: pages.following + following,
        total: Math.max(pages.total, total),
      };
    },
    /** Undefined where nothing says that there are more. The files may be the pages in any order. */
    missing(inputs: readonly { readonly name: string }[], advice: string): Notice | undefined {
      const { lists, following, total } = pages;
      const names = inputs.map(({ name }) => name).join(', ');
      const isLast = lists === 0 || following < lists;
      if (read >= total && isLast) return undefined;
      const problem =
        read < total
          ? `the pages name ${total} users in all and hold ${read}`
          : 'the last page names a next one, which is not here';
      return { level: 'warning', code: 'input:missing-pages', text: `${names}: ${problem}; ${advice}` };
    },
  };
}
