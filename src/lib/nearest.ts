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
      return near || letters(requested) === letters(name) || also(requested, name.toLowerCase());
    })
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ name }) => name);
}

const letters = (word: string) => Array.from(word.toLowerCase()).toSorted().join('');

/** Returns the number of letters to insert, remove or change. */
function editDistance(from: string, to: string) {
  let previous = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [row, letter] of Array.from(from).entries()) {
    const current = [row + 1];
    for (const [at, other] of Array.from(to).entries())
      current.push(
        Math.min(previous[at + 1]! + 1, current[at]! + 1, previous[at]! + Number(letter !== other)),
      );
    previous = current;
  }
  return previous.at(-1)!;
}
