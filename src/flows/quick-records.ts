/**
 * A batch in; the records in it that a stencil has written (`lib/stencils.ts`), and the values of the others, out.
 * Everything is copied at once, because the next batch overwrites it.
 */
import type { Room } from '../lib/batch-memory.ts';
import type { Pick } from '../lib/json-pick.ts';
import { type Pressed, type Stencils, written } from '../lib/stencils.ts';
import type { Copy, Copyist } from '../lib/stencil-maker.ts';
import { row } from '../lib/stencil-layout.ts';
import type { Note } from '../records/user.ts';
import { parseBatch } from '../sources/elements.ts';
import type { Aside, RawBatch } from '../sources/source.ts';
import { type BatchNumbers, type RecordDetail, startNumbers } from './batch.ts';

export interface QuickBatch {
  /** `written` for the records that are. */
  readonly values: readonly unknown[];
  /** Complete for the written ones; `ends` are those in `body`, for all. */
  readonly numbers: BatchNumbers;
  /** Of the written ones with something to say, by place. */
  readonly details: ReadonlyMap<number, RecordDetail>;
  /** The elements of the written ones. */
  readonly body: Uint8Array<ArrayBuffer>;
}

/** How the values of a batch are come by; without either, by JSON.parse. */
export interface ShortCuts {
  readonly pick?: Pick | undefined;
  readonly stencils?: Stencils | undefined;
  readonly isEnough?: (value: unknown) => boolean;
  readonly aside?: Aside<unknown> | undefined;
}

const nobody = new Map<number, RecordDetail>();
const nothing = new Uint8Array(0);

/** Numbers and bodies are put into the room. */
export type ReadQuickly = (batch: RawBatch, room: Room) => QuickBatch;

/** `copyFor` gives the slow way to write a record with this context. */
export function createQuickReader(
  { pick, stencils, isEnough = () => true, aside }: ShortCuts,
  copyFor: (context: unknown) => (value: unknown) => Copy | undefined,
): ReadQuickly {
  return (batch, room) => {
    if (stencils === undefined) return slowly(parseBatch(batch, pick), room);
    const { context } = batch;
    const givens = aside?.givens(context);
    stencils.standOn(aside === undefined ? JSON.stringify(context) : String(givens === undefined));
    const copy: Copyist = (value, given) => {
      if (!isEnough(value)) return undefined;
      const own = aside === undefined ? context : aside.contextOf(given, context, value);
      return own === undefined ? undefined : copyFor(own)(value);
    };
    let pressed: Pressed | undefined;
    const values = parseBatch(batch, (bytes, starts) => {
      pressed = stencils.press(bytes, copy, starts, givens);
      if (pressed?.values.every((value) => value === written || isEnough(value)) !== true)
        pressed = undefined;
      return pressed?.values;
    });
    return pressed === undefined ? slowly(values, room) : takeOver(pressed, room);
  };
}

function slowly(values: readonly unknown[], room: Room): QuickBatch {
  return { values, numbers: startNumbers(values.length, room), details: nobody, body: nothing };
}

function takeOver(pressed: Pressed, room: Room): QuickBatch {
  const { values, output, rows, start } = pressed;
  const numbers = startNumbers(values.length, room);
  const { ends, sizes, facts, keys } = numbers;
  const details = new Map<number, RecordDetail>();
  for (let place = 0; place < values.length; place++) {
    const at = place * row.words;
    ends[place] = rows[at + row.end]! - start;
    if (values[place] !== written) continue;
    sizes[place] = rows[at + row.size]!;
    facts[place] = rows[at + row.facts]!;
    keys[4 * place] = rows[at + row.keys]!;
    keys[4 * place + 1] = rows[at + row.keys + 1]!;
    keys[4 * place + 2] = rows[at + row.keys + 2]!;
    keys[4 * place + 3] = rows[at + row.keys + 3]!;
    const notes = pressed.remarks(place) as readonly Note[];
    if (notes.length === 0) continue;
    details.set(place, { place, id: pressed.id(place), userName: pressed.name(place), notes });
  }
  const body = room.take(output.length);
  body.set(output);
  return { values, numbers, details, body };
}

/** Both kinds of elements in the order of their places. */
export function mergeBodies(
  { values, numbers: { ends }, body: quick }: QuickBatch,
  slow: Uint8Array<ArrayBuffer>,
  room: Room,
): Uint8Array<ArrayBuffer> {
  if (quick.length === 0) return slow;
  if (slow.length === 0) return quick;
  const all = room.take(quick.length + slow.length);
  let end = 0;
  let fromQuick = 0;
  let fromSlow = 0;
  for (let place = 0; place < values.length;) {
    const isQuick = values[place] === written;
    while (place < values.length && (values[place] === written) === isQuick) place++;
    const length = ends[place - 1]! - end;
    if (isQuick) all.set(quick.subarray(fromQuick, (fromQuick += length)), end);
    else all.set(slow.subarray(fromSlow, (fromSlow += length)), end);
    end += length;
  }
  return all;
}
