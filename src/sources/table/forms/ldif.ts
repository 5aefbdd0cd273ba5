/** Reads LDIF (RFC 2849), including folded lines and base64. Each entry becomes an object of its attributes. */
import { isUtf8 } from 'node:buffer';
import { InputError } from '../../../errors.ts';
import { printable } from '../../../lib/format.ts';
import { TextTable } from '../../../compact/key-table.ts';
import { maxRecordValues } from '../../../json/element-batches.ts';
import { BrokenRecord } from '../../raw-record.ts';
import type { RawElements } from '../../source.ts';
import { textsOf } from '../../encoding.ts';
import { createCaseMatch, type FormRequest, type OpenRows } from './form.ts';

const entriesInBatch = 200;
/** Longest entry in characters, so that a file without blank lines does not fill the memory. */
const longestEntry = 16 * 1024 * 1024;

export function openLdif(request: FormRequest): OpenRows {
  return { batches: scanEntries(request) };
}

type Entry = Record<string, string | string[]>;

interface Names {
  readonly named: ReadonlySet<string>;
  /** Matches attribute names regardless of case. */
  readonly match: ReturnType<typeof createCaseMatch>;
}

async function* scanEntries({ input, blocks, named }: FormRequest): AsyncGenerator<RawElements> {
  let values: Entry[] = [];
  const read = new TextTable();
  const names = { named, match: createCaseMatch(new Set(['dn', 'changetype', 'version', ...named])) };
  for await (const block of entryLines(input.name, blocks)) {
    const entry = block.excess > 0 ? tooManyLines(block) : toEntry(block, names, input.name, read);
    if (entry === undefined) continue;
    const isBroken = entry instanceof BrokenRecord;
    if (!isBroken) values.push(entry);
    if (values.length >= (isBroken ? 1 : entriesInBatch)) {
      yield { form: 'values', values };
      values = [];
    }
    if (isBroken) yield { form: 'broken', ...entry.broken };
  }
  if (values.length > 0) yield { form: 'values', values };
}

function tooManyLines({ lines: [first = ''], excess }: EntryLines) {
  const problem = `${maxRecordValues + excess} values; a record may have ${maxRecordValues}`;
  return new BrokenRecord({ problem, id: shownName(first), code: 'record:too-large' });
}

/** Returns the name in a `dn` line, for messages. */
function shownName(line: string) {
  return printable(line.replace(/^dn:+ */i, '').slice(0, 200));
}

interface EntryLines {
  readonly lines: string[];
  /** Number of the first line, from 1. */
  readonly number: number;
  /** Number of lines beyond those that are read of an entry. */
  readonly excess: number;
}

/**
 * Yields the unfolded lines of each entry. An entry ends at a blank line or before the next `dn`, because concatenated files
 * may lack the blank line. Throws `InputError` for an entry that does not end.
 */
async function* entryLines(name: string, blocks: AsyncIterable<Uint8Array>) {
  let text = '';
  let entry = { lines: [] as string[], number: 1, excess: 0 };
  let number = 0;
  let length = 0;
  const add = (line: string) => {
    const { lines } = entry;
    const isFold = line.startsWith(' ') && lines.length > 0;
    if (lines.length === 0) entry.number = number;
    if (entry.excess > 0 || (!isFold && lines.length === maxRecordValues)) entry.excess += isFold ? 0 : 1;
    else if (isFold) lines[lines.length - 1] += line.slice(1);
    else lines.push(line);
  };
  const finishEntry = (): EntryLines => {
    const taken = entry;
    entry = { lines: [], number, excess: 0 };
    length = 0;
    return taken;
  };
  const endsEntry = (line: string) =>
    entry.lines.length > 0 && (isName.test(line) || (line.trim() === '' && !line.startsWith(' ')));
  for await (const part of textsOf(name, blocks)) {
    text += part;
    let start = 0;
    for (let feed = text.indexOf('\n'); feed !== -1; feed = text.indexOf('\n', start)) {
      const line = text.slice(start, text[feed - 1] === '\r' ? feed - 1 : feed).replace(/^\ufeff/, '');
      start = feed + 1;
      number++;
      if (endsEntry(line)) yield finishEntry();
      length += line.length + 1;
      if (line.trim() !== '' || (line.startsWith(' ') && entry.lines.length > 0)) add(line);
    }
    text = text.slice(start);
    if (length + text.length > longestEntry)
      throw new InputError(
        'input:syntax',
        name,
        `the entry that begins with ${printable((entry.lines[0] ?? '').slice(0, 60))} has more than 16 MB`,
        'Export without photos and certificates.',
      );
  }
  number++;
  if (endsEntry(text)) yield finishEntry();
  if (text.trim() !== '') add(text);
  if (entry.lines.length > 0) yield finishEntry();
}

const isName = /^dn *:/i;

/**
 * Returns undefined for what is not an entry, such as the version or a search result. An unreadable line rejects the entry.
 * Throws `InputError` for a change of an entry that was already read.
 */
