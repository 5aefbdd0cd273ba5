/**
 * Hashes the related records of users: entries of a body's other lists that belong to a user (metadata, links, grants).
 * Keeps about 30 bytes for each user that a list names, and nothing of the entries themselves.
 */
import { hash } from 'node:crypto';
import { ColumnTable } from '../../compact/columns.ts';
import type { Input } from '../../lib/input.ts';
import { type JsonObject, parseObject, firstText } from '../../lib/json-value.ts';
import { TextTable } from '../../compact/text-table.ts';
import { readEntries } from '../../sources/org-data/organizations.ts';

export type RelatedRecords = Awaited<ReturnType<typeof readRelatedRecords>>;

/** Reads the inputs once. `key` is that of the fingerprints. Entries that are not JSON are left out. */
export async function readRelatedRecords(inputs: readonly Input[], lists: readonly string[], key: string) {
  const owners = new TextTable();
  // Of the hashes of a user's entries: a sum does not depend on the order.
  const sums = new ColumnTable(['sum', 'sum too']);
  for (const input of inputs) {
    for await (const { list, text } of readEntries(input, lists)) {
      const entry = canonical(parseObject(text)) as JsonObject;
      // Metadata calls its owner `id`, everything else `userId`.
      const owner = firstText(entry, list === 'userMetadata' ? 'id' : 'userId');
      if (owner === '') continue;
      const bits = hash('sha256', `${key}\n${list}\n${JSON.stringify(entry)}`, 'buffer');
      const known = owners.find(owner);
      const row = known === -1 ? owners.add(owner) : known;
      sums.set(row, 'sum', sums.get(row, 'sum') + bits.readUInt32BE(0));
      sums.set(row, 'sum too', sums.get(row, 'sum too') + bits.readUInt32BE(4));
    }
  }
  return {
    /** Differs when any related record of the user does, whatever their order; empty for a user without any. */
    hashOf: (id: string): string => {
      const row = id === '' ? -1 : owners.find(id);
      return row === -1 ? '' : `${sums.get(row, 'sum')} ${sums.get(row, 'sum too')}`;
    },
  };
}

/** Keys in lowerCamelCase and in a fixed order. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, inner]) => [camelCase(name), canonical(inner)] as const);
  return Object.fromEntries(fields.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const camelCase = (name: string) =>
  name.includes('_') ? name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) : name;
