/**
 * An element that was not parsed in; its holes and its stencil out, where its bytes are those of an earlier element but
 * for what stands in the places that may differ. So its grammar needs no check: it has that of the earlier one.
 */
import { codeForSteps } from './outline-wasm-steps.ts';
import { given, hole, node as field, type StepKind, stepKind } from './stencil-layout.ts';
import { mayBe } from './stencil-wasm-classes.ts';
import { allOf, bump, isByte, type Machine, no, not, yes } from './stencil-wasm-machine.ts';
import { skipLetters } from './stencil-wasm-texts.ts';
import { type Code, i32, plus, repeatWhile, when } from './wasm-code.ts';

export function codeToMatch(
  machine: Machine,
  checkWhole: Code,
  noteHole: (holeStart: Code, bytes: Code) => Code,
): Code[] {
  const { layout, raw, rawEnd, givens, fits, settled, holes, node, found, kind } = machine;
  const { at, start, stop, place, length, same, special, escapes, open, isKind } = machine;
  const isStep = (kindOfStep: StepKind): Code => i32.areEqual(kind.get, i32.of(stepKind[kindOfStep]));

  const { compare, findEnd, readNumber } = codeForSteps({ ...machine, end: rawEnd });
  /**
   * A quote or a backslash in a name stands behind a backslash, here as in what is written: so it is copied as it is.
   */
  const isEscape = allOf(
    i32.or(isKind('name'), isKind('label')),
    isByte(i32.loadByte(at.get), '\\'),
    i32.or(isByte(i32.loadByte(at.get, 1), '"'), isByte(i32.loadByte(at.get, 1), '\\')),
  );
  const readWhole = [
    open.set(yes),
    repeatWhile(open.get, ...findEnd, open.set(isEscape), when(open.get, [bump(at, 2), bump(escapes, 1)])),
    length.set(i32.sub(i32.sub(stop.get, place.get), escapes.get)),
    at.set(place.get),
    when(fits.get, [checkWhole]),
    when(fits.get, [i32.storeAt(plus(holes.get, 4 * (hole.special - hole.words)), no)]),
    escapes.set(no),
  ];

  const lastOf = (what: 'lastOf2' | 'lastOf3'): Code => mayBe(layout, what, i32.loadByte(stop.get, 0));
  const over = i32.and(length.get, i32.of(3));
  const readSecret = [
    length.set(i32.load(node.get, field.length)),
    stop.set(i32.add(place.get, length.get)),
    ...skipLetters(machine, '+/'),
    fits.set(not(i32.isLess(at.get, stop.get))),
    // Nothing behind the batch is looked at.
    when(fits.get, [
      bump(stop, -1),
      when(i32.areEqual(over, i32.of(1)), [fits.set(no)]),
      when(i32.areEqual(over, i32.of(2)), [fits.set(not(not(lastOf('lastOf2'))))]),
      when(i32.areEqual(over, i32.of(3)), [fits.set(not(not(lastOf('lastOf3'))))]),
      bump(stop, 1),
    ]),
    special.set(no),
    noteHole(place.get, length.get),
  ];

  const readHole = when(isStep('text'), findEnd, [
    when(isStep('number'), readNumber, [when(isKind('secret'), readSecret, readWhole)]),
  ]);
  const goOn = [
    place.set(at.get),
    readHole,
    at.set(stop.get),
    when(
      i32.and(fits.get, i32.isLess(at.get, rawEnd.get)),
      [start.set(at.get), node.set(i32.load(node.get, field.next))],
      [node.set(no)],
    ),
  ];
  const end = [
    found.set(i32.load(node.get, field.stencil)),
    when(i32.and(not(not(found.get)), not(i32.isMore(at.get, rawEnd.get))), [
      settled.set(yes),
      raw.set(at.get),
    ]),
    node.set(no),
  ];
  const other = node.set(i32.load(node.get, field.other));
  /** What is given was taken already. It has a head, and so many bytes behind it. */
  const givenAt = plus(givens.get, -4 * given.words);
  const givenLength = i32.load(givenAt, 4 * given.length);
  const isGiven = allOf(
    not(i32.isMore(length.get, givenLength)),
    i32.areEqual(i32.sub(givenLength, length.get), i32.load(node.get, field.length)),
  );
  return [
    start.set(raw.get),
    node.set(i32.load(machine.root.get)),
    repeatWhile(
      node.get,
      kind.set(i32.load(node.get, field.kind)),
      at.set(start.get),
      when(isKind('given'), [at.set(i32.load(givenAt, 4 * given.place))]),
      length.set(i32.load(node.get, field.literalLength)),
      ...compare,
      at.set(i32.add(at.get, length.get)),
      when(
        same.get,
        [
          when(
            isKind('given'),
            [when(isGiven, [node.set(i32.load(node.get, field.next))], [other])],
            [when(isStep('end'), end, goOn)],
          ),
        ],
        [other],
      ),
    ),
  ];
}
