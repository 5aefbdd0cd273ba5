/** Writes encoded elements as the import body: `{"dataOrgs":{"orgs":[{...}]},"timeout":"30m0s"}`. */
import type { Sink } from '../lib/sink.ts';
import type { TargetOrg } from '../records/organization.ts';

export interface ImportBodyOptions {
  /** The organization of all users, or the fallback where they go to several. */
  readonly orgId: string;
  /** Go's normal form, as `formatDuration` gives it. */
  readonly timeout: string;
  /** Indent by two spaces. */
  readonly multiline: boolean;
}

/** The lists of an organization that a conversion fills, in the order in which they stand in the body. */
const sections = [
  'humanUsers',
  'machineUsers',
  'userMetadata',
  'projects',
  'projectRoles',
  'oidcApps',
  'apiApps',
  'projectGrants',
  'userGrants',
] as const;
export type Section = (typeof sections)[number];

/** Where the elements of later lists wait until the first list is complete. */
export interface Waiting {
  write(chunk: string | Uint8Array): void;
  read(): Iterable<Uint8Array>;
}

/** Where elements wait until those of their organization are complete. */
export interface GroupedWaiting {
  write(group: number, bytes: Uint8Array): void;
  bytesOf(group: number): number;
  read(group: number): Iterable<Uint8Array>;
  close(): void;
}

export interface ImportBodyWriter {
  /** Elements with a comma before each. A promise means: wait before the next call. */
  write(section: Section, elements: Uint8Array | string, org?: TargetOrg): void | Promise<void>;
  /** Ends the body; the sink is not committed. */
  close(): Promise<void>;
}

/** `humanUsers` is written as it comes and always there; the other lists only where they have elements. */
export function createImportBody(
  sink: Pick<Sink, 'write'>,
  options: ImportBodyOptions,
  openWaiting: () => Waiting,
): ImportBodyWriter {
  const layout = options.multiline ? indented : compact;
  const waiting = new Map<Section, Waiting>();
  let anyUsers = false;
  const head = `${layout.head}${layout.openOrg({ orgId: options.orgId })}${layout.openList('humanUsers')}`;
  let started = false;

  function start(): string {
    if (started) return '';
    started = true;
    return head;
  }

  return {
    write(section, elements) {
      if (elements.length === 0) return undefined;
      if (section !== 'humanUsers') {
        let list = waiting.get(section);
        const first = list === undefined;
        list ??= openWaiting();
        waiting.set(section, list);
        list.write(layout.elements(elements, first));
        return undefined;
      }
      const text = layout.elements(elements, !anyUsers);
      anyUsers = true;
      return started ? sink.write(text) : writeBoth(sink, start(), text);
    },
    async close() {
      await sink.write(`${start()}${layout.closeList(!anyUsers)}`);
      for (const section of sections) {
        const list = waiting.get(section);
        if (list === undefined) continue;
        await sink.write(layout.openList(section));
        for (const bytes of list.read()) await sink.write(bytes);
        await sink.write(layout.closeList(false));
      }
      await sink.write(`${layout.closeOrg}${layout.tail(JSON.stringify(options.timeout))}`);
    },
  };
}

