/** The variables of the program of `json-pick-wasm.ts`, and the steps that several of its parts are made of. */
import { type Code, createVariables, giveBack, i32, plus, when } from './wasm-code.ts';

export const one = i32.of(1);
export const isBefore = i32.isLess;

/** What is no JSON, or too unusual, ends the run. */
export function must(condition: Code): Code {
  return when(condition, [], [giveBack(i32.of(0))]);
}

export type Machine = ReturnType<typeof createMachine>;

export function createMachine() {
  const { declared, variable } = createVariables();
  const at = variable('i32');
  const end = variable('i32');
  const texts = variable('i32');
  const tape = variable('i32');
  /** What is wanted of the next value. */
  const wanted = variable('i32');
  /** Only the first element. */
  const single = variable('i32');
  const parameters = declared.length;
  const state = variable('i32');
  /** What was wanted of the object or list that stands open. */
  const open = variable('i32');
  const inObject = variable('i32');
  const level = variable('i32');
  const byte = variable('i32');
  const start = variable('i32');
  const text = variable('i32');
  const reading = variable('i32');
  const wide = variable('i32');
  const escaped = variable('i32');
  const marks = variable('i32');
  const length = variable('i32');
  const found = variable('i32');
  const part = variable('bytes16');

  const step = (bytes: number): Code => at.set(plus(at.get, bytes));
  const stands = (letter: string): Code => i32.areEqual(i32.loadByte(at.get), i32.of(letter.charCodeAt(0)));
  return {
    declared,
    parameters,
    at,
    end,
    texts,
    tape,
    wanted,
    single,
    state,
    open,
    inObject,
    level,
    byte,
    start,
    text,
    reading,
    wide,
    escaped,
    marks,
    length,
    found,
    part,
    step,
    is: (letter: string): Code => i32.areEqual(byte.get, i32.of(letter.charCodeAt(0))),
    stands,
    stepOver: (...letters: string[]): Code[] => letters.map((letter) => when(stands(letter), [step(1)])),
    emit: (kind: number, number: Code = i32.of(0), place: Code = i32.of(0)): Code[] => [
      i32.storeAt(tape.get, i32.or(i32.of(kind), i32.shiftLeft(number, i32.of(4)))),
      i32.storeAt(plus(tape.get, 4), place),
      tape.set(plus(tape.get, 8)),
    ],
  };
}
