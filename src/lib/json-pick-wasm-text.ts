/** A text of JSON at `at` in; the text with its escapes resolved at `texts`, and its token, out. */
import { marksOf } from './json-marks-code.ts';
import { hexDigits, escapes, token } from './json-pick-layout.ts';
import { isBefore, type Machine, must, one } from './json-pick-wasm-machine.ts';
import { bytes16, i32, plus, repeatWhile, when } from './wasm-code.ts';

export function codeToReadTexts(machine: Machine) {
  const { at, end, texts, byte, start, text, reading, wide, escaped, marks, length, part } = machine;
  const { step, is, emit } = machine;
  const readEscape = [
    byte.set(i32.loadByte(at.get, 1)),
    when(
      is('u'),
      [
        ...[2, 3, 4, 5].map((digit) => must(i32.loadByte(i32.loadByte(at.get, digit), hexDigits))),
        escaped.set(one),
        step(6),
      ],
      [
        byte.set(i32.loadByte(byte.get, escapes)),
        must(byte.get),
        i32.storeByte(text.get, byte.get),
        text.set(plus(text.get, 1)),
        step(2),
      ],
    ),
  ];
  /** From the opening quote to behind the closing one; 16 bytes at a time are copied and looked at. */
  const readText = [
    start.set(plus(at.get, 1)),
    at.set(start.get),
    text.set(texts.get),
    wide.set(i32.of(0)),
    escaped.set(i32.of(0)),
    reading.set(one),
    repeatWhile(
      reading.get,
      part.set(bytes16.load(at.get, 0)),
      bytes16.store(text.get, part.get),
      marks.set(marksOf(part)),
      when(
        marks.get,
        [
          length.set(i32.lowest(marks.get)),
          wide.set(
            i32.or(wide.get, i32.and(bytes16.bits(part.get), i32.sub(i32.shiftLeft(one, length.get), one))),
          ),
          at.set(i32.add(at.get, length.get)),
          text.set(i32.add(text.get, length.get)),
          byte.set(i32.loadByte(at.get)),
          when(is('"'), [reading.set(i32.of(0))], [must(is('\\')), ...readEscape]),
        ],
        [
          wide.set(i32.or(wide.get, bytes16.bits(part.get))),
          step(16),
          text.set(plus(text.get, 16)),
          must(isBefore(at.get, end.get)),
        ],
      ),
    ),
    length.set(i32.sub(text.get, texts.get)),
    step(1),
  ];
  const emitText = when(escaped.get, emit(token.escaped, i32.sub(plus(at.get, -1), start.get), start.get), [
    when(wide.get, emit(token.wide, length.get, texts.get), emit(token.text, length.get, texts.get)),
    texts.set(text.get),
  ]);
  return { readText, emitText };
}
