/** Makes texts of a source ones that the target can store, and changes no more than that. */
import { countCharacters } from './field-rules.ts';

/** Without what no text of the target can hold: NUL is removed, a lone surrogate becomes U+FFFD. All else stays. */
export function storable(text: string): string {
  return text.isWellFormed() && !text.includes('\0') ? text : text.toWellFormed().replaceAll('\0', '');
}

/** The service compares names of users, projects and applications without regard to case. */
export const foldName = (name: string): string => name.trim().toLowerCase();

/** Whole bytes in hexadecimal digits, and at least one. */
export function isHex(text: string): boolean {
  return text.length % 2 === 0 && /^[0-9a-f]+$/i.test(text);
}

/** Without the blanks at both ends, as the target removes them from user names and addresses (Go `strings.TrimSpace`). */
export function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Unicode `White_Space`. */
function isBlank(unit: number): boolean {
  if (unit <= 0x20) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
  return unit >= 0x85 && otherBlanks.has(unit);
}

const otherBlanks: ReadonlySet<number> = new Set(
  [0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000].concat(
    Array.from({ length: 11 }, (_, place) => 0x2000 + place),
  ),
);

/** The text before the last word, and that word; undefined where there is one word only. */
export function splitLastWord(text: string): readonly [before: string, word: string] | undefined {
  const trimmed = trimBlanks(text);
  for (let at = trimmed.length - 1; at > 0; at--) {
    if (isBlank(trimmed.charCodeAt(at))) return [trimBlanks(trimmed.slice(0, at)), trimmed.slice(at + 1)];
  }
  return undefined;
}

/** Cuts to `max` code points; never splits a pair of surrogates. */
export function cut(text: string, max: number): string {
  if (text.length <= max || countCharacters(text) <= max) return text;
  let end = 0;
  for (let characters = 0; characters < max; characters++) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}
