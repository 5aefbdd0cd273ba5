/** What an export tells of people, in an order of its own, in; of each person and detail one sum out. */
import { detailFields, type DetailField } from './fields.ts';

const chunkBits = 12;
const chunkSize = 1 << chunkBits;

/** Takes memory only for those of whom something was told. */
export class SeenDetails {
  readonly #chunks: Uint32Array[] = [];

  add(person: number, field: DetailField, hash: number): void {
    const chunk = (this.#chunks[person >>> chunkBits] ??= new Uint32Array(chunkSize * detailFields.length));
    const at = placeOf(person, field);
    chunk[at] = chunk[at]! + hash;
  }

  sum(person: number, field: DetailField): number {
    return this.#chunks[person >>> chunkBits]?.[placeOf(person, field)] ?? 0;
  }

  forget(person: number): void {
    const chunk = this.#chunks[person >>> chunkBits];
    for (const field of detailFields) if (chunk !== undefined) chunk[placeOf(person, field)] = 0;
  }
}

function placeOf(person: number, field: DetailField): number {
  return (person & (chunkSize - 1)) * detailFields.length + detailFields.indexOf(field);
}
