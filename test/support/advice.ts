/** What a text advises, against the flags that the verbs of the program have. */
import { eachVerb, type VerbShape } from '../../src/cli/shape.ts';

const flag = /(?<![\w-])--[a-z][a-z0-9-]*/g;
const command = /`idport ([^`]*)`/g;

/** The program and its verbs down to this one. */
export function pathTo(program: VerbShape, name: string) {
  const verbs = eachVerb(program).filter((verb) => verb.name === name || name.startsWith(`${verb.name} `));
  return [program, ...verbs.filter((verb) => verb !== program)];
}

/** Flags that the text tells to use and that the verb does not have; those of other commands are not meant. */
export function foreignFlags(text: string, program: VerbShape, name: string) {
  const own = new Set(pathTo(program, name).flatMap(({ flags }) => flags.map(({ long }) => long)));
  return (text.replaceAll(command, '').match(flag) ?? []).filter((named) => !own.has(named));
}

/** Commands that the text names with a flag that they do not have. */
export function wrongCommands(text: string, program: VerbShape) {
  return [...text.matchAll(command)].flatMap(([whole, words = '']) => {
    const named = words.match(flag) ?? [];
    const verb = words.split(' ').reduce((at, word) => at.below(word) ?? at, program);
    const leaves = eachVerb(verb).filter(({ verbs }) => verbs.length === 0);
    const fits = leaves.every(({ flags }) => named.every((one) => flags.some(({ long }) => long === one)));
    return fits ? [] : [whole];
  });
}
