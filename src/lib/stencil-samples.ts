/**
 * The holes of a stencil in, texts to try it out with out. The first ones tell the holes apart and hold every kind of
 * character; the others are the longest, the shortest and the oddest.
 */
import { type HoleKind, longestHole, longestName, longestNames } from './stencil-layout.ts';

export interface SampleHole {
  readonly kind: HoleKind;
  /** What a `secret`, and what is given, must have. */
  readonly length: number;
}

/** Texts by kind on which whoever reads the element looks twice. */
export type Oddities = Readonly<Partial<Record<HoleKind, readonly string[]>>>;

type WholeKind = Exclude<HoleKind, 'secret' | 'given'>;

/** Kinds that do not count for `least`. */
const fixed: ReadonlySet<HoleKind> = new Set(['word', 'part', 'secret', 'given']);

/** Two letters for each of up to 64 holes. */
const mark = (hole: number): string => `${'ghijklmn'[hole >> 3]}${'opqrstuv'[hole & 7]}`;

const telling: Readonly<Record<WholeKind, (hole: number) => string>> = {
  word: (hole) => `W${mark(hole)}-_.0Z${mark(hole)}`,
  part: (hole) => `P${mark(hole)}-_.0Z${mark(hole)}`,
  userName: (hole) => `U${mark(hole)}-_.8@Y+${mark(hole)}`,
  address: (hole) => `A${mark(hole)}.b_c-7@Q+q.R${mark(hole)}`,
  name: (hole) => `N${mark(hole)}"é\\ 李🎈@${mark(hole)}`,
  label: (hole) => `L${mark(hole)}"é\\ 李🎈</${mark(hole)}`,
};

const longest: Readonly<Record<WholeKind, string>> = {
  word: 'w'.repeat(longestHole),
  part: 'p'.repeat(longestHole),
  userName: `${'u'.repeat(longestHole - 10)}@example.c`,
  address: `${'a'.repeat(longestHole - 10)}@example.c`,
  name: 'a',
  label: 'a',
};

const shortest: Readonly<Record<WholeKind, string>> = {
  word: 'a',
  part: 'a',
  userName: 'a',
  address: 'a@b',
  name: 'a',
  label: 'a',
};

const oddities: Oddities = {
  word: ['a', '0', '-|', 'null', '|__proto__'],
  part: ['a', '0', '-', 'null', '__proto__'],
  userName: ['a', '0', '@', '__proto__', '00000000-0000-0000-0000-000000000000'],
  address: ['a@b', '0@0', '_@-', 'A@B.C', 'a+b@c.d'],
  name: ['a', '0', '"', '\\', '<script>'],
  label: ['a', '0', '"', '\\', '<script>'],
  given: ['a', '0', '/', '.', 'Z9'],
  secret: ['A', '0', 'a', '+', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'],
};

/** The last letter stands for zeros, so that it may end texts of any length. */
function fill(pattern: string, length: number): string {
  return `${pattern.repeat(Math.ceil(length / pattern.length)).slice(0, length - 1)}A`;
}

/**
 * Lists of texts, one for each hole. Those of `userName`, `address` and `name` have at least `least` bytes together. In
 * some lists one hole alone has nearly all of them, each hole in its turn.
 */
export function sampleTexts(
  holes: readonly SampleHole[],
  more: Oddities,
  least: number,
): readonly (readonly string[])[] {
  const list = (whole: (kind: WholeKind, hole: number) => string, secret: (hole: number) => string) =>
    holes.map(({ kind, length }, hole) => {
      if (kind === 'secret') return fill(secret(hole), length);
      // There is no `+` in what is given.
      return kind === 'given' ? fill(secret(hole).replaceAll('+', '.'), length) : whole(kind, hole);
    });
  const odd = (kind: HoleKind, place: number): string => {
    const all = [...(oddities[kind] ?? []), ...(more[kind] ?? [])];
    return all[place % all.length]!;
  };
  const most = Math.max(...Object.values(more).map((texts) => texts.length), 0) + 5;
  const shortestList = list(
    (kind) => shortest[kind],
    () => 'A',
  );
  const carrier = longestOf(holes);
  const lists = [
    list(
      (kind, hole) => telling[kind](hole),
      (hole) => `${mark(hole)}+/bY09z8x`,
    ),
    ...lengthenNames(
      list(
        (kind) => longest[kind],
        (hole) => `${mark(hole)}z`,
      ),
      holes,
    ),
    ...Array.from({ length: most }, (_, place) =>
      list(
        (kind) => odd(kind, place),
        () => odd('secret', place),
      ),
    ),
  ];
  return [
    ...lists.map((texts) => lengthen(texts, holes, carrier, least)),
    ...holes.flatMap(({ kind }, carrier) =>
      fixed.has(kind) ? [] : [lengthen(shortestList, holes, carrier, least)],
    ),
  ];
}

/** A list that tells the holes apart. */
export function tellingTexts(holes: readonly SampleHole[], least: number): readonly string[] {
  const texts = holes.map(({ kind, length }, hole) =>
    kind === 'secret' || kind === 'given' ? fill(`${mark(hole)}bY09z8x`, length) : telling[kind](hole),
  );
  return lengthen(texts, holes, longestOf(holes), least);
}

/** Each two of the names in turn are as long as they may be, the others short. */
function lengthenNames(
  texts: readonly string[],
  holes: readonly SampleHole[],
): readonly (readonly string[])[] {
  const names = holes.flatMap(({ kind }, place) => (kind === 'name' || kind === 'label' ? [place] : []));
  const rest = longestNames - longestName - Math.max(names.length - 2, 0);
  const lists = names.flatMap((first, at) =>
    names.slice(at + 1).map((second) =>
      texts.map((text, place) => {
        if (place === first) return `"${'é'.repeat(longestName / 2 - 1)}"`;
        return place === second ? 'n'.repeat(rest) : text;
      }),
    ),
  );
  if (lists.length > 0) return lists;
  return [texts.map((text, place) => (names.includes(place) ? 'n'.repeat(longestName) : text))];
}

/** The hole that takes the longest text, or -1. */
function longestOf(holes: readonly SampleHole[]): number {
  const places = ['address', 'userName', 'name', 'label'].map((kind) =>
    holes.findIndex((hole) => hole.kind === kind),
  );
  return places.find((place) => place !== -1) ?? -1;
}

/** The text of one hole ends with as many letters more as are missing. */
function lengthen(
  texts: readonly string[],
  holes: readonly SampleHole[],
  carrier: number,
  least: number,
): readonly string[] {
  const counted = texts.filter((_, hole) => !fixed.has(holes[hole]!.kind));
  const missing = least - counted.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (missing <= 0) return texts;
  return texts.map((text, hole) => (hole === carrier ? text + 'a'.repeat(missing) : text));
}
