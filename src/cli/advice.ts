/** Leaves out of advice what the verb that runs cannot do, and what it was told to do: advice is written for every run. */
import type { Command } from 'commander';
import type { Action } from '../commands/context.ts';
import { IdportError } from '../errors.ts';
import type { Emit } from '../events.ts';
import { keepSentences } from '../lib/sentences.ts';
import { filesRead } from './files-read.ts';
import { describeVerb, eachVerb, type VerbShape } from './shape.ts';

/** Flags and variables, as messages name them. */
const named = /(?<![\w-])--[a-z][a-z0-9-]*|\bIDPORT_[A-Z_]+/g;
/** A command in a message has flags of its own. */
const command = /`idport [^`]*`/g;

/**
 * Without the sentences that name a flag or a variable of other verbs alone; undefined where nothing is left. `path` is
 * the program, then its verbs down to the one that runs.
 */
export function fitAdvice(text: string, path: readonly VerbShape[]): string | undefined {
  const own = namesOf(path);
  const foreign = (name: string): boolean =>
    !own.has(name) && namesOf(path.slice(0, 1).flatMap(eachVerb)).has(name);
  return keepSentences(text, (sentence) => !sentence.replaceAll(command, '').match(named)?.some(foreign));
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

/** The same command, but its run knows which flags it was given, so that nothing advises these or replaces their files. */
export function withGivenFlags<Options>(action: Action<Options>, verb: () => Command): Action<Options> {
  return (options, context) => {
    const given = givenFlags(verb());
    const emit: Emit = (event) =>
      context.emit(event.type === 'run:start' ? { ...event, flags: given } : event);
    const inUse = [...(context.inUse ?? []), ...filesRead(verb(), context.env)];
    return action(options, { ...context, emit, given, inUse });
  };
}

/** On the command line, in the environment or in the configuration file. */
function givenFlags(verb: Command): string[] {
  return verb.options.flatMap((option) => {
    const source = verb.getOptionValueSource(option.attributeName());
    return option.long === undefined || source === undefined || source === 'default' ? [] : [option.long];
  });
}

/** The program, then its verbs down to this one. */
function pathTo(verb: Command): VerbShape[] {
  const path: Command[] = [];
  for (let at: Command | null = verb; at !== null; at = at.parent) path.unshift(at);
  return path.map((command) => describeVerb(command));
}
