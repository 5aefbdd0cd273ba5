/** Settings of the target that were named one by one in, the lines that say all of it at once out. */

const setting = /^(ZITADEL_[A-Z0-9_]+)=(\S+)$/;

/**
 * Each text is one or more environment lines with blanks between; other texts are passed over. The same setting named
 * twice becomes one line: lists are joined, of minima the lowest and of maxima the highest is kept.
 */
export function mergeSettings(texts: Iterable<string>): string[] {
  const merged = new Map<string, string>();
  for (const text of texts) {
    const lines = text.split(' ').map((word) => setting.exec(word));
    for (const line of lines.includes(null) ? [] : lines) {
      const [, name = '', value = ''] = line ?? [];
      const before = merged.get(name);
      merged.set(name, before === undefined ? value : combine(name, before, value));
    }
  }
  return Array.from(merged, ([name, value]) => `${name}=${value}`).sort();
}

function combine(name: string, one: string, other: string): string {
  if (/_MIN[A-Z0-9]+$/.test(name)) return String(Math.min(Number(one), Number(other)));
  if (/_MAX[A-Z0-9]+$/.test(name)) return String(Math.max(Number(one), Number(other)));
  return [...new Set([...one.split(','), ...other.split(',')])].join(',');
}
