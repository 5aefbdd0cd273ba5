/**
 * The program behind `stencils.ts`, in WebAssembly: the tape of a batch (`json-pick-wasm.ts`) in; of each element for
 * which there is a stencil what is to be written out, of the others that they are left.
 *
 * What an element has beside its holes is its signature: tokens, and texts that are no holes. Elements of one signature
 * share one stencil: literal text by turns with holes.
 */
import { token } from './json-pick-wasm.ts';
import {
  assembleModule,
  bytes16,
  createVariables,
  i32,
  i64,
  repeatWhile,
  when,
  type Code,
  type Variable,
} from './wasm-code.ts';
import { type Memory, startProgram } from './wasm-engine.ts';

/**
 * What texts may stand in a hole; 0 is no hole. All but `secret` are whole texts; a `label` is a name without `@`.
 * `given` is what comes with an element and does not stand in it.
 */
export const holeKind = { word: 1, userName: 2, address: 3, name: 4, label: 5, secret: 6, given: 7 } as const;
export type HoleKind = keyof typeof holeKind;
/** In bytes; the names of an element together, because they stand in a message whose length is to take one byte. */
export const longestHole = 100;
export const longestName = 50;
export const longestNames = 100;
/** Inside a `secret`, which is JSON, the values of base64 of so many bytes are holes. */
export const shortestSecret = 12;
export const longestSecret = 512;

/**
 * For each element, in words. `name` and `id` are place and length of their texts, `holes` is the end of its holes, and
 * `keys` are as `hashText` gives them: two words of the name in small letters, two of the id. Of what is unknown, `size` is
 * the length of the signature.
 */
export const row = {
  status: 0,
  tape: 1,
  end: 2,
  size: 3,
  facts: 4,
  keys: 5,
  hash: 9,
  stencil: 10,
  name: 11,
  id: 13,
  holes: 15,
  words: 16,
} as const;
export const status = { left: 0, written: 1, unknown: 2 } as const;

/** For each hole of the latest element, in words; `token` is where its text stands on the tape. */
export const hole = { place: 0, length: 1, special: 2, kind: 3, token: 4, words: 5 } as const;
const mostHoles = 64;

/**
 * A stencil, in bytes; `items` is zero for elements that are never written by one. `least` is how many bytes the user
 * names, addresses and names of an element must have together: with fewer of them its size may be another sum.
 */
export const stencil = {
  signatureLength: 0,
  hash: 4,
  items: 8,
  itemCount: 12,
  size: 16,
  facts: 20,
  nameHole: 24,
  idHole: 28,
  room: 32,
  least: 36,
  signature: 40,
} as const;

/** Literal text, then a hole (or none), in bytes; `how` it is written. */
export const item = { literal: 0, length: 4, hole: 8, how: 12, size: 16 } as const;
/** What is given with an element, in words; a length of `nothingGoes` leaves it. `head` bytes of it are no hole. */
export const given = { place: 0, length: 1, head: 2, words: 3 } as const;
export const nothingGoes = 0xffff_ffff;
export const noHole = 0xffff;
export const how = { escaped: 0, base32: 1 } as const;

/** Where in the memory what stands, from `base` on. */
export function layOut(base: number) {
  const kinds = base;
  const classes = kinds + 256;
  const base32 = classes + 256;
  const slots = base32 + 32;
  const holes = slots + 4 * slotCount;
  const signature = holes + 4 * hole.words * mostHoles;
  const stencils = signature + longestSignature + 1024;
  return { kinds, classes, base32, slots, holes, signature, stencils } as const;
}
export type Layout = ReturnType<typeof layOut>;

export const slotCount = 2048;
export const longestSignature = 4096;
const longestConstant = 512;
const longestSecretText = 900;

/** What a byte may be part of. */
const is = { address: 1, name: 2, base64: 4, lastOf3: 8, lastOf2: 16 } as const;

/** `givens` and its end are zero where nothing is given; gives the end of the rows. */
export type Run = (
  tape: number,
  tapeEnd: number,
  rows: number,
  out: number,
  outEnd: number,
  givens: number,
  givensEnd: number,
) => number;

