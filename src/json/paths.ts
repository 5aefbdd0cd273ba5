/** The paths that a scan requests, as a tree, and a cursor that follows them through a JSON document. */
export interface PathNode {
  readonly path: readonly string[];
  /** An array at this path is requested. */
  array: boolean;
  /** A scalar at this path is requested. */
  field: boolean;
  /** A value of any kind at this path is requested. */
  value: boolean;
  /** What is requested inside an object here. */
  readonly keys: Map<string, PathNode>;
  /** What is requested inside every element of an array here. */
  each: PathNode | undefined;
}

/** Paths are keys from the root; `*` is every element of an array; the empty path is the root itself. */
export function buildPathTree(
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

interface Container {
  readonly node: PathNode;
  readonly isArray: boolean;
  readonly seen: Set<PathNode>;
  index: number;
}

/** The position in a document, as far as it leads to a requested path. */
export class PathCursor {
  readonly #root: PathNode;
  readonly #repeats: boolean;
  /** A key with more bytes is not requested, even if every character in it is escaped. */
  readonly longestKey: number;
  /** Number of open objects and arrays. */
  #depth = 0;
  /** The outer ones of them, which lead to a requested path. */
  readonly #containers: Container[] = [];
  #keyed: PathNode | undefined;

  /** With `repeats`, the key of a requested array may stand in an object more than once. */
  constructor(root: PathNode, repeats = false) {
    this.#root = root;
    this.#repeats = repeats;
    this.longestKey = 6 * longestKeyOf(root);
  }

  get depth(): number {
    return this.#depth;
  }

  /** The index in a root array, else 0. */
  get rootIndex(): number {
    const outermost = this.#containers[0];
    return outermost?.isArray === true ? outermost.index : 0;
  }

  /** Whether keys of the innermost open object have to be compared. */
  get comparesKeys(): boolean {
    return this.#containers.length === this.#depth;
  }

  /** What is requested of the next value. */
  here(): PathNode | undefined {
    if (this.#containers.length !== this.#depth) return undefined;
    const container = this.#containers.at(-1);
    if (container === undefined) return this.#root;
    return container.isArray ? container.node.each : this.#keyed;
  }

  /**
   * A key was read where keys are compared; undefined for one longer than `longestKey`. False when it is requested,
   * occurs twice and may not.
   */
  key(key: string | undefined): boolean {
    const container = this.#containers.at(-1);
    this.#keyed = key === undefined ? undefined : container?.node.keys.get(key);
    if (this.#keyed === undefined || container === undefined) return true;
    if (container.seen.has(this.#keyed)) return this.#repeats && this.#keyed.array;
    container.seen.add(this.#keyed);
    return true;
  }

  /** A comma was read. */
  next(): void {
    if (this.#containers.length === this.#depth) this.#containers[this.#depth - 1]!.index++;
  }

  /** An object or array opens at `node`. */
  enter(isArray: boolean, node: PathNode | undefined): void {
    const leads = node !== undefined && (isArray ? node.each !== undefined : node.keys.size > 0);
    if (leads && this.#containers.length === this.#depth) {
      this.#containers.push({ node, isArray, seen: new Set(), index: 0 });
    }
    this.#depth++;
  }

  /** It closes. Returns the requested arrays that it did not have. */
  leave(): PathNode[] {
    const container = this.#containers.length === this.#depth ? this.#containers.pop() : undefined;
    this.#depth--;
    if (container === undefined || container.isArray) return [];
    return [...container.node.keys.values()].filter((node) => node.array && !container.seen.has(node));
  }
}

function longestKeyOf(node: PathNode): number {
  let longest = node.each === undefined ? 0 : longestKeyOf(node.each);
  for (const [key, next] of node.keys) longest = Math.max(longest, key.length, longestKeyOf(next));
  return longest;
}
