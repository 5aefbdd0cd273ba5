/** Reads a source's language tag into the primary subtag that the target understands. */
import { memoized } from '../lib/strings.ts';

/** Languages for which the target has texts. For any other it uses its default. */
export const translated = new Set(
  'ar bg cs de en es fr hu id it ja ko mk nl pl pt ro ru sv tr uk zh'.split(' '),
);

interface Language {
  /** Empty if the tag cannot be read. */
  readonly tag: string;
  readonly translated: boolean;
}

/** Reads tags such as `de`, `de_DE`, `de-DE.UTF-8` and `zh-Hant`. */
export const readLanguage = memoized(parse);

function parse(raw: string): Language {
  const text = raw
    .trim()
    .replace(/[.@].*$/s, '')
    .replaceAll('_', '-');
  try {
    // Renamed languages get their new tag: `iw` becomes `he`.
    const { language } = new Intl.Locale(text);
    const isTranslated = translated.has(language);
    return { tag: isTranslated || isLanguage(language) ? language : '', translated: isTranslated };
  } catch {
    return { tag: '', translated: false };
  }
}

/**
 * Reports whether the tag is a language. The service drops any other. Three-letter codes are too many to check, so all
 * are accepted.
 */
function isLanguage(tag: string) {
  if (tag.length === 3) return tag !== 'und';
  // The names of all languages take 6 MB, and nearly all exports do without them.
  return new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' }).of(tag) !== undefined;
}