/** One entry an organization, in the order in which they first come, however the users are mixed in the source. */
export function createOrgsBody(
  sink: Pick<Sink, 'write'>,
  options: ImportBodyOptions & { readonly orgs: readonly TargetOrg[] },
  openWaiting: () => GroupedWaiting,
): ImportBodyWriter {
  const layout = options.multiline ? indented : compact;
  const waiting = new Map<Section, GroupedWaiting>();
  const groups = new Map<string, number>();
  const orgs: TargetOrg[] = [];
  const groupOf = (org: TargetOrg): number => {
    const known = groups.get(org.orgId);
    if (known !== undefined) return known;
    groups.set(org.orgId, orgs.length);
    return orgs.push(org) - 1;
  };
  for (const org of options.orgs) groupOf(org);
  async function writeList(section: Section, group: number): Promise<void> {
    const list = waiting.get(section);
    const isEmpty = list === undefined || list.bytesOf(group) === 0;
    if (isEmpty && section !== 'humanUsers') return;
    await sink.write(layout.openList(section));
    let first = true;
    for (const bytes of isEmpty ? [] : list.read(group)) {
      // The first of all bytes is a comma.
      await sink.write(first ? bytes.subarray(1) : bytes);
      first = false;
    }
    await sink.write(layout.closeList(isEmpty));
  }

  // The comma of the first element is left out when it is read.
  const indent = (elements: Uint8Array | string, isFirst: boolean): Uint8Array =>
    Buffer.concat([Buffer.from(isFirst ? ',' : ''), toBytes(layout.elements(elements, isFirst))]);

  return {
    write(section, elements, org) {
      if (elements.length === 0 || org === undefined) return undefined;
      const group = groupOf(org);
      const isFirst = (waiting.get(section)?.bytesOf(group) ?? 0) === 0;
      if (!waiting.has(section)) waiting.set(section, openWaiting());
      waiting.get(section)!.write(group, options.multiline ? indent(elements, isFirst) : toBytes(elements));
      return undefined;
    },
    async close() {
      await sink.write(layout.head);
      const all = orgs.length === 0 ? [{ orgId: options.orgId, name: '', domains: [] }] : orgs;
      for (const [group, { orgId, name, domains }] of all.entries()) {
        const members = {
          orgId,
          ...(name === '' ? {} : { org: { name } }),
          ...(domains.length === 0 ? {} : { domains: domains.map((domainName) => ({ domainName })) }),
        };
        await sink.write(`${group === 0 ? '' : layout.betweenOrgs}${layout.openOrg(members)}`);
        for (const section of sections) await writeList(section, group);
        await sink.write(layout.closeOrg);
      }
      await sink.write(layout.tail(JSON.stringify(options.timeout)));
      for (const list of waiting.values()) list.close();
    },
  };
}

const toBytes = (elements: Uint8Array | string): Uint8Array =>
  typeof elements === 'string' ? Buffer.from(elements) : elements;

async function writeBoth(
  sink: Pick<Sink, 'write'>,
  head: string,
  elements: string | Uint8Array,
): Promise<void> {
  await sink.write(head);
  await sink.write(elements);
}

interface Layout {
  readonly head: string;
  /** With the members that are no lists of users. */
  openOrg(members: Readonly<Record<string, unknown>>): string;
  openList(section: Section): string;
  /** The elements as they stand in a list; without the leading comma where they are the first. */
  elements(elements: Uint8Array | string, first: boolean): Uint8Array | string;
  closeList(empty: boolean): string;
  readonly closeOrg: string;
  readonly betweenOrgs: string;
  tail(timeout: string): string;
}

const compact: Layout = {
  head: '{"dataOrgs":{"orgs":[',
  openOrg: (members) => JSON.stringify(members).slice(0, -1),
  openList: (section) => `,"${section}":[`,
  elements: (elements, first) => {
    if (!first) return elements;
    return typeof elements === 'string' ? elements.slice(1) : elements.subarray(1);
  },
  closeList: () => ']',
  closeOrg: '}',
  betweenOrgs: ',',
  tail: (timeout) => `]},"timeout":${timeout}}\n`,
};

const orgIndent = ' '.repeat(6);
const elementIndent = ' '.repeat(10);

/** As `JSON.stringify(body, null, 2)` would lay it out. */
const indented: Layout = {
  head: '{\n  "dataOrgs": {\n    "orgs": [',
  openOrg: (members) => {
    const text = JSON.stringify(members, null, 2).replaceAll('\n', `\n${orgIndent}`);
    return `\n${orgIndent}${text.slice(0, -orgIndent.length - 2)}`;
  },
  openList: (section) => `,\n        "${section}": [`,
  elements: (elements, first) => {
    const text = typeof elements === 'string' ? elements : Buffer.from(elements).toString('utf8');
    const list = JSON.parse(`[${text.slice(1)}]`) as unknown[];
    const lines = list.map((element) =>
      JSON.stringify(element, null, 2).replaceAll('\n', `\n${elementIndent}`),
    );
    return `${first ? '' : ','}\n${elementIndent}${lines.join(`,\n${elementIndent}`)}`;
  },
  closeList: (empty) => (empty ? ']' : '\n        ]'),
  closeOrg: '\n      }',
  betweenOrgs: ',',
  tail: (timeout) => `\n    ]\n  },\n  "timeout": ${timeout}\n}\n`,
};
