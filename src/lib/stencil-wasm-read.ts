/** The tape at an element in; its signature and its holes, or that it is refused, out. */
import { token } from './json-pick-layout.ts';
import {
  given,
  holeKind,
  longestHole,
  longestName,
  longestNames,
  longestSignature,
  nothingGoes,
} from './stencil-layout.ts';
import { bump, isOutside, type Machine, no, not } from './stencil-wasm-machine.ts';
import { codeToReadSecrets } from './stencil-wasm-secret.ts';
import { codeToSign } from './stencil-wasm-signature.ts';
import { codeToCheckTexts } from './stencil-wasm-texts.ts';
import { i32, when } from './wasm-code.ts';

const longestSecretText = 900;

export function codeToRead(machine: Machine) {
  const { layout, tape, givens, givensEnd } = machine;
  const { fits, depth, reading, signature, kind, free, names } = machine;
  const { word, type, place, length, at, stop, start, special, value } = machine;
  const { refuse, refuseIf, isKind, isType } = machine;
  const signs = codeToSign(machine);
  const { sign, signConstant, noteHole } = signs;
  const { checkLetters, checkAddress, checkName } = codeToCheckTexts(machine);
  const readSecret = codeToReadSecrets(machine, signs);

  /** A text of `length` from `place` on, which ends at `stop`; noted, or refused. */
  const checkWhole = [
    value.set(i32.of(longestHole)),
    when(i32.or(isKind('name'), isKind('label')), [
      value.set(i32.of(longestName)),
      names.set(i32.add(names.get, length.get)),
      refuseIf(i32.isMore(names.get, i32.of(longestNames))),
    ]),
    when(
      i32.or(not(length.get), i32.isMore(length.get, value.get)),
      [refuse],
      [
        when(isKind('word'), checkLetters('.-_|'), [
          when(isKind('part'), checkLetters('.-_'), [
            when(isKind('userName'), checkLetters('.-_@+'), [
              when(isKind('address'), checkAddress, checkName),
            ]),
          ]),
        ]),
        when(i32.or(isKind('word'), isKind('part')), [], [free.set(i32.add(free.get, length.get))]),
        ...noteHole(place.get, i32.sub(stop.get, place.get)),
      ],
    ),
  ];
  const readWhole = [...sign(i32.or(i32.of(15), i32.shiftLeft(kind.get, i32.of(4)))), checkWhole];

  const readText = [
    at.set(place.get),
    stop.set(i32.add(place.get, length.get)),
    special.set(no),
    when(
      kind.get,
      [
        when(
          isKind('secret'),
          [when(isOutside(length.get, 0, longestSecretText), [refuse], readSecret)],
          readWhole,
        ),
      ],
      [...sign(type.get), start.set(at.get), at.set(stop.get), ...signConstant],
    ),
  ];
  const readRaw = [
    refuseIf(kind.get),
    ...sign(type.get),
    start.set(place.get),
    at.set(i32.add(place.get, length.get)),
    ...signConstant,
  ];
  const readToken = [
    word.set(i32.load(tape.get)),
    place.set(i32.load(tape.get, 4)),
    type.set(i32.and(word.get, i32.of(15))),
    length.set(i32.shiftRight(word.get, i32.of(4))),
    bump(tape, 8),
    when(
      i32.isLess(type.get, i32.of(token.wide + 1)),
      [...readText, kind.set(no)],
      [
        when(
          i32.isLess(type.get, i32.of(token.number + 1)),
          [...readRaw, kind.set(no)],
          [
            ...sign(word.get),
            kind.set(no),
            when(isType(token.key), [kind.set(i32.loadByte(length.get, layout.kinds))]),
            when(not(isOutside(type.get, token.list, token.picked)), [bump(depth, 1)]),
            when(isType(token.close), [bump(depth, -1)]),
          ],
        ),
      ],
    ),
    when(i32.isMore(signature.get, i32.of(layout.signature + longestSignature)), [
      refuse,
      signature.set(i32.of(layout.signature)),
    ]),
    reading.set(depth.get),
  ];

  /** The head of what is given is part of the signature, the rest a hole. */
  const takeGiven = [
    refuseIf(not(i32.isLess(givens.get, givensEnd.get))),
    when(fits.get, [
      length.set(i32.load(givens.get, 4 * given.length)),
      when(i32.areEqual(length.get, i32.of(nothingGoes | 0)), [refuse, length.set(no)]),
      start.set(i32.load(givens.get, 4 * given.place)),
      at.set(i32.add(start.get, i32.load(givens.get, 4 * given.head))),
      when(i32.isMore(at.get, i32.add(start.get, length.get)), [at.set(start.get)]),
      stop.set(i32.add(start.get, length.get)),
      ...signConstant,
      ...sign(i32.sub(stop.get, at.get)),
      special.set(no),
      kind.set(i32.of(holeKind.given)),
      when(i32.isLess(at.get, stop.get), noteHole(at.get, i32.sub(stop.get, at.get))),
      kind.set(no),
      bump(givens, 4 * given.words),
    ]),
  ];
  return { readToken, takeGiven, checkWhole, noteHole };
}
