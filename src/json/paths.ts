/** The places in a JSON document that a scan is asked for, as a tree that is walked along with the document. */
export interface PathNode {
  readonly path: readonly string[];
  /** The array at this place is wanted. */
  array: boolean;
  /** The scalar at this place is wanted. */
  field: boolean;
  /** Whatever stands at this place is wanted as it is. */
  value: boolean;
  /** What is wanted of an object here. */
  readonly keys: Map<string, PathNode>;
  /** What is wanted of every element of an array here. */
  each: PathNode | undefined;
}

/** Paths are keys from the root; `*` is every element of an array; the empty path is the root itself. */
export function plantPaths(
  arrays: readonly (readonly string[])[],
  fields: readonly (readonly string[])[] = [],
  values: readonly (readonly string[])[] = [],
): PathNode {
  const root = newNode([]);
  for (const path of arrays) reach(root, path).array = true;
  for (const path of fields) reach(root, path).field = true;
  for (const path of values) reach(root, path).value = true;
  return root;
}

function reach(root: PathNode, path: readonly string[]): PathNode {
  let node = root;
  for (const [depth, step] of path.entries()) {
    const here = path.slice(0, depth + 1);
    if (step === '*') {
      node.each ??= newNode(here);
      node = node.each;
    } else {
      const next = node.keys.get(step) ?? newNode(here);
      node.keys.set(step, next);
      node = next;
    }
  }
  return node;
}

function newNode(path: readonly string[]): PathNode {
  return { path, array: false, field: false, value: false, keys: new Map(), each: undefined };
}
