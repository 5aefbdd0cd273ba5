/** Takes sentences out of advice. */

const between = /(?<=[.?!]) (?=\S)/;

/** The sentences to keep; undefined where none is left. */
export function keepSentences(text: string, keep: (sentence: string) => boolean): string | undefined {
  const kept = text.split(between).filter(keep);
  return kept.length === 0 ? undefined : kept.join(' ');
}

/** Flags, as texts name them. */
const flagNames = /(?<![\w-])--[a-z][a-z0-9-]*/g;

/** Without the sentences that name a flag that the run was given: such advice was followed, or decided against. */
export function withoutFlags(text: string, given: ReadonlySet<string>): string | undefined {
  if (given.size === 0) return text;
  return keepSentences(text, (sentence) => !sentence.match(flagNames)?.some((flag) => given.has(flag)));
}
