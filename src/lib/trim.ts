/**
 * The text without the given characters at its end. A pattern such as `/=+$/` would take the square of the time on a long
 * run of them that is not at the end, and a source may hold millions.
 */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** The same at both ends. */
export function trimOf(text: string, characters: string): string {
  const rest = trimEndOf(text, characters);
  let start = 0;
  while (start < rest.length && characters.includes(rest.charAt(start))) start++;
  return rest.slice(start);
}