/** Undefined where WebAssembly is missing. `seed` is that of `hashText`; gives the end of the rows. */
export function startStencilProgram(memory: Memory, layout: Layout, seed: number): Run | undefined {
  const program = startProgram(assembleProgram(layout, seed), memory);
  if (program === undefined) return undefined;
  const bytes = new Uint8Array(memory.buffer);
  const mark = (letters: string, what: number): void => {
    for (const letter of Buffer.from(letters, 'latin1')) bytes[layout.classes + letter]! |= what;
  };
  const digits = '0123456789';
  const small = 'abcdefghijklmnopqrstuvwxyz';
  const letters = small.toUpperCase() + small + digits;
  mark(`${letters}-_+`, is.address);
  mark(`${letters}+/`, is.base64);
  // Of a last character that stands for fewer than six bits the others must be zero.
  mark('AEIMQUYcgkosw048', is.lastOf3);
  mark('AQgw', is.lastOf2);
  const careful = new Set([0x22, 0x40, 0x5c, 0x7f, 0xc2, 0xe1, 0xe2, 0xe3, 0xef]);
  for (let byte = 0x21; byte < 0x100; byte++)
    if (!careful.has(byte)) bytes[layout.classes + byte]! |= is.name;
  bytes.set(Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'), layout.base32);
  return program.run;
}

function assembleProgram(layout: Layout, seed: number): Uint8Array<ArrayBuffer> {
  const { declared, variable } = createVariables();
  const tape = variable('i32');
  const tapeEnd = variable('i32');
  const rows = variable('i32');
  const out = variable('i32');
  const outEnd = variable('i32');
  const givens = variable('i32');
  const givensEnd = variable('i32');
  const parameters = declared.length;
  /** Of the element. */
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

  const tell = (field: number, code: Code): Code => i32.storeAt(i32.add(rows.get, i32.of(4 * field)), code);
  const yes = i32.of(1);
  const no = i32.of(0);
  const plus = (code: Code, more: number): Code => i32.add(code, i32.of(more));
  const bump = (variable: Variable, by: number): Code => variable.set(plus(variable.get, by));
  const not = i32.isZero;
  const isByte = (code: Code, letter: string): Code => i32.areEqual(code, i32.of(letter.charCodeAt(0)));
  const classOf = (code: Code): Code => i32.loadByte(code, layout.classes);
  const isKind = (name: HoleKind): Code => i32.areEqual(kind.get, i32.of(holeKind[name]));
  const refuse = fits.set(no);
  const refuseIf = (condition: Code): Code => when(condition, [refuse]);
  const isOutside = (code: Code, min: number, max: number): Code =>
    i32.isMore(i32.sub(code, i32.of(min)), i32.of(max - min));

  /** `bytes` from `from` to `to`, which moves on; 16 at a time, so up to 15 more are written. */
  const copyText = (from: Code, bytes: Code, to: Variable): Code[] => [
    copied.set(no),
    repeatWhile(
      i32.isLess(copied.get, bytes),
      bytes16.store(i32.add(to.get, copied.get), bytes16.load(i32.add(from, copied.get), 0)),
      bump(copied, 16),
    ),
    to.set(i32.add(to.get, bytes)),
  ];
  const sign = (code: Code): Code[] => [i32.storeAt(signature.get, code), bump(signature, 4)];
  /** From `start` to `at`, with its length before it. */
  const signConstant = [
    copied.set(i32.sub(at.get, start.get)),
    ...sign(copied.get),
    word.set(copied.get),
    when(i32.isLess(word.get, i32.of(longestConstant)), copyText(start.get, word.get, signature), [refuse]),
  ];
  const noteHole = (holeStart: Code, bytes: Code): Code[] => [
    i32.storeAt(plus(holes.get, 4 * hole.place), holeStart),
    i32.storeAt(plus(holes.get, 4 * hole.length), bytes),
    i32.storeAt(plus(holes.get, 4 * hole.special), special.get),
    i32.storeAt(plus(holes.get, 4 * hole.kind), kind.get),
    i32.storeAt(plus(holes.get, 4 * hole.token), plus(tape.get, -8)),
    bump(holes, 4 * hole.words),
    when(i32.isMore(holes.get, i32.of(layout.holes + 4 * hole.words * (mostHoles - 1))), [
      refuse,
      holes.set(i32.of(layout.holes)),
    ]),
  ];

  /** Which bytes are so many from this letter on. */
  const among = (bytes: Code, first: string, count: number): Code =>
    bytes16.areLess(bytes16.sub(bytes, bytes16.filled(first.charCodeAt(0))), bytes16.filled(count));
  const forEachByte = (...body: Code[]): Code =>
    repeatWhile(i32.isLess(at.get, stop.get), byte.set(i32.loadByte(at.get)), ...body, bump(at, 1));
  /** From `at` on to the first byte that is no letter, no digit and none of these; up to 15 bytes behind it are read. */
  const skipLetters = (more: string): Code[] => {
    const letters = among(bytes16.or(part.get, bytes16.filled(0x20)), 'a', 26);
    const others = Array.from(more, (letter) =>
      bytes16.areEqual(part.get, bytes16.filled(letter.charCodeAt(0))),
    );
    const all = [letters, among(part.get, '0', 10), ...others].reduce((some, one) => bytes16.or(some, one));
    return [
      flags.set(i32.of(16)),
      repeatWhile(
        i32.areEqual(flags.get, i32.of(16)),
        part.set(bytes16.load(at.get, 0)),
        // The bits above those of the 16 bytes end the run.
        flags.set(i32.lowest(i32.xor(bytes16.bits(all), i32.of(-1)))),
        at.set(i32.add(at.get, flags.get)),
        when(i32.isMore(at.get, stop.get), [flags.set(no)]),
      ),
    ];
  };
  const checkLetters = (more: string): Code[] => [
    ...skipLetters(more),
    refuseIf(i32.isLess(at.get, stop.get)),
  ];
  /** As `isPlainAddress` of an address: one `@`, and dots between other characters only. */
  const checkAddress = [
    before.set(i32.of(0x2e)),
    flags.set(no),
    forEachByte(
      when(
        i32.and(classOf(byte.get), i32.of(is.address)),
        [before.set(no)],
        [
          refuseIf(i32.areEqual(before.get, i32.of(0x2e))),
          before.set(i32.of(0x2e)),
          when(isByte(byte.get, '@'), [bump(flags, 1)], [refuseIf(not(isByte(byte.get, '.')))]),
        ],
      ),
    ),
    refuseIf(i32.areEqual(before.get, i32.of(0x2e))),
    refuseIf(not(i32.areEqual(flags.get, yes))),
  ];
  const isAt = (offset: number, min: number, max = min): Code =>
    not(isOutside(i32.loadByte(at.get, offset), min, max));
  /** The beginnings of C1 controls and of white space beyond ASCII. */
  const checkBeyondAscii: readonly (readonly [first: number, refused: Code])[] = [
    [0xc2, isAt(1, 0x80, 0xa0)],
    [0xe1, isAt(1, 0x9a)],
    [0xe2, isAt(1, 0x80, 0x81)],
    [0xe3, i32.and(isAt(1, 0x80), isAt(2, 0x80))],
    [0xef, isAt(1, 0xbb)],
  ];
  const checkName = [
    before.set(yes),
    forEachByte(
      when(
        i32.and(classOf(byte.get), i32.of(is.name)),
        [before.set(no)],
        [
          when(
            isByte(byte.get, ' '),
            [refuseIf(before.get), before.set(yes)],
            [
              before.set(no),
              when(
                i32.or(isByte(byte.get, '"'), isByte(byte.get, '\\')),
                [special.set(yes)],
                [
                  flags.set(yes),
                  when(isByte(byte.get, '@'), [flags.set(isKind('label'))]),
                  ...checkBeyondAscii.map(([first, refused]) =>
                    when(i32.areEqual(byte.get, i32.of(first)), [flags.set(refused)]),
                  ),
                  refuseIf(flags.get),
                ],
              ),
            ],
          ),
        ],
      ),
    ),
    refuseIf(before.get),
  ];
  const readWhole = [
    ...sign(i32.or(i32.of(15), i32.shiftLeft(kind.get, i32.of(4)))),
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
          when(isKind('userName'), checkLetters('.-_@+'), [when(isKind('address'), checkAddress, checkName)]),
        ]),
        when(isKind('word'), [], [free.set(i32.add(free.get, length.get))]),
        ...noteHole(place.get, length.get),
      ],
    ),
  ];

  const isBase64 = not(not(i32.and(classOf(i32.loadByte(at.get)), i32.of(is.base64))));
  const over = i32.and(length.get, i32.of(3));
  const mayEndWith = (what: number): Code => i32.and(classOf(i32.loadByte(at.get, 0)), i32.of(what));
  /** A run from `before` to `at`, of `length`: behind `:"`, and closed by a quote or by padding. */
  const isSecret = [
    not(isOutside(length.get, shortestSecret, longestSecret)),
    isByte(i32.loadByte(plus(before.get, -1)), '"'),
    isByte(i32.loadByte(plus(before.get, -2)), ':'),
    i32.or(isByte(i32.loadByte(at.get), '"'), isByte(i32.loadByte(at.get), '=')),
  ].reduce((all, more) => i32.and(all, more));
  const readSecret = [
    ...sign(i32.of(15 + 16 * holeKind.secret)),
    start.set(place.get),
    repeatWhile(
      i32.isLess(at.get, stop.get),
      when(
        not(isBase64),
        [bump(at, 1)],
        [
          before.set(at.get),
          ...skipLetters('+/'),
          when(i32.isMore(at.get, stop.get), [at.set(stop.get)]),
          length.set(i32.sub(at.get, before.get)),
          when(isSecret, [
            // One step back, to the last character of the run.
            bump(at, -1),
            flags.set(yes),
            when(i32.areEqual(over, i32.of(1)), [flags.set(no)]),
            when(i32.areEqual(over, i32.of(2)), [flags.set(mayEndWith(is.lastOf2))]),
            when(i32.areEqual(over, i32.of(3)), [flags.set(mayEndWith(is.lastOf3))]),
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
  const isType = (value: number): Code => i32.areEqual(type.get, i32.of(value));
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
  const signatureBytes = i32.sub(signature.get, i32.of(layout.signature));
  const hashSignature = [
    bytes16.store(signature.get, bytes16.filled(0)),
    mixed.set(i64.of(0n)),
    at.set(i32.of(layout.signature)),
    repeatWhile(
      i32.isLess(at.get, signature.get),
      mixed.set(i64.multiply(i64.xor(mixed.get, i64.load(at.get)), i64.of(0x9e37_79b9_7f4a_7c15n))),
      mixed.set(i64.xor(mixed.get, i64.shiftRight(mixed.get, i64.of(29n)))),
      bump(at, 8),
    ),
    value.set(i32.from64(mixed.get)),
  ];
  const compare = [
    same.set(yes),
    at.set(no),
    repeatWhile(
      i32.and(same.get, i32.isLess(at.get, length.get)),
      same.set(
        i32.areEqual(
          bytes16.bits(
            bytes16.areEqual(
              bytes16.load(i32.add(found.get, at.get), stencil.signature),
              bytes16.load(i32.add(i32.of(layout.signature), at.get), 0),
            ),
          ),
          i32.of(0xffff),
        ),
      ),
      bump(at, 16),
    ),
  ];
  const slotAddress = i32.add(
    i32.of(layout.slots),
    i32.shiftLeft(i32.and(slot.get, i32.of(slotCount - 1)), i32.of(2)),
  );
  /** Signatures are followed by zeros up to a multiple of 16, here and in the stencils. */
  const lookUp = [
    length.set(signatureBytes),
    slot.set(value.get),
    found.set(i32.load(slotAddress)),
    same.set(no),
    repeatWhile(
      i32.and(not(same.get), not(not(found.get))),
      when(
        i32.and(
          i32.areEqual(i32.load(found.get, stencil.hash), value.get),
          i32.areEqual(i32.load(found.get, stencil.signatureLength), length.get),
        ),
        compare,
      ),
      when(not(same.get), [bump(slot, 1), found.set(i32.load(slotAddress))]),
    ),
  ];

  const holePlace = i32.load(current.get, 4 * hole.place);
  const holeLength = i32.load(current.get, 4 * hole.length);
  const selectHole = (number: Code): Code =>
    current.set(i32.add(i32.of(layout.holes), i32.multiply(number, i32.of(4 * hole.words))));
  const put = (code: Code): Code[] => [i32.storeByte(out.get, code), bump(out, 1)];
  const base32Letter = (shift: Code): Code => i32.loadByte(i32.and(shift, i32.of(31)), layout.base32);
  const writeBase32 = [
    value.set(no),
    bits.set(no),
    forEachByte(
      value.set(i32.or(i32.shiftLeft(value.get, i32.of(8)), byte.get)),
      bump(bits, 8),
      repeatWhile(
        i32.isMore(bits.get, i32.of(4)),
        bump(bits, -5),
        ...put(base32Letter(i32.shiftRight(value.get, bits.get))),
      ),
    ),
    when(bits.get, put(base32Letter(i32.shiftLeft(value.get, i32.sub(i32.of(5), bits.get))))),
  ];
  const writeEscaped = [
    forEachByte(
      when(i32.or(isByte(byte.get, '"'), isByte(byte.get, '\\')), put(i32.of(0x5c))),
      ...put(byte.get),
    ),
  ];
  const writeHole = [
    selectHole(i32.load(items.get, item.hole)),
    at.set(holePlace),
    stop.set(i32.add(at.get, holeLength)),
    size.set(i32.add(size.get, holeLength)),
    when(i32.load(items.get, item.how), writeBase32, [
      when(i32.load(current.get, 4 * hole.special), writeEscaped, copyText(holePlace, holeLength, out)),
    ]),
  ];
  const writeElement = [
    size.set(i32.load(found.get, stencil.size)),
    items.set(i32.load(found.get, stencil.items)),
    left.set(i32.load(found.get, stencil.itemCount)),
    repeatWhile(
      left.get,
      ...copyText(i32.load(items.get, item.literal), i32.load(items.get, item.length), out),
      when(i32.isLess(i32.load(items.get, item.hole), i32.of(noHole)), writeHole),
      bump(items, item.size),
      bump(left, -1),
    ),
  ];

  /** `hashText`, of ASCII; capital letters as small ones where `fold` says so. */
  const folded = (code: Code, fold: boolean): Code[] =>
    fold
      ? [byte.set(code), when(not(isOutside(byte.get, 0x41, 0x5a)), [bump(byte, 0x20)])]
      : [byte.set(code)];
  const multiply = (code: Code, factor: number): Code => i32.multiply(code, i32.of(factor | 0));
  const rotate = (code: Code, places: number): Code => i32.rotateLeft(code, i32.of(places));
  const finish = (lane: Variable): Code[] => [
    lane.set(multiply(i32.xor(lane.get, i32.shiftRight(lane.get, i32.of(16))), 0x85eb_ca6b)),
    lane.set(multiply(i32.xor(lane.get, i32.shiftRight(lane.get, i32.of(13))), 0xc2b2_ae35)),
    lane.set(i32.xor(lane.get, i32.shiftRight(lane.get, i32.of(16)))),
  ];
  const hashHole = (number: Code, fold: boolean, to: number, text: number): Code[] => [
    selectHole(number),
    at.set(holePlace),
    length.set(holeLength),
    tell(text, at.get),
    tell(text + 1, length.get),
    stop.set(i32.add(at.get, length.get)),
    one.set(i32.of(seed | 0)),
    two.set(i32.of(~seed ^ 0x5bd1_e995)),
    repeatWhile(
      i32.isLess(at.get, stop.get),
      ...folded(i32.loadByte(at.get), fold),
      units.set(byte.get),
      bump(at, 1),
      when(i32.isLess(at.get, stop.get), [
        ...folded(i32.loadByte(at.get), fold),
        units.set(i32.or(units.get, i32.shiftLeft(byte.get, i32.of(16)))),
      ]),
      bump(at, 1),
      one.set(i32.xor(one.get, multiply(rotate(multiply(units.get, 0xcc9e_2d51), 15), 0x1b87_3593))),
      one.set(i32.add(multiply(rotate(one.get, 13), 5), two.get)),
      two.set(i32.xor(two.get, multiply(rotate(multiply(units.get, 0x239b_961b), 16), 0xab0e_9789))),
      two.set(plus(i32.add(multiply(rotate(two.get, 17), 5), one.get), 0x561c_cd1b)),
    ),
    two.set(i32.xor(two.get, length.get)),
    one.set(i32.add(i32.xor(one.get, length.get), two.get)),
    two.set(i32.add(two.get, one.get)),
    ...finish(one),
    ...finish(two),
    tell(to, i32.add(one.get, two.get)),
    tell(to + 1, i32.add(one.get, i32.add(two.get, two.get))),
  ];
  const mayBeWritten = [
    not(not(i32.load(found.get, stencil.items))),
    not(i32.isLess(free.get, i32.load(found.get, stencil.least))),
    i32.isLess(i32.add(out.get, i32.load(found.get, stencil.room)), outEnd.get),
  ].reduce((all, more) => i32.and(all, more));
  const settle = [
    ...hashSignature,
    tell(row.hash, value.get),
    ...lookUp,
    when(
      found.get,
      [
        tell(row.stencil, found.get),
        when(mayBeWritten, [
          tell(row.status, i32.of(status.written)),
          ...writeElement,
          tell(row.size, size.get),
          tell(row.facts, i32.load(found.get, stencil.facts)),
          ...hashHole(i32.load(found.get, stencil.nameHole), true, row.keys, row.name),
          ...hashHole(i32.load(found.get, stencil.idHole), false, row.keys + 2, row.id),
        ]),
      ],
      [tell(row.status, i32.of(status.unknown)), tell(row.size, length.get)],
    ),
  ];
  const body = [
    repeatWhile(
      i32.isLess(tape.get, tapeEnd.get),
      tell(row.status, i32.of(status.left)),
      tell(row.tape, tape.get),
      fits.set(yes),
      depth.set(no),
      kind.set(no),
      free.set(no),
      names.set(no),
      signature.set(i32.of(layout.signature)),
      holes.set(i32.of(layout.holes)),
      when(givens.get, takeGiven),
      reading.set(yes),
      repeatWhile(reading.get, ...readToken),
      when(fits.get, settle),
      tell(row.end, out.get),
      tell(row.holes, holes.get),
      bump(rows, 4 * row.words),
    ),
    rows.get,
  ];
  return assembleModule(declared, parameters, 'given', body);
}
