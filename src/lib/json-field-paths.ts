/** Paths to texts in JSON objects in, a tree of the wanted keys out, to be walked along with the bytes. */

/** Keys from the root; `0` is the only element of a list of objects. */
export type FieldPath = readonly string[];

/** What is wanted inside an object. */
export interface Fields {
  readonly keys: readonly Wanted[];
}

export interface Wanted {
  readonly key: Uint8Array;
  /** Its place among all wanted keys. */
  readonly number: number;
  /** Number of the path whose text this is, or -1. */
  readonly field: number;
  /** What is wanted inside, where the value is an object. */
  readonly inside: Fields | undefined;
  /** What is wanted in the element, where the value is a list. */
  readonly element: Fields | undefined;
}

interface Numbered {
  readonly path: FieldPath;
  readonly field: number;
}

/** `count` is the number of wanted keys. */
export function plantFields(paths: readonly FieldPath[]): { readonly root: Fields; readonly count: number } {
  let count = 0;
  const plant = (here: readonly Numbered[]): Fields => {
    const keys = [...new Set(here.map(({ path }) => path[0] ?? ''))];
    return { keys: keys.map((key) => plantKey(key, here)) };
  };
  const plantKey = (key: string, here: readonly Numbered[]): Wanted => {
    const of = here.filter(({ path }) => path[0] === key);
    const deeper = of
      .filter(({ path }) => path.length > 1)
      .map(({ path, field }) => ({ path: path.slice(1), field }));
    const members = deeper.filter(({ path }) => path[0] !== '0');
    const elements = deeper.filter(({ path }) => path[0] === '0' && path.length > 1);
    return {
      key: Buffer.from(key, 'latin1'),
      number: count++,
      field: of.find(({ path }) => path.length === 1)?.field ?? -1,
      inside: members.length === 0 ? undefined : plant(members),
      element:
        elements.length === 0
          ? undefined
          : plant(elements.map(({ path, field }) => ({ path: path.slice(1), field }))),
    };
  };
  const root = plant(paths.map((path, field) => ({ path, field })));
  return { root, count };
}
