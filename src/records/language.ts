/** Reads a language tag of a source into the primary subtag that the target understands. */
import { flattenString } from '../lib/strings.ts';

/** Languages the target has texts for; for any other it falls back to its default at use. */
const translated = new Set('ar bg cs de en es fr hu id it ja ko mk nl pl pt ro ru sv tr uk zh'.split(' '));
const renamed = new Map([
  ['iw', 'he'],
  ['in', 'id'],
  ['ji', 'yi'],
]);

export interface Language {
  /** Empty when the tag cannot be read. */
  readonly tag: string;
  readonly translated: boolean;
}

const cache = new Map<string, Language>();

/** Reads `de`, `de_DE`, `de-DE.UTF-8`, `zh-Hant`, ... */
export function readLanguage(raw: string): Language {
  const known = cache.get(raw);
  if (known !== undefined) return known;
  const language = parse(raw);
  if (cache.size < 1000) cache.set(flattenString(raw), language);
  return language;
}

function parse(raw: string): Language {
  const text = raw
    .trim()
    .replace(/[.@].*$/s, '')
    .replaceAll('_', '-');
  try {
    const primary = new Intl.Locale(text).language.toLowerCase();
    const tag = renamed.get(primary) ?? primary;
    return translated.has(tag)
      ? { tag, translated: true }
      : { tag: isLanguage(tag) ? tag : '', translated: false };
  } catch {
    return { tag: '', translated: false };
  }
}

/** The service forgets what is no language. There are too many codes of three letters to know them all. */
function isLanguage(tag: string) {
  if (tag.length === 3) return tag !== 'und';
  // The names of all languages take 6 MB, and nearly all exports do without.
  return new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' }).of(tag) !== undefined;
}
