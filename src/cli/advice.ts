/** Leaves out of advice what the verb that runs cannot do: advice is written for every run. */
import { keepSentences } from '../lib/strings.ts';
import { eachVerb, type VerbShape } from './shape.ts';

/** Flags and variables, as messages name them. */
const named = /(?<![\w-])--[a-z][a-z0-9-]*|\bIDPORT_[A-Z_]+/g;
/** Every verb looks at these, if only to choose its profile or its organization. */
const ofAll: ReadonlySet<string> = new Set(['IDPORT_URL']);
/** A command in a message has flags of its own. */
const command = /`idport [^`]*`/g;

/**
 * Without the sentences that name a flag or a variable of other verbs alone; undefined where nothing is left. `path` is
 * the program, then its verbs down to the one that runs.
 */
export function fitAdvice(text: string, path: readonly VerbShape[]): string | undefined {
  const own = namesOf(path);
  const foreign = (name: string): boolean =>
    !own.has(name) && !ofAll.has(name) && namesOf(path.slice(0, 1).flatMap(eachVerb)).has(name);
  return keepSentences(text, (sentence) => !sentence.replaceAll(command, '').match(named)?.some(foreign));
}

function namesOf(verbs: readonly VerbShape[]): ReadonlySet<string> {
  return new Set(
    verbs.flatMap(({ flags }) => flags.flatMap(({ long, variable }) => [long, variable ?? long])),
  );
}
