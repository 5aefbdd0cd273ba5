/**
 * Groups entries, in order, into requests within the service's size limit; splits refused requests; writes entries as
 * text.
 */
import { bodySize, orgSize } from '../../wire/import-size.ts';
import { kindOf } from '../../wire/org-entries.ts';
import type { Entry } from './entry.ts';

export interface ChunkLimits {
  /** Of the request as protobuf. */
  readonly bytes: number;
  /** Of the request as JSON, where a proxy limits that. */
  readonly jsonBytes: number;
  readonly entries: number;
}

export interface BodyOptions {
  /** Go duration: the service's own time limit. */
  readonly timeout: string;
  readonly firstForm: boolean;
  /** The data of the first form is sent as a string of JSON. */
  readonly asText?: boolean;
}

/** Fills one request after the other. */
export class ChunkBuilder<Item extends Entry> {
  readonly #options: BodyOptions;
  #entries: Item[] = [];
  readonly #orgs = new Map<string, number>();
  #bytes = 0;
  #jsonBytes = 0;
  #grantsProjects = false;

  constructor(options: BodyOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.length;
  }

  /** Whether the entry still fits; the first one always does. */
  fits(entry: Entry, limits: ChunkLimits): boolean {
    const [first] = this.#entries;
    if (first === undefined) return true;
    if (first.asOrg !== entry.asOrg) return false;
    if (this.#entries.length >= limits.entries) return false;
    // The service processes grants by organization, so project grants must exist before the request.
    if (entry.list === 'userGrants' && this.#grantsProjects) return false;
    const orgBytes = this.#orgs.has(entry.orgId) ? 0 : orgOverhead(entry.orgId);
    return (
      this.#bytes + entry.size + orgBytes + this.#overhead() <= limits.bytes &&
      this.#jsonBytes + this.#jsonSize(entry) <= limits.jsonBytes
    );
  }

  add(entry: Item): void {
    this.#entries.push(entry);
    if (entry.list === 'projectGrants') this.#grantsProjects = true;
    if (!this.#orgs.has(entry.orgId)) this.#bytes += orgOverhead(entry.orgId);
    this.#orgs.set(entry.orgId, entry.size);
    this.#bytes += entry.size;
    this.#jsonBytes += this.#jsonSize(entry);
  }

  /** Returns the request and starts the next one. */
  take(): readonly Item[] {
    const entries = this.#entries;
    this.#entries = [];
    this.#orgs.clear();
    this.#bytes = 0;
    this.#jsonBytes = 0;
    this.#grantsProjects = false;
    return entries;
  }

  #jsonSize(entry: Entry): number {
    const overhead = jsonOverhead(entry);
    // It may be sent as a string: then each quote and backslash takes a byte more, also those of the member names.
    if (this.#options.firstForm) return Buffer.byteLength(JSON.stringify(entry.text)) + 2 * overhead;
    return Buffer.byteLength(entry.text) + overhead;
  }

  #overhead(): number {
    return bodySize([0], this.#options.timeout) + lengthBytes;
  }
}

/** A length takes at most five bytes. */
const lengthBytes = 5;

function orgOverhead(orgId: string): number {
  return orgSize({ orgId }) + 1 + lengthBytes;
}

/** At most: a comma, and where a list starts, its name and the organization around it. */
function jsonOverhead({ orgId, list }: Entry): number {
  return orgId.length * 6 + list.length + 40;
}

/** The request itself. Entries of one organization and list are together. */
export function toBody(
  entries: readonly Entry[],
  { timeout, firstForm, asText = false }: BodyOptions,
): string {
  const orgs = new Map<string, OrgParts>();
  for (const entry of entries) {
    const org = orgs.get(entry.orgId) ?? { members: [], lists: new Map<string, string[]>() };
    orgs.set(entry.orgId, org);
    if (kindOf(entry.list).members === undefined) {
      const list = org.lists.get(entry.list);
      if (list === undefined) org.lists.set(entry.list, [entry.text]);
      else list.push(entry.text);
    } else {
      org.members.push(entry.text.slice(1, -1));
    }
  }
  const texts = Array.from(orgs, ([orgId, org]) => orgText(orgId, org));
  const form = firstForm ? 'data_orgsv1' : 'dataOrgs';
  const data = `{"orgs":[${texts.join(',')}]}`;
  return `{"${form}":${asText ? JSON.stringify(data) : data},"timeout":${JSON.stringify(timeout)}}`;
}

interface OrgParts {
  readonly members: string[];
  readonly lists: Map<string, string[]>;
}

function orgText(orgId: string, { members, lists }: OrgParts): string {
  const parts = [
    `"orgId":${JSON.stringify(orgId)}`,
    ...members.filter((text) => text.trim() !== ''),
    ...Array.from(lists, ([name, texts]) => `"${name}":[${texts.join(',')}]`),
  ];
  return `{${parts.join(',')}}`;
}

export function halve<Item>(entries: readonly Item[]): Item[][] {
  const middle = Math.ceil(entries.length / 2);
  return [entries.slice(0, middle), entries.slice(middle)].filter((half) => half.length > 0);
}

/**
 * The service names the place of the first error (`Orgs[0]`, `HumanUsers[3]`): the request is split into the entries
 * before it, that entry alone, and those after it. Where it names none, into two halves, until the entry is alone.
 */
export function cutOut<Item extends Entry>(entries: readonly Item[], text: string): Item[][] {
  const suspect = findSuspect(entries, text);
  if (suspect === -1) return halve(entries);
  return [entries.slice(0, suspect), entries.slice(suspect, suspect + 1), entries.slice(suspect + 1)].filter(
    (part) => part.length > 0,
  );
}

/** The index in `entries`, or -1. Organizations are in the request in the order of their first entries. */
function findSuspect(entries: readonly Entry[], text: string): number {
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
 * Consecutive entries of one organization and list are written together; another list or organization starts another
 * element of the list of organizations. The service processes these elements one by one.
 */
export class OrgRuns {
  /** The open list. */
  #open: string | undefined;
  #started = false;

  /** The text to write next. */
  add({ list, orgId, text }: Pick<Entry, 'list' | 'orgId' | 'text'>): string {
    const org = `{"orgId":${JSON.stringify(orgId)},`;
    if (kindOf(list).members !== undefined) return `${this.#next(undefined)}${org}${text.slice(1)}`;
    const place = `${list}\n${orgId}`;
    if (this.#open === place) return `,\n${text}`;
    return `${this.#next(place)}${org}"${list}":[\n${text}`;
  }

  end(): string {
    const text = this.#open === undefined ? '' : ']}';
    this.#open = undefined;
    return text;
  }

  #next(place: string | undefined): string {
    const before = this.#started ? `${this.end()},\n` : '';
    this.#started = true;
    this.#open = place;
    return before;
  }
}
