/** Makes names and ids safe to be shown: they come out of files, and must not control the screen that shows them. */

/** Control characters, separators of lines, marks of writing direction, and halves of characters. */
const unseen =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/gu;

/** Replaces what cannot be seen, and could move the cursor, clear the screen or turn a line round. */
export function replaceUnseen(text: string, replace: (code: string) => string): string {
  return text.replace(unseen, (character) => replace(character.charCodeAt(0).toString(16).padStart(4, '0')));
}

/** One line for a screen. JSON keeps its meaning: these are the escapes that it has as well. */
export function printable(text: string): string {
  return replaceUnseen(text, (code) => `\\u${code}`);
}

/** For pages and documents: the numbers of what cannot be seen, `U+202E`. */
export function visible(text: string): string {
  return replaceUnseen(text, (code) => `U+${code.toUpperCase()}`);
}
