/**
 * Groups entries, in order, into requests within the service's size limit, splits refused requests, and writes entries as text.
 */
import { importRequestSize, orgSize } from '../../wire/import-size.ts';
import { kindOf } from '../../wire/org-entries.ts';
import { groupBy } from '../../lib/group-by.ts';
import type { Entry } from './entry.ts';

export interface ChunkLimits {
  /** Size of the request in bytes of protobuf. */
  readonly bytes: number;
  /** Size of the request in bytes of JSON, for a proxy that limits it. */
  readonly jsonBytes: number;
  readonly entries: number;
}

export interface BodyOptions {
  /** The service's own time limit as a Go duration. */
  readonly timeout: string;
  readonly firstForm: boolean;
  /** Whether the data of the first form is sent as a JSON string. */
  readonly asText?: boolean;
}

/** Fills one request after another. */
export function createChunks<Item extends Entry>({ timeout, firstForm }: BodyOptions) {
  const empty = () => ({
    entries: [] as Item[],
    orgs: new Set<string>(),
    bytes: importRequestSize({ timeout }) + tagAndLength,
    jsonBytes: 0,
  });
  let chunk = empty();
  const sizeOf = ({ orgId, size }: Entry) =>
    size + (chunk.orgs.has(orgId) ? 0 : orgSize({ orgId }) + tagAndLength);
  const jsonSizeOf = (entry: Entry) => {
    const overhead = jsonOverhead(entry);
    // The data may be sent as a string. Then each quote and backslash takes one more byte, including those of member names.
    if (firstForm) return Buffer.byteLength(JSON.stringify(entry.text)) + 2 * overhead;
    return Buffer.byteLength(entry.text) + overhead;
  };
  return {
    get size() {
      return chunk.entries.length;
    },
    /** Reports whether the entry still fits. The first entry always does. */
    fits(entry: Entry, limits: ChunkLimits) {
      const { entries, bytes, jsonBytes } = chunk;
      const [first] = entries;
      if (first === undefined) return true;
      if (first.asOrg !== entry.asOrg || entries.length >= limits.entries) return false;
      // The service processes grants by organization, so project grants must exist before the request.
      if (entry.list === 'userGrants' && entries.at(-1)!.list === 'projectGrants') return false;
      return bytes + sizeOf(entry) <= limits.bytes && jsonBytes + jsonSizeOf(entry) <= limits.jsonBytes;
    },
    add(entry: Item) {
      chunk.bytes += sizeOf(entry);
      chunk.jsonBytes += jsonSizeOf(entry);
      chunk.orgs.add(entry.orgId);
      chunk.entries.push(entry);
    },
    /** Returns the request and starts the next one. */
    take() {
      const { entries } = chunk;
      chunk = empty();
      return entries;
    },
  };
}

/** Size of a tag and a length. A length takes at most five bytes. */
const tagAndLength = 6;

/** Returns the largest possible overhead: a comma, and at the start of a list its name and the organization around it. */
function jsonOverhead({ orgId, list }: Entry) {
  return orgId.length * 6 + list.length + 40;
}

/** Returns the body of the request. Entries of one organization and list are together. */
export function toBody(entries: readonly Entry[], { timeout, firstForm, asText = false }: BodyOptions) {
  const orgs = groupBy(entries, ({ orgId }) => orgId);
  const texts = Array.from(orgs, ([orgId, own]) => orgText(orgId, own));
  const form = firstForm ? 'data_orgsv1' : 'dataOrgs';
  const data = `{"orgs":[${texts.join(',')}]}`;
  return `{"${form}":${asText ? JSON.stringify(data) : data},"timeout":${JSON.stringify(timeout)}}`;
}

function orgText(orgId: string, entries: readonly Entry[]) {
  const lists = Array.from(
    groupBy(entries, ({ list }) => list),
    ([list, own]) => {
      const texts = own.map(({ text }) => text);
      if (kindOf(list).members === undefined) return `"${list}":[${texts.join(',')}]`;
      // A group of members may be empty.
      return texts.flatMap((text) => text.slice(1, -1).trim() || []);
    },
  );
  return `{${[`"orgId":${JSON.stringify(orgId)}`, ...lists.flat()].join(',')}}`;
}

export function halve<Item>(entries: readonly Item[]) {
  const middle = Math.ceil(entries.length / 2);
  return [entries.slice(0, middle), entries.slice(middle)].filter((half) => half.length > 0);
}

/**
 * Splits a refused request. The service names the place of the first error (`Orgs[0]`, `HumanUsers[3]`): the parts are the
 * entries before it, that entry alone, and the entries after it. If it names no place, the parts are two halves, until the entry
 * is alone.
 */
export function cutOut<Item extends Entry>(entries: readonly Item[], text: string) {
  const suspect = findSuspect(entries, text);
  if (suspect === -1) return halve(entries);
  return [entries.slice(0, suspect), entries.slice(suspect, suspect + 1), entries.slice(suspect + 1)].filter(
    (part) => part.length > 0,
  );
}

/** Returns the index in `entries`, or -1. The request has organizations in the order of their first entries. */
function findSuspect(entries: readonly Entry[], text: string) {
  const org = /\.Orgs\[(\d+)\]/.exec(text)?.[1];
  const item = /\bDataOrg\.([A-Z]\w*)\[(\d+)\]/.exec(text);
  if (org === undefined || item === null) return -1;
  const orgIds = [...new Set(entries.map(({ orgId }) => orgId))];
  const orgId = orgIds[Number(org)];
  const list = item[1]!.charAt(0).toLowerCase() + item[1]!.slice(1);
  let left = Number(item[2]);
  return entries.findIndex((entry) => entry.orgId === orgId && entry.list === list && left-- === 0);
}

/**
 * Yields the elements of the list of organizations, in pieces. Consecutive entries of one organization and list are in one
 * element. The service processes the elements one by one.
 */
export async function* orgElements(entries: AsyncIterable<Entry>) {
  let open: string | undefined;
  let between = '';
  for await (const { list, orgId, text } of entries) {
    const org = `{"orgId":${JSON.stringify(orgId)},`;
    const isMembers = kindOf(list).members !== undefined;
    const place = isMembers ? undefined : `${list}\n${orgId}`;
    if (place !== undefined && place === open) yield `,\n${text}`;
    else yield `${between}${org}${isMembers ? text.slice(1) : `"${list}":[\n${text}`}`;
    between = isMembers ? ',\n' : ']},\n';
    open = place;
  }
  if (open !== undefined) yield ']}';
}
