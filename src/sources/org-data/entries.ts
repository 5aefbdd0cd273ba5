/** Reads the entries of one list from a file of organizations, over all organizations, in order. */
import type { Input } from '../../lib/input.ts';
import { scanJson } from '../../json/scan.ts';
import { kindOf } from '../../wire/org-entries.ts';
import { nameOf, orgEnd, pathsOf } from './layout.ts';

export interface RawEntry {
  /** Which organization of the file, from 0. */
  readonly org: number;
  /** JSON as it stands in the file; for a group an object of its members. */
  readonly text: string;
  readonly offset: number;
}

/** `list` is a name of `wire/org-entries.ts`. The input must be repeatable when more than one list is read. */
export async function* readEntries(input: Input, list: string): AsyncGenerator<RawEntry> {
  const { members } = kindOf(list);
  yield* members === undefined ? readList(input, list) : readGroup(input, members);
}

async function* readList(input: Input, list: string): AsyncGenerator<RawEntry> {
  // One element a batch: each is sent as the text that it is.
  const options = { arrays: pathsOf([list, orgEnd]), batchBytes: 1 };
  let org = 0;
  for await (const item of scanJson(input.name, input.blocks(), options)) {
    if (item.kind === 'batch') {
      yield { org, text: Buffer.from(item.bytes).toString('utf8'), offset: item.offset };
    } else if (item.kind === 'absent' && nameOf(item.path) === orgEnd && item.found === 'missing') {
      org += 1;
    }
  }
}

/** The entries of several lists in one reading, as they stand. Groups are no lists. */
export async function* readLists(
  input: Input,
  lists: readonly string[],
): AsyncGenerator<{ readonly list: string; readonly text: string }> {
  let list = '';
  for await (const item of scanJson(input.name, input.blocks(), { arrays: pathsOf(lists), batchBytes: 1 })) {
    if (item.kind === 'open') list = nameOf(item.path);
    if (item.kind === 'batch') yield { list, text: Buffer.from(item.bytes).toString('utf8') };
  }
}

async function* readGroup(input: Input, members: readonly string[]): AsyncGenerator<RawEntry> {
  const options = { arrays: pathsOf([orgEnd]), values: pathsOf(members) };
  let org = 0;
  let parts: string[] = [];
  let start = 0;
  for await (const item of scanJson(input.name, input.blocks(), options)) {
    if (item.kind === 'value') {
      const text = Buffer.from(item.bytes).toString('utf8');
      if (parts.length === 0) start = item.offset;
      if (text !== 'null') parts.push(`${JSON.stringify(nameOf(item.path))}:${text}`);
    } else if (item.kind === 'absent' && item.found === 'missing') {
      if (parts.length > 0) yield { org, text: `{${parts.join(',')}}`, offset: start };
      parts = [];
      org += 1;
    }
  }
}
