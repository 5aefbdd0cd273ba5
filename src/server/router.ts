/** Routes paths to handlers: a path without variables is looked up once and remembered. */
import type { Result, Router } from 'hono/router';
import { TrieRouter } from 'hono/router/trie-router';

/** Most calls go to a handful of fixed paths; walking the tree for each costs as much as reading a small body. */
export function createRouter<T>(): Router<T> {
  const tree = new TrieRouter<T>();
  const fixed = new Set<string>();
  const known = new Map<string, Result<T>>();
  return {
    name: 'fixed paths first',
    add(method, path, handler) {
      tree.add(method, path, handler);
      if (!/[:*]/.test(path)) fixed.add(path);
      known.clear();
    },
    match(method, path) {
      if (!fixed.has(path)) return tree.match(method, path);
      const key = `${method} ${path}`;
      const before = known.get(key);
      if (before !== undefined) return before;
      const found = tree.match(method, path);
      known.set(key, found);
      return found;
    },
  };
}
