/** A number, or one of three words, at `at` in; its token out. */
import { token } from './json-pick-layout.ts';
import { isBefore, type Machine, must } from './json-pick-wasm-machine.ts';
import { type Code, i32, repeatWhile, when } from './wasm-code.ts';

export function codeToReadScalars({ at, wanted, start, step, is, stands, stepOver, emit }: Machine): Code[] {
  const isDigit = isBefore(i32.sub(i32.loadByte(at.get), i32.of(0x30)), i32.of(10));
  const digits = [must(isDigit), repeatWhile(isDigit, step(1))];
  const readNumber = [
    start.set(at.get),
    ...stepOver('-'),
    when(stands('0'), [step(1)], digits),
    when(stands('.'), [step(1), ...digits]),
    when(i32.areEqual(i32.or(i32.loadByte(at.get), i32.of(0x20)), i32.of(0x65)), [
      step(1),
      when(stands('-'), [step(1)], stepOver('+')),
      ...digits,
    ]),
    when(wanted.get, emit(token.number, i32.sub(at.get, start.get), start.get)),
  ];
  const readWord = (word: string, kind: number): Code[] => [
    must(i32.areEqual(i32.load(at.get, word.length - 4), i32.of(asWord(word.slice(-4))))),
    when(wanted.get, emit(kind)),
    step(word.length),
  ];
  return [
    when(is('t'), readWord('true', token.true), [
      when(is('f'), readWord('false', token.false), [
        when(is('n'), readWord('null', token.null), readNumber),
      ]),
    ]),
  ];
}

/** Four letters as they are loaded at once. */
function asWord(letters: string): number {
  return Buffer.from(letters).readInt32LE();
}
