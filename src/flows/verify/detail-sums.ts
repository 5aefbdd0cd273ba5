/** Sums up the details that an export shows in its own order: one sum for each user and field. */
import { detailFields, type DetailField } from './fields.ts';

const chunkBits = 12;
const chunkSize = 1 << chunkBits;

/** Takes memory only for users that the export has. */
export class DetailSums {
  readonly #chunks: Uint32Array[] = [];

  add(user: number, field: DetailField, hash: number): void {
    const chunk = (this.#chunks[user >>> chunkBits] ??= new Uint32Array(chunkSize * detailFields.length));
    const at = placeOf(user, field);
    chunk[at] = chunk[at]! + hash;
  }

  sum(user: number, field: DetailField): number {
    return this.#chunks[user >>> chunkBits]?.[placeOf(user, field)] ?? 0;
  }

  forget(user: number, fields: readonly DetailField[] = detailFields): void {
    const chunk = this.#chunks[user >>> chunkBits];
    for (const field of fields) if (chunk !== undefined) chunk[placeOf(user, field)] = 0;
  }
}

function placeOf(user: number, field: DetailField): number {
  return (user & (chunkSize - 1)) * detailFields.length + detailFields.indexOf(field);
}
