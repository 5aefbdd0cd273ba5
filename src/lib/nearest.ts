/** Finds the known words that are most similar to an unknown one, for suggestions. */

/** Returns up to three words, the closest first. `also` accepts words that are similar for another reason than their letters. */
export function nearest(
  word: string,
  words: Iterable<string>,
  also: (word: string, candidate: string) => boolean = () => false,
) {
  const requested = word.toLowerCase();
  const allowed = Math.max(2, Math.floor(requested.length / 4));
  return [...new Set(words)]
    .map((name) => ({ name, distance: editDistance(requested, name.toLowerCase()) }))
    .filter(({ name, distance }) => {
      const near = distance <= allowed && distance * 2 < Math.max(requested.length, name.length);
      return near || also(requested, name.toLowerCase());
    })
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ name }) => name);
}

/** Returns the number of letters to insert, remove, change or swap with the next one. */
export function editDistance(from: string, to: string) {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const change = from[row - 1] === to[column - 1] ? 0 : 1;
      const swapped =
        row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
          ? beforePrevious[column - 2]! + 1
          : Infinity;
      current.push(
        Math.min(previous[column]! + 1, current[column - 1]! + 1, previous[column - 1]! + change, swapped),
      );
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[to.length]!;
}
