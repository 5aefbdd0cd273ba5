/** Checks whether API pages contain all the users that they announce. */
import type { Notice, RawElements } from './source.ts';

/** What the pages of a file say next to their lists. */
export interface Pages {
  readonly lists: number;
  /** Number of pages that name a next page. */
  readonly following: number;
  /** Largest total number of users that a page names. */
  readonly total: number;
}

export function createPageCount() {
  let read = 0;
  let pages: Pages = { lists: 0, following: 0, total: 0 };
  return {
    add(elements: RawElements) {
      if (elements.form === 'values') read += elements.values.length;
      else read += 'count' in elements ? elements.count : 1;
    },
    /** Called at the end of a file. */
    close({ lists, following, total }: Pages) {
      pages = {
        lists: pages.lists + lists,
        following: pages.following + following,
        total: Math.max(pages.total, total),
      };
    },
    /** Returns a warning, or undefined if nothing says that there are more users. The files may be pages in any order. */
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
