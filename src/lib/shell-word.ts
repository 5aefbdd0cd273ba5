/** Texts as words of a POSIX shell. */

/** Quoted where it needs to be. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : shellQuoted(text);
}

/** A line of such words without these flags and their values. */
export function withoutFlags(line: string, names: readonly string[]): string {
  const flag = `--(?:${names.join('|')})(?: (?!--)(?:'[^']*'|\\\\.|[^\\s'\\\\])+)?`;
  return line.replaceAll(new RegExp(` ${flag}(?= |$)`, 'g'), '');
}

export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
