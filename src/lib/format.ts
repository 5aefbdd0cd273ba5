/**
 * Formats counts, bytes and durations for users, in English whatever the locale. Formats names and ids so that they cannot
 * control the screen, and words for a POSIX shell.
 */

/** `1234567` becomes `1,234,567`. */
export function formatCount(count: number) {
  if (Math.abs(count) < 999) return String(Math.round(count));
  return String(Math.round(count)).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

/** Formats a rate per second. A slow run may do less than one. */
export function formatRate(perSecond: number) {
  return perSecond < 10 ? String(Number(perSecond.toPrecision(2))) : formatCount(perSecond);
}

/** `formatCounted(1, 'user')` is `1 user`, and with 2 it is `2 users`. */
export function formatCounted(count: number, noun: string, plural = `${noun}s`) {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}

/** Lists the first of the names: `Acme, Globex and 3 more`. `all` is the total number, if only some names are given. */
export function formatNames(names: readonly string[], most = 5, all = names.length) {
  const shown = names.slice(0, most);
  const more = all - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${formatCount(more)} more` : ''}`;
}

/** Formats a name for messages: `Acme (42)`, or the id alone without a name. */
export const nameWithId = (name: string, id: string) => (name === '' ? id : `${name} (${id})`);

const byteUnits = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

/** Formats bytes in decimal units with three digits: `812 bytes`, `34.2 kB`, `1.07 GB`. */
export function formatBytes(bytes: number) {
  let value = bytes;
  let unit = 0;
  while (Number(value.toPrecision(3)) >= 1000 && unit < byteUnits.length - 1) {
    value /= 1000;
    unit++;
  }
  if (unit === 0) return formatCounted(bytes, 'byte');
  return `${Number(value.toPrecision(3))} ${byteUnits[unit]}`;
}

/** Formats how long requests take at a rate: `about 2 min at 100/s`. */
export const formatTimeAt = (requests: number, perSecond: number | undefined) =>
  perSecond === undefined
    ? 'as fast as the service answers'
    : `about ${formatSeconds(Math.max(1, requests / perSecond))} at ${perSecond}/s`;

/** Formats a length of time: `40 ms`, `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`. */
export function formatSeconds(seconds: number) {
  if (seconds < 0.1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  if (hours > 0) return minutes === 0 ? `${formatCount(hours)} h` : `${formatCount(hours)} h ${minutes} min`;
  return whole % 60 === 0 ? `${minutes} min` : `${minutes} min ${whole % 60} s`;
}

/** Control characters, line separators, marks of writing direction, and lone surrogates. */
const unseen =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/gu;

/** Replaces characters that cannot be seen and could move the cursor, clear the screen or reverse a line. */
function replaceUnseen(text: string, replace: (code: string) => string) {
  return text.replace(unseen, (character) => replace(character.charCodeAt(0).toString(16).padStart(4, '0')));
}

/** Formats text as one line for a screen. JSON keeps its meaning, because it has the same escapes. */
export function printable(text: string) {
  return replaceUnseen(text, (code) => `\\u${code}`);
}

/** Formats text for pages and documents: characters that cannot be seen become their number, `U+202E`. */
export function visible(text: string) {
  return replaceUnseen(text, (code) => `U+${code.toUpperCase()}`);
}

/** Quotes a word for a shell if it needs to be. */
export function shellWord(text: string) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Returns the words of a line that `cli/shape.ts` wrote: a flag is one word with its value. */
export const wordsOf = (line: string) => line.match(/(?:'[^']*'|\\.|[^\s'\\])+/g) ?? [];

/** Returns the name of the flag in a word. Undefined for other words. */
export const flagIn = (word: string) => /^--([a-z][\w-]*)/.exec(word)?.[1];

/** Removes these flags and their values from such a line. */
export const withoutFlags = (line: string, names: readonly string[]) =>
  wordsOf(line)
    .filter((word) => !names.includes(flagIn(word) ?? ''))
    .join(' ');

/** Returns the name that the files of all shards have once they are joined: `x.csv` for `x.2-of-4.csv`. */
export const withoutShard = (name: string) => name.replace(/\.\d+-of-\d+(?=\.[^./\\]*$|$)/, '');
