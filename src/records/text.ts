/** Changes texts of a source only as far as the target cannot store them. */
import { lowerCase, trimOf } from '../lib/strings.ts';

/** Removes NUL and replaces a lone surrogate with U+FFFD, because the target can store neither. Everything else stays. */
export function sanitize(text: string) {
  return text.isWellFormed() && !text.includes('\0') ? text : text.toWellFormed().replaceAll('\0', '');
}

/** Line ends, tabs and terminal escapes. With them, a name could look like something else on a screen. */
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

/**
 * Returns a name as stored: blanks replace such characters, and are then removed from the ends. A name without them
 * keeps all its blanks.
 */
export function onOneLine(name: string) {
  const clean = sanitize(name);
  const line = clean.replace(controls, ' ');
  return line === clean ? clean : trimBlanks(line);
}

/** Folds case, because the service ignores it when it compares names of users, projects and applications. */
export const foldName = (name: string) => lowerCase(name.trim());

/** Matches a UUID with its dashes. */
export const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Reports whether the text consists of whole bytes in hexadecimal, at least one. */
export function isHex(text: string) {
  return text.length % 2 === 0 && /^[0-9a-f]+$/i.test(text);
}

/** Unicode `White_Space`. */
const blanks =
  '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000';

/** Removes the blanks at both ends, as the target does for user names and addresses (Go's `strings.TrimSpace`). */
export const trimBlanks = (text: string) => trimOf(text, blanks);

/** Returns the text before the last word, and that word. Undefined if there is only one word. */
export function splitLastWord(text: string): readonly [before: string, word: string] | undefined {
  const [, before, word] = lastWord.exec(trimBlanks(text)) ?? [];
  return before === undefined ? undefined : [trimBlanks(before), word!];
}

const lastWord = new RegExp(`^(.*)[${blanks}](.*)$`, 's');

/** Cuts to `max` code points. Never splits a surrogate pair. */
export const cut = (text: string, max: number) =>
  text.length <= max
    ? text
    : Array.from(text.slice(0, 2 * max))
        .slice(0, max)
        .join('');
