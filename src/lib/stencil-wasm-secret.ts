/** A text that is JSON in; its values of base64 noted as holes, and what stands between them signed. */
import { holeKind, longestSecret, shortestSecret } from './stencil-layout.ts';
import { mayBe } from './stencil-wasm-classes.ts';
import { allOf, bump, isByte, isOutside, type Machine, no, not, yes } from './stencil-wasm-machine.ts';
import type { Signs } from './stencil-wasm-signature.ts';
import { skipLetters } from './stencil-wasm-texts.ts';
import { type Code, i32, plus, repeatWhile, when } from './wasm-code.ts';

export function codeToReadSecrets(machine: Machine, { sign, signConstant, noteHole }: Signs): Code[] {
  const { layout, place, length, at, stop, start, before, flags, value } = machine;
  const isBase64 = not(not(mayBe(layout, 'base64', i32.loadByte(at.get))));
  const mayEndWith = (what: 'lastOf2' | 'lastOf3'): Code => mayBe(layout, what, i32.loadByte(at.get));
  const over = i32.and(length.get, i32.of(3));
  /** A run from `before` to `at`, of `length`: behind `:"`, and closed by a quote or by padding. */
  const isSecret = allOf(
    not(isOutside(length.get, shortestSecret, longestSecret)),
    isByte(i32.loadByte(plus(before.get, -1)), '"'),
    isByte(i32.loadByte(plus(before.get, -2)), ':'),
    i32.or(isByte(i32.loadByte(at.get), '"'), isByte(i32.loadByte(at.get), '=')),
  );
  return [
    ...sign(i32.of(15 + 16 * holeKind.secret)),
    start.set(place.get),
    repeatWhile(
      i32.isLess(at.get, stop.get),
      when(
        not(isBase64),
        [bump(at, 1)],
        [
          before.set(at.get),
          ...skipLetters(machine, '+/'),
          when(i32.isMore(at.get, stop.get), [at.set(stop.get)]),
          length.set(i32.sub(at.get, before.get)),
          when(isSecret, [
            // One step back, to the last character of the run.
            bump(at, -1),
            flags.set(yes),
            when(i32.areEqual(over, i32.of(1)), [flags.set(no)]),
            when(i32.areEqual(over, i32.of(2)), [flags.set(mayEndWith('lastOf2'))]),
            when(i32.areEqual(over, i32.of(3)), [flags.set(mayEndWith('lastOf3'))]),
            bump(at, 1),
            when(flags.get, [
              value.set(at.get),
              at.set(before.get),
              ...signConstant,
              at.set(value.get),
              start.set(at.get),
              ...sign(i32.or(i32.of(15), i32.shiftLeft(length.get, i32.of(4)))),
              ...noteHole(before.get, length.get),
            ]),
          ]),
        ],
      ),
    ),
    ...signConstant,
  ];
}
