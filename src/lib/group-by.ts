/** Groups items by a key, in the order of the items. Node 20 does not have `Map.groupBy`. */
export function groupBy<Key, Item>(items: Iterable<Item>, keyOf: (item: Item) => Key) {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** Returns the index of a key among all keys. Adds it if it is new. */
export function indexIn<Key>(indexes: Map<Key, number>, key: Key) {
  let index = indexes.get(key);
  if (index === undefined) indexes.set(key, (index = indexes.size));
  return index;
}
