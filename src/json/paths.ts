/** The paths that a scan requests as a tree, and a cursor that follows them through a JSON document. */

/** What is requested at a path: the elements of an array, a scalar, a value of any kind, or the end of an object. */
type Request = 'array' | 'field' | 'value' | 'end';

/** Keys from the root. `*` is every element of an array; the empty path is the root itself. */
export type Path = readonly string[];

export interface PathNode {
  readonly path: Path;
  request: Request | undefined;
  /** What is requested inside: by key, or by `*` for every element. */
  readonly inner: Map<string, PathNode>;
}

export function buildPathTree(requests: Readonly<Record<Request, readonly Path[]>>): PathNode {
  const root = newNode([]);
  for (const [request, paths] of Object.entries(requests)) {
    for (const path of paths) {
      const node = path.reduce((outer, step, depth) => {
        const next = outer.inner.get(step) ?? newNode(path.slice(0, depth + 1));
        outer.inner.set(step, next);
        return next;
      }, root);
      node.request = request as Request;
    }
  }
  return root;
}

const newNode = (path: Path): PathNode => ({ path, request: undefined, inner: new Map() });

interface Container {
  readonly node: PathNode;
  readonly isArray: boolean;
  readonly seen: Set<PathNode>;
  index: number;
}

/** Position in a document, as far as it leads to a requested path. */
export class PathCursor {
  readonly #root: PathNode;
  readonly #repeats: boolean;
  /** Number of open objects and arrays. */
  depth = 0;
  /** The outermost open objects and arrays, which lead to a requested path. */
  readonly #containers: Container[] = [];
  #keyed: PathNode | undefined;

  /** With `repeats`, the key of a requested array or value may occur more than once in an object. */
  constructor(root: PathNode, repeats: boolean) {
    this.#root = root;
    this.#repeats = repeats;
  }

  /** Index in a root array, otherwise 0. */
  get rootIndex() {
    const outermost = this.#containers[0];
    return outermost?.isArray ? outermost.index : 0;
  }

  /** Whether keys of the innermost open object must be compared. */
  get comparesKeys() {
    return this.#containers.length === this.depth;
  }

  /** Returns what is requested of the next value. */
  here() {
    if (!this.comparesKeys) return undefined;
    const container = this.#containers.at(-1);
    if (container === undefined) return this.#root;
    return container.isArray ? container.node.inner.get('*') : this.#keyed;
  }

  /** Notes a key that was read while keys are compared. Returns false if it is requested and occurs twice but must not. */
  key(key: string) {
    const { node, seen } = this.#containers.at(-1)!;
    this.#keyed = key === '*' ? undefined : node.inner.get(key);
    if (this.#keyed === undefined) return true;
    if (seen.has(this.#keyed)) return this.#repeats && this.#keyed.request !== 'field';
    seen.add(this.#keyed);
    return true;
  }

  /** Notes that a comma was read. */
  next() {
    if (this.comparesKeys) this.#containers[this.depth - 1]!.index++;
  }

  /** Notes that an object or array opens at `node`. */
  enter(isArray: boolean, node: PathNode | undefined) {
    const leads =
      node !== undefined && (isArray ? node.inner.has('*') : node.inner.size > 0 || node.request === 'end');
    if (leads && this.comparesKeys) this.#containers.push({ node, isArray, seen: new Set(), index: 0 });
    this.depth++;
  }

  /**
   * Notes that the innermost object or array closes. Returns the requested arrays that the object did not have, and the object
   * itself if its end is requested.
   */
  leave() {
    const container = this.comparesKeys ? this.#containers.pop() : undefined;
    this.depth--;
    if (container === undefined || container.isArray) return [];
    const { node, seen } = container;
    const absent = [...node.inner.values()].filter(
      (inner) => inner.request === 'array' && inner.path.at(-1) !== '*' && !seen.has(inner),
    );
    return node.request === 'end' ? [...absent, node] : absent;
  }
}
