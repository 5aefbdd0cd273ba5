/**
 * The program behind `line-outlines.ts`, in WebAssembly: lines in; of each that has a known outline where it begins and
 * ends, the number of its outline, and place and length of what stands in each of its holes, out.
 */
import { codeForSteps } from './outline-wasm-steps.ts';
import { node as field, type StepKind, stepKind } from './stencil-layout.ts';
import { bump, isByte, no, not } from './stencil-wasm-machine.ts';
import {
  assembleModule,
  bytes16,
  type Code,
  createVariables,
  i32,
  plus,
  repeatWhile,
  when,
} from './wasm-code.ts';
import { type Program, startProgram } from './wasm-engine.ts';

/** Of a line, in words; then two for each hole. */
export const line = { start: 0, end: 1, outline: 2, holes: 3 } as const;

/**
 * `run(from, to, root, out)` gives the end of what it has written to `out`. At `root` stands the address of the first
 * step. Undefined where WebAssembly or its SIMD is missing.
 */
export function startLineProgram(): Program | undefined {
  return startProgram(assembleProgram());
}

function assembleProgram(): Uint8Array<ArrayBuffer> {
  const { declared, variable } = createVariables();
  const from = variable('i32');
  const end = variable('i32');
  const root = variable('i32');
  const out = variable('i32');
  const parameters = declared.length;
  const node = variable('i32');
  const kind = variable('i32');
  const at = variable('i32');
  const start = variable('i32');
  const place = variable('i32');
  const holes = variable('i32');
  const [length, same, fits, stop, value, flags, before] = Array.from({ length: 7 }, () => variable('i32'));
  const part = variable('bytes16');
  const step = { at, end, node, length: length!, same: same!, fits: fits!, stop: stop! };
  const { compare, findEnd, readNumber } = codeForSteps({
    ...step,
    value: value!,
    flags: flags!,
    before: before!,
    part,
  });
  const isStep = (name: StepKind): Code => i32.areEqual(kind.get, i32.of(stepKind[name]));

  const noteHole = [
    i32.storeAt(holes.get, place.get),
    i32.storeAt(plus(holes.get, 4), i32.sub(stop!.get, place.get)),
    bump(holes, 8),
  ];
  const goOn = [
    place.set(at.get),
    when(isStep('text'), [...findEnd, ...noteHole], readNumber),
    at.set(stop!.get),
    start.set(at.get),
    when(
      i32.and(fits!.get, i32.isLess(at.get, end.get)),
      [node.set(i32.load(node.get, field.next))],
      [node.set(no)],
    ),
  ];
  /** A line that ends as an earlier one did, and where that one did. */
  const isOver = i32.or(
    i32.areEqual(at.get, end.get),
    i32.and(i32.isLess(at.get, end.get), isByte(i32.loadByte(at.get), '\n')),
  );
  const settle = [
    value!.set(i32.load(node.get, field.stencil)),
    when(i32.and(isOver, not(not(value!.get))), [
      i32.storeAt(plus(out.get, 4 * line.start), from.get),
      i32.storeAt(plus(out.get, 4 * line.end), at.get),
      i32.storeAt(plus(out.get, 4 * line.outline), value!.get),
      out.set(holes.get),
    ]),
    node.set(no),
  ];
  const match = [
    start.set(from.get),
    node.set(i32.load(root.get)),
    holes.set(plus(out.get, 4 * line.holes)),
    repeatWhile(
      node.get,
      kind.set(i32.load(node.get, field.kind)),
      at.set(start.get),
      step.length.set(i32.load(node.get, field.literalLength)),
      ...compare,
      at.set(i32.add(at.get, step.length.get)),
      when(step.same.get, [when(isStep('end'), settle, goOn)], [node.set(i32.load(node.get, field.other))]),
    ),
  ];
  const feeds = bytes16.equalBits(bytes16.load(at.get, 0), bytes16.filled(0x0a));
  /** From where the match has stopped, which is inside the line or at its end. */
  const toNextLine = [
    at.set(start.get),
    flags!.set(i32.of(16)),
    repeatWhile(
      i32.and(i32.areEqual(flags!.get, i32.of(16)), i32.isLess(at.get, end.get)),
      flags!.set(i32.lowest(i32.or(feeds, i32.of(0x1_0000)))),
      at.set(i32.add(at.get, flags!.get)),
    ),
    from.set(plus(at.get, 1)),
  ];
  const body = [repeatWhile(i32.isLess(from.get, end.get), ...match, ...toNextLine), out.get];
  return assembleModule(declared, parameters, 1, body);
}
