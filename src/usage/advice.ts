/** Advice that was written for every verb in, what of it one verb can follow out. */
import { eachVerb, type VerbShape } from './shape.ts';

/** Flags and variables, as messages name them. */
const named = /(?<![\w-])--[a-z][a-z0-9-]*|\bIDPORT_[A-Z_]+/g;
/** A command in a message has flags of its own. */
const command = /`idport [^`]*`/g;
const betweenSentences = /(?<=[.?!]) (?=\S)/;

/**
 * Without the sentences that name a flag or a variable of other verbs alone; undefined where nothing is left. `path` is
 * the program, then its verbs down to the one that runs.
 */
export function fitAdvice(text: string, path: readonly VerbShape[]): string | undefined {
  const own = namesOf(path);
  const all = namesOf(path.slice(0, 1).flatMap(eachVerb));
  const foreign = (name: string): boolean => all.has(name) && !own.has(name);
  const sentences = text
    .split(betweenSentences)
    .filter((sentence) => !sentence.replaceAll(command, '').match(named)?.some(foreign));
  return sentences.length === 0 ? undefined : sentences.join(' ');
}

/** Where a verb has other names for the same: `{ '--url': '--from-url' }`. */
export function renameFlags(text: string, names: Readonly<Record<string, string>>): string {
  return text.replaceAll(named, (name) => names[name] ?? name);
}

function namesOf(verbs: readonly VerbShape[]): ReadonlySet<string> {
  return new Set(
    verbs.flatMap(({ flags }) => flags.flatMap(({ long, variable }) => [long, variable ?? long])),
  );
}
