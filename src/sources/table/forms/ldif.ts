/** Reads LDIF (RFC 2849): entries with folded lines and base64, each as an object of its attributes. */
import { isUtf8 } from 'node:buffer';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { RawElements } from '../../source.ts';
import type { FormRequest, OpenRows } from './form.ts';

const entriesInBatch = 200;

export function openLdif(request: FormRequest): OpenRows {
  return { batches: scanEntries(request) };
}

type Entry = Record<string, string | string[]>;

async function* scanEntries({ blocks }: FormRequest): AsyncGenerator<RawElements> {
  let values: Entry[] = [];
  for await (const lines of entryLines(blocks)) {
    const entry = toEntry(lines);
    if (entry === undefined) continue;
    values.push(entry);
    if (values.length < entriesInBatch) continue;
    yield { form: 'values', values };
    values = [];
  }
  if (values.length > 0) yield { form: 'values', values };
}

/** The lines of each entry, unfolded and without comments. */
async function* entryLines(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const input = createInterface({ input: Readable.from(copies(blocks)), crlfDelay: Infinity });
  let lines: string[] = [];
  for await (const line of input) {
    if (line.startsWith(' ') && lines.length > 0) lines[lines.length - 1] += line.slice(1);
    else if (line.trim() !== '') lines.push(line);
    else if (lines.length > 0) {
      yield lines;
      lines = [];
    }
  }
  if (lines.length > 0) yield lines;
}

async function* copies(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const block of blocks) yield Buffer.from(block);
}

/** Undefined for what is no entry: the version, the result of a search, a change. */
function toEntry(lines: readonly string[]): Entry | undefined {
  const entry: Entry = {};
  for (const line of lines) {
    if (line.startsWith('#')) continue;
    const [, name = '', separator, value = ''] = /^([^:;]+)(?:;[^:]*)?:(:|<)? *(.*)$/.exec(line) ?? [];
    const key = canonical(name.trim());
    if (key === '' || key === '__proto__' || separator === '<') continue;
    const text = separator === ':' ? decode(value) : value;
    const before = entry[key];
    if (before === undefined) entry[key] = text;
    else entry[key] = [...(Array.isArray(before) ? before : [before]), text];
  }
  return entry['dn'] === undefined ? undefined : entry;
}

/** Attributes are the same in any case; mappings write them as the schemas do. */
const known = new Map(
  'dn entryUUID nsUniqueId ipaUniqueID objectGUID objectClass uid sAMAccountName userPrincipalName mail givenName sn cn displayName preferredLanguage telephoneNumber mobile userPassword userAccountControl nsAccountLock pwdAccountLockedTime memberOf employeeNumber description title'
    .split(' ')
    .map((name) => [name.toLowerCase(), name]),
);

function canonical(name: string): string {
  return known.get(name.toLowerCase()) ?? name;
}

/** Bytes that are no text stay base64. */
function decode(value: string): string {
  const bytes = Buffer.from(value.replace(/\s+/g, ''), 'base64');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}
