/**
 * Joins tables to the rows of users: the rows of each table are kept as bytes, with an index of about 22 bytes a row, and
 * only the columns that the mapping names.
 */
import { KeyMaker, KeyTable, keyWords } from '../../compact/key-table.ts';
import type { Input } from '../../lib/input.ts';
import { isObject, type JsonObject } from '../../lib/json-value.ts';
import { BrokenRecord, parseBatch } from '../elements.ts';
import type { Companions, RawElements } from '../source.ts';
import type { OpenRows } from './forms/form.ts';
import { compilePath, type Scope } from './mapping/paths.ts';
import type { Mapping, TableMapping, Value } from './mapping/schema.ts';
import { textOf } from './mapping/texts.ts';
import { compileText, type ReadText } from './mapping/values.ts';

export type OpenTable = (
  input: Input,
  table: string | undefined,
) => Promise<OpenRows & { close: () => Promise<void> }>;

/** Adds the joined rows to a user. */
export type Join = (row: JsonObject) => JsonObject;

const blockBytes = 1024 * 1024;

/** Undefined where the mapping joins nothing that is there. */
export async function readTables(
  mapping: Mapping,
  companions: Companions,
  inDump: (name: string, table: TableMapping) => readonly Input[],
  open: OpenTable,
): Promise<Join | undefined> {
  const joins: Join[] = [];
  const words = JSON.stringify(mapping);
  for (const [name, table] of Object.entries(mapping.tables ?? {})) {
    const given = companions[name];
    const inputs = given ?? inDump(name, table);
    if (inputs.length === 0) continue;
    const store = new RowStore();
    const key = compilePath(table.key);
    for (const input of inputs) {
      const rows = await open(input, given === undefined ? (table.from ?? name) : undefined);
      try {
        for await (const elements of rows.batches) addRows(store, input.name, elements, key, words);
      } finally {
        await rows.close();
      }
    }
    joins.push(joinWith(name, table, store, keyOfUser(mapping, table)));
  }
  if (joins.length === 0) return undefined;
  return (row) => joins.reduce((joined, join) => join(joined), row);
}

function addRows(
  store: RowStore,
  input: string,
  elements: RawElements,
  key: (scope: Scope) => unknown,
  words: string,
): void {
  for (const value of parseBatch({ input, elements, context: undefined })) {
    if (!isObject(value) || value instanceof BrokenRecord) continue;
    const scope: Scope = { row: value, key: '', problems: [] };
    const text = textOf(key(scope), scope, '');
    if (text === '') continue;
    store.add(
      text,
      JSON.stringify(Object.fromEntries(Object.entries(value).filter(([column]) => words.includes(column)))),
    );
  }
}

/** What the key is compared with: `on`, or where the id comes from, before it gets a prefix. */
function keyOfUser({ user }: Mapping, { on }: TableMapping): ReadText {
  const id = user.id ?? '';
  const source: Value = on ?? (typeof id === 'object' && 'from' in id ? id.from! : id);
  return compileText(source, 'tables', { nulls: new Set(), now: 0 });
}

function joinWith(name: string, { many, pivot }: TableMapping, store: RowStore, key: ReadText): Join {
  return (row) => {
    const scope: Scope = { row, key: '', problems: [] };
    const found = store.find(key(scope));
    if (found.length === 0) return row;
    if (pivot !== undefined) {
      const entries = found.map(
        (one) =>
          [textOf(one[pivot.name], { row: one, key: '', problems: [] }, ''), one[pivot.value]] as const,
      );
      return { ...row, [name]: Object.fromEntries(entries) };
    }
    return { ...row, [name]: many === true ? found : found[0] };
  };
}

class RowStore {
  readonly #maker = new KeyMaker();
  readonly #table = new KeyTable();
  readonly #words = new Uint32Array(keyWords);
  readonly #blocks: Buffer[] = [];
  /** By entry: block, offset and length. */
  #places = new Uint32Array(3 * 1024);
  #end = blockBytes;

  add(key: string, text: string): void {
    const length = Buffer.byteLength(text);
    if (this.#end + length > (this.#blocks.at(-1)?.length ?? 0)) {
      this.#blocks.push(Buffer.allocUnsafeSlow(Math.max(blockBytes, length)));
      this.#end = 0;
    }
    this.#blocks.at(-1)!.write(text, this.#end);
    this.#maker.ofText('', key, this.#words, 0);
    const entry = this.#table.add(this.#words, 0);
    if (3 * entry >= this.#places.length) {
      const places = new Uint32Array(this.#places.length * 2);
      places.set(this.#places);
      this.#places = places;
    }
    this.#places.set([this.#blocks.length - 1, this.#end, length], 3 * entry);
    this.#end += length;
  }

  /** In the order of the table. */
  find(key: string): JsonObject[] {
    if (key === '') return [];
    this.#maker.ofText('', key, this.#words, 0);
    const found: JsonObject[] = [];
    for (
      let entry = this.#table.find(this.#words, 0);
      entry !== -1;
      entry = this.#table.findBefore(entry, this.#words, 0)
    ) {
      const [block = 0, from = 0, length = 0] = this.#places.subarray(3 * entry, 3 * entry + 3);
      found.push(JSON.parse(this.#blocks[block]!.toString('utf8', from, from + length)) as JsonObject);
    }
    return found.reverse();
  }
}

/** The batch with the joined rows; a broken record is a batch of its own. */
export function* joinBatch(input: string, elements: RawElements, join: Join): Generator<RawElements> {
  let values: unknown[] = [];
  for (const value of parseBatch({ input, elements, context: undefined })) {
    if (value instanceof BrokenRecord) {
      if (values.length > 0) yield { form: 'values', values };
      values = [];
      yield { form: 'broken', problem: value.problem };
    } else values.push(isObject(value) ? join(value) : value);
  }
  if (values.length > 0) yield { form: 'values', values };
}
