/** Counts what raw records have in them: filled fields, roles, groups, links, equal email addresses. */
import { TextMarks } from '../../compact/text-table.ts';
import { isObject } from '../../lib/json-value.ts';
import { count, type Counts } from '../../records/tally.ts';
import type { ReadResult } from '../../records/user.ts';
import type { RecordParts } from '../../sources/parts.ts';

/** Names come out of inputs, which could hold any number of them. */
const mostNames = 10_000;

export class RecordCounts {
  readonly fields: Counts = new Map();
  readonly roles: Counts = new Map();
  readonly groups: Counts = new Map();
  readonly identityProviders: Counts = new Map();
  /** Users with an address that an earlier user has. */
  sameEmail = 0;
  readonly #emails = new TextMarks();

  add(raw: unknown, record: ReadResult, parts: RecordParts | undefined): void {
    if (isObject(raw)) for (const name of filledFields(raw)) add(this.fields, name);
    for (const kind of ['roles', 'groups', 'identityProviders'] as const) {
      for (const name of new Set(parts?.[kind])) add(this[kind], name);
    }
    if (record.kind !== 'human' || record.email === '') return;
    if (this.#emails.add(record.email.toLowerCase()) !== -1) this.sameEmail++;
  }
}

function add(counts: Counts, name: string): void {
  if (counts.has(name) || counts.size < mostNames) count(counts, name);
}

/** `email`; the keys of an object one by one: `attributes.locale`. */
function* filledFields(raw: Readonly<Record<string, unknown>>): Generator<string> {
  for (const [name, value] of Object.entries(raw)) {
    if (isEmpty(value)) continue;
    if (!isObject(value)) yield name;
    else for (const [inner, part] of Object.entries(value)) if (!isEmpty(part)) yield `${name}.${inner}`;
  }
}

function isEmpty(value: unknown): boolean {
  return (
    value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
  );
}
