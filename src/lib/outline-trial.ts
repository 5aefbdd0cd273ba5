/** The steps of an outline in, an element of that outline with other texts out. */
import type { Step } from './outline-steps.ts';
import { given, type HoleKind, holeKind, leasts, type StepKind } from './stencil-layout.ts';
import { tellingTexts } from './stencil-samples.ts';
import type { Memory } from './wasm-engine.ts';

/** Enough for all stencils. */
const least = Math.max(...leasts);

export function fillSteps(steps: readonly Step[]): Buffer {
  const holes = steps.flatMap(({ kind, length }) => (isHole(kind) ? [{ kind, length }] : []));
  const texts = [...tellingTexts(holes, least)];
  const others: Readonly<Record<Exclude<StepKind, HoleKind>, (place: number) => string>> = {
    text: (place) => `a text é ${place}`,
    number: (place) => String(70 - 9 * place),
    end: () => '',
  };
  return Buffer.concat(
    steps.flatMap(({ literal, kind }, place) => [
      literal,
      Buffer.from(isHole(kind) ? JSON.stringify(texts.shift()!).slice(1, -1) : others[kind](place)),
    ]),
  );
}

/** What is given with an element as the first of its steps. */
export function givenStep({ buffer }: Memory, givenAt: number): Step {
  const fields = new Uint32Array(buffer, givenAt, given.words);
  const [place, length, head] = [fields[given.place]!, fields[given.length]!, fields[given.head]!];
  const literal = Buffer.from(buffer, place, head > length ? 0 : head);
  return { literal, kind: 'given', start: 0, length: length - literal.length };
}

function isHole(kind: StepKind): kind is HoleKind {
  return Object.hasOwn(holeKind, kind);
}
