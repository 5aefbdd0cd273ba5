/** A function that asks for one page in, all entries out. */

/** The service's own page size for targets and executions. */
export const pageSize = 100;

export interface Page<Entry> {
  readonly entries: readonly Entry[];
  /** How many there are in all, where the service says so. */
  readonly total: number | undefined;
}

/** Ends at a page that is not full, so it also ends with services that know no pages. */
export async function readPages<Entry>(ask: (offset: number) => Promise<Page<Entry>>): Promise<Entry[]> {
  const all: Entry[] = [];
  for (;;) {
    const { entries, total } = await ask(all.length);
    all.push(...entries);
    if (entries.length !== pageSize || all.length >= (total ?? Infinity)) return all;
  }
}

export function readTotal(total: string | undefined): number | undefined {
  return total === undefined ? undefined : Number(total);
}
