/** Leaves out of a hint what the verb that runs cannot do: hints are written for every verb. */
import type { Command } from 'commander';
import type { Action } from '../commands/context.ts';
import { IdportError } from '../errors.ts';
import { describeVerb, eachVerb, type VerbShape } from './shape.ts';

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

function namesOf(verbs: readonly VerbShape[]): ReadonlySet<string> {
  return new Set(
    verbs.flatMap(({ flags }) => flags.flatMap(({ long, variable }) => [long, variable ?? long])),
  );
}

/** The same command, but its errors advise only what its verb can do. `verb` is called only after an error. */
export function withFittingAdvice<Options>(action: Action<Options>, verb: () => Command): Action<Options> {
  return async (options, context) => {
    try {
      return await action(options, context);
    } catch (error) {
      if (error instanceof IdportError && error.hint !== undefined) {
        error.hint = fitAdvice(error.hint, pathTo(verb()));
      }
      throw error;
    }
  };
}

/** The program, then its verbs down to this one. */
function pathTo(verb: Command): VerbShape[] {
  const path: Command[] = [];
  for (let at: Command | null = verb; at !== null; at = at.parent) path.unshift(at);
  return path.map((command) => describeVerb(command));
}
