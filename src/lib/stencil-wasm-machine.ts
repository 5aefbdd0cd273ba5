/** The variables of the program of `stencil-wasm.ts`, and the steps that several of its parts are made of. */
import { hole, type HoleKind, holeKind, type Layout } from './stencil-layout.ts';
import {
  bytes16,
  type Code,
  createVariables,
  i32,
  plus,
  repeatWhile,
  type Variable,
  when,
} from './wasm-code.ts';

export const yes = i32.of(1);
export const no = i32.of(0);
export const not = i32.isZero;

export function bump(variable: Variable, by: number): Code {
  return variable.set(plus(variable.get, by));
}

export function allOf(...conditions: readonly Code[]): Code {
  return conditions.reduce((all, more) => i32.and(all, more));
}

export function isByte(code: Code, letter: string): Code {
  return i32.areEqual(code, i32.of(letter.charCodeAt(0)));
}

export function isOutside(code: Code, min: number, max: number): Code {
  return i32.isMore(i32.sub(code, i32.of(min)), i32.of(max - min));
}

export type Machine = ReturnType<typeof createMachine>;

export function createMachine(layout: Layout) {
  const { declared, variable } = createVariables();
  /** Where the next element stands, and the end of the batch; zero where there is only its tape. */
  const raw = variable('i32');
  const rawEnd = variable('i32');
  const texts = variable('i32');
  const root = variable('i32');
  const tape = variable('i32');
  const tapeEnd = variable('i32');
  const rows = variable('i32');
  const rowsEnd = variable('i32');
  const out = variable('i32');
  const outEnd = variable('i32');
  const givens = variable('i32');
  const givensEnd = variable('i32');
  const parameters = declared.length;
  const more = variable('i32');
  /** Of the element. */
  const settled = variable('i32');
  const givenHoles = variable('i32');
  const node = variable('i32');
  const fits = variable('i32');
  const depth = variable('i32');
  const reading = variable('i32');
  const signature = variable('i32');
  const holes = variable('i32');
  const kind = variable('i32');
  /** Bytes of user names, addresses and names. */
  const free = variable('i32');
  const names = variable('i32');
  /** Of the token. */
  const word = variable('i32');
  const type = variable('i32');
  const place = variable('i32');
  const length = variable('i32');
  /** Of a text. */
  const at = variable('i32');
  const stop = variable('i32');
  const start = variable('i32');
  const byte = variable('i32');
  const before = variable('i32');
  const special = variable('i32');
  const escapes = variable('i32');
  const open = variable('i32');
  const flags = variable('i32');
  const copied = variable('i32');
  const part = variable('bytes16');
  const mixed = variable('i64');
  const found = variable('i32');
  const slot = variable('i32');
  const same = variable('i32');
  const items = variable('i32');
  const left = variable('i32');
  const current = variable('i32');
  const size = variable('i32');
  const bits = variable('i32');
  const value = variable('i32');
  const one = variable('i32');
  const two = variable('i32');
  const units = variable('i32');

  const refuse = fits.set(no);
  return {
    layout,
    declared,
    parameters,
    raw,
    rawEnd,
    texts,
    root,
    tape,
    tapeEnd,
    rows,
    rowsEnd,
    out,
    outEnd,
    givens,
    givensEnd,
    more,
    settled,
    givenHoles,
    node,
    fits,
    depth,
    reading,
    signature,
    holes,
    kind,
    free,
    names,
    word,
    type,
    place,
    length,
    at,
    stop,
    start,
    byte,
    before,
    special,
    escapes,
    open,
    flags,
    copied,
    part,
    mixed,
    found,
    slot,
    same,
    items,
    left,
    current,
    size,
    bits,
    value,
    one,
    two,
    units,
    /** Into the row of the element. */
    tell: (field: number, code: Code): Code => i32.storeAt(i32.add(rows.get, i32.of(4 * field)), code),
    /** No stencil is for this element. */
    refuse,
    refuseIf: (condition: Code): Code => when(condition, [refuse]),
    isKind: (name: HoleKind): Code => i32.areEqual(kind.get, i32.of(holeKind[name])),
    isType: (value: number): Code => i32.areEqual(type.get, i32.of(value)),
    forEachByte: (...body: Code[]): Code =>
      repeatWhile(i32.isLess(at.get, stop.get), byte.set(i32.loadByte(at.get)), ...body, bump(at, 1)),
    /** `bytes` from `from` to `to`, which moves on; 16 at a time, so up to 15 more are written. */
    copyText: (from: Code, bytes: Code, to: Variable): Code[] => [
      copied.set(no),
      repeatWhile(
        i32.isLess(copied.get, bytes),
        bytes16.store(i32.add(to.get, copied.get), bytes16.load(i32.add(from, copied.get), 0)),
        bump(copied, 16),
      ),
      to.set(i32.add(to.get, bytes)),
    ],
    /** One of the holes that were noted, by its number. */
    selectHole: (number: Code): Code =>
      current.set(i32.add(i32.of(layout.holes), i32.multiply(number, i32.of(4 * hole.words)))),
    holePlace: i32.load(current.get, 4 * hole.place),
    holeLength: i32.load(current.get, 4 * hole.length),
  };
}
