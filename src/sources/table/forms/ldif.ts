/** Reads LDIF (RFC 2849): entries with folded lines and base64, each as an object of its attributes. */
import { isUtf8 } from 'node:buffer';
import { InputError } from '../../../errors.ts';
import { printable } from '../../../lib/printable.ts';
import { maxRecordValues } from '../../../json/element-cutter.ts';
import type { RawElements } from '../../source.ts';
import type { FormRequest, OpenRows } from './form.ts';

const entriesInBatch = 200;
/** Without a blank line the file must not go into memory. */
const longestEntry = 16 * 1024 * 1024;

export function openLdif(request: FormRequest): OpenRows {
  return { batches: scanEntries(request) };
}

type Entry = Record<string, string | string[]>;

async function* scanEntries({ input, blocks }: FormRequest): AsyncGenerator<RawElements> {
  let values: Entry[] = [];
  for await (const { lines, excess } of entryLines(input.name, blocks)) {
    if (excess > 0) {
      if (values.length > 0) yield { form: 'values', values };
      values = [];
      yield tooManyLines(lines, excess);
      continue;
    }
    const entry = toEntry(lines);
    if (entry === undefined) continue;
    values.push(entry);
    if (values.length < entriesInBatch) continue;
    yield { form: 'values', values };
    values = [];
  }
  if (values.length > 0) yield { form: 'values', values };
}

function tooManyLines([first = '']: readonly string[], excess: number): RawElements {
  const problem = `${maxRecordValues + excess} values; a record may have ${maxRecordValues}`;
  const id = printable(first.replace(/^dn: */i, '').slice(0, 200));
  return { form: 'broken', problem, long: { offset: 0, id } };
}

interface EntryLines {
  readonly lines: string[];
  /** How many lines more there are than are read of an entry. */
  readonly excess: number;
}

/** The lines of each entry, unfolded. Throws `InputError` for an entry that does not end. */
async function* entryLines(name: string, blocks: AsyncIterable<Uint8Array>): AsyncGenerator<EntryLines> {
  const decoder = new TextDecoder();
  let text = '';
  let lines: string[] = [];
  let excess = 0;
  let length = 0;
  const add = (line: string): void => {
    const isFold = line.startsWith(' ') && lines.length > 0;
    if (excess > 0 || (!isFold && lines.length === maxRecordValues)) excess += isFold ? 0 : 1;
    else if (isFold) lines[lines.length - 1] += line.slice(1);
    else lines.push(line);
  };
  for await (const block of blocks) {
    text += decoder.decode(block, { stream: true });
    let start = 0;
    for (let feed = text.indexOf('\n'); feed !== -1; feed = text.indexOf('\n', start)) {
      const line = text.slice(start, text[feed - 1] === '\r' ? feed - 1 : feed);
      start = feed + 1;
      length += line.length + 1;
      if ((line.startsWith(' ') && lines.length > 0) || line.trim() !== '') add(line);
      else {
        if (lines.length > 0) yield { lines, excess };
        lines = [];
        excess = 0;
        length = 0;
      }
    }
    text = text.slice(start);
    if (length + text.length > longestEntry) throw endlessEntry(name, lines[0] ?? '');
  }
  const rest = text + decoder.decode();
  if (rest.trim() !== '') add(rest);
  if (lines.length > 0) yield { lines, excess };
}

function endlessEntry(name: string, first: string): InputError {
  return new InputError(
    'input:syntax',
    name,
    `the entry that begins with ${printable(first.slice(0, 60))} has more than 16 MB`,
    { hint: 'Export without photos and certificates.' },
  );
}

/** Undefined for what is no entry: the version, the result of a search. */
function toEntry(lines: readonly string[]): Entry | undefined {
  const entry: Entry = {};
  // `cn;lang-de` is a further value of `cn`, wherever it stands.
  const parsed = lines.map((line) => /^([^#:;][^:;]*)(;[^:]*)?:(:|<)? *(.*)$/.exec(line) ?? []);
  const inOrder = [
    ...parsed.filter(([, , option]) => option === undefined),
    ...parsed.filter(([, , option]) => option !== undefined),
  ];
  for (const [, name = '', , separator, value = ''] of inOrder) {
    const key = canonical(name.trim());
    if (key === '' || key === '__proto__' || separator === '<') continue;
    const text = separator === ':' && !binary.has(key) ? decode(key, value) : value;
    const before = entry[key];
    if (before === undefined) entry[key] = text;
    else if (Array.isArray(before)) before.push(text);
    else entry[key] = [before, text];
  }
  const { dn, changetype = 'add', version: _, ...attributes } = entry;
  if (dn === undefined) return undefined;
  // What changes an entry is none; ldifde writes every entry as one to be added.
  return /^\s*add\s*$/i.test(String(changetype)) ? { dn, ...attributes } : { dn };
}

/** Attributes are the same in any case; mappings write them as the schemas do. */
const known = new Map(
  'dn entryUUID nsUniqueId ipaUniqueID objectGUID objectClass uid sAMAccountName userPrincipalName mail givenName sn cn displayName preferredLanguage telephoneNumber mobile userPassword userAccountControl nsAccountLock pwdAccountLockedTime memberOf employeeNumber description title entryCSN structuralObjectClass accountExpires loginDisabled ds-pwp-account-disabled virtualCryptSHA256 virtualCryptSHA512 department ipatokenOTPkey ipatokenOTPalgorithm ipatokenOTPdigits ipatokenTOTPtimeStep ipatokenOwner ipatokenDisabled'
    .split(' ')
    .map((name) => [name.toLowerCase(), name]),
);

/** Bytes that may look like a text: they stay base64. */
const binary = new Set(['objectGUID', 'objectSid', 'ipatokenOTPkey']);

function canonical(name: string): string {
  return known.get(name.toLowerCase()) ?? name;
}

/** Bytes that are no text stay base64; of a password that would be another password. */
function decode(key: string, value: string): string {
  const bytes = Buffer.from(value.replace(/\s+/g, ''), 'base64');
  return isUtf8(bytes) || key === 'userPassword' ? bytes.toString('utf8') : value;
}