function toEntry(
  { lines: all, number }: EntryLines,
  names: Names,
  name: string,
  read: TextTable,
): Entry | BrokenRecord | undefined {
  const lines = all.filter((line) => !line.startsWith('#'));
  const [first] = lines;
  if (first === undefined) return undefined;
  const text = all.join('\n');
  // Name every entry that is lost because entries run together. Text after a name may be part of a hash.
  const others = Array.from(
    text.slice(first.length).matchAll(/dn: *(\w+=[^,\n:${]{1,64}),/gi),
    ([, name = '']) => shownName(name),
  );
  const also = others.length === 0 ? '' : `; it holds ${others.slice(0, 5).join(' and ')}, too`;
  const parsed = lines.map((line) => attributeOf(line, names));
  const attributes = parsed.filter((each) => typeof each === 'object');
  const entryName = attributes[0]?.key === 'dn' ? attributes[0].text : first;
  const broken = (problem: string) =>
    new BrokenRecord({ problem: `line ${number}: ${problem}${also}`, text, id: shownName(entryName) });
  const entry: Entry = {};
  const { named } = names;
  if (!isName.test(first)) {
    const isOne = parsed.some((found) => typeof found === 'object' && named.has(found.key));
    return isOne || first.startsWith(' ') ? broken('the entry does not begin with a dn') : undefined;
  }
  const ownName = entryName.trim().toLowerCase().replaceAll(/ *, */g, ',');
  // ldifde writes every entry with `changetype: add`.
  const change = attributes.find(({ key, text: type }) => key === 'changetype' && !/^add\s*$/i.test(type));
  if (change !== undefined) {
    const type = printable(change.text.trim().slice(0, 20));
    if (read.find(ownName) === -1)
      return broken(`it is a change (${type}) of an entry that is not in the file before it`);
    const changed = `line ${number}: it changes ${shownName(entryName)} (${type}), which is in the file before it`;
    throw new InputError('input:syntax', name, changed, 'Export the entries as they are now.');
  }
  read.add(ownName);
  const problem = parsed.find((found) => typeof found === 'string');
  if (problem !== undefined) return broken(problem);
  if (beginsTwice(attributes, named)) {
    return broken('two entries run together: an empty line and a dn are missing between them');
  }
  // `cn;lang-de` is a further value of `cn` and comes after the plain one.
  for (const { key, text } of attributes.toSorted((one, other) => one.rank - other.rank)) {
    const before = entry[key];
    if (before === undefined) entry[key] = text;
    else if (Array.isArray(before)) before.push(text);
    else entry[key] = [before, text];
  }
  const { dn = '', changetype: _, version: _version, ...values } = entry;
  return { dn, ...values };
}

/** Reports whether a second entry begins: directories write all values of an attribute together, but a user's field comes twice. */
function beginsTwice(attributes: readonly Attribute[], named: ReadonlySet<string>) {
  const seen = new Set<string>();
  const own = attributes.filter(
    ({ key, rank }) => rank === 0 && !/^objectclass$/i.test(key) && named.has(key),
  );
  return own.some(({ key }, at) => {
    const comesBack = seen.has(key) && own[at - 1]?.key !== key;
    seen.add(key);
    return comesBack;
  });
}

interface Attribute {
  readonly key: string;
  readonly text: string;
  /** 1 if the name has an option, otherwise 0. */
  readonly rank: number;
}

/** Returns the attribute, what is wrong with the line, or undefined for a line that does not matter. */
function attributeOf(line: string, { named, match }: Names): Attribute | string | undefined {
  const [, name, option, separator, value = ''] = /^([\w.-]+)(?:(;[^:]*)| *):(:|<)? *(.*)$/s.exec(line) ?? [];
  if (name === undefined || name === '__proto__') return 'one of its lines is not an attribute with a value';
  const key = match(name);
  if (separator === '<') return named.has(key) ? `the value of ${key} is in another file` : undefined;
  if (/[\0\r]/.test(value)) return `the value of ${key} holds a NUL or a carriage return`;
  if (/\Sdn::? *[\w.-]+=/i.test(value)) return `the next entry begins in the line of ${key}`;
  if (separator === ':' && !isBase64(value.trimEnd())) return `the base64 of ${key} is broken`;
  const text = separator === ':' && !binary.test(key) ? decode(key, value) : value;
  return { key, text, rank: option === undefined ? 0 : 1 };
}

/** A pattern of groups of four would exhaust the stack at a large photo. */
const isBase64 = (text: string) => text.length % 4 === 0 && /^[A-Za-z\d+/]*={0,2}$/.test(text);

/** Attributes with bytes that may look like text. They stay base64. */
const binary = /^(?:objectGUID|objectSid|ipatokenOTPkey)$/i;

/** Bytes that are not text stay base64. As a password they would be wrong, so the password reader refuses them. */
function decode(key: string, value: string) {
  const bytes = Buffer.from(value, 'base64');
  return isUtf8(bytes) || /^userpassword$/i.test(key) ? bytes.toString('utf8') : value;
}
