/** Writes encoded elements as the import body: `{"dataOrgs":{"orgs":[{...}]},"timeout":"30m0s"}`. */
import type { Sink } from '../lib/sink.ts';
import { orgById, type TargetOrg } from '../records/resource.ts';

export interface ImportBodyOptions {
  /** Organization of all users, or the fallback if there are several organizations. */
  readonly orgId: string;
  /** Go's normal form, as `formatDuration` returns it. */
  readonly timeout: string;
  /** Whether to indent by two spaces. */
  readonly multiline: boolean;
}

/** Lists of an organization that a conversion fills, in their order in the body. */
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

/** Holds elements until those before them are complete. */
export interface Waiting {
  write(group: number, bytes: Uint8Array): void;
  has(group: number): boolean;
  read(group: number): Iterable<Uint8Array>;
  close(): void;
}

export type ImportBodyWriter = Omit<ReturnType<typeof createImportBody>, 'orgs'>;

/** Returns a function that writes single entries of an organization. */
export const entryWriter =
  (writer: ImportBodyWriter, orgId: string) => async (section: Section, entry: object) =>
    writer.write(section, `,${JSON.stringify(entry)}`, orgById(orgId));

/**
 * With `orgs`, writes one element per organization: these first, then others in the order of their first users, however the users
 * are mixed in the source. Without `orgs`, everything belongs to one organization, and its users are written at once.
 * `humanUsers` is always present, other lists only if they have elements.
 */
export function createImportBody(
  sink: Pick<Sink, 'write'>,
  options: ImportBodyOptions & { readonly orgs?: readonly TargetOrg[] | undefined },
  openWaiting: () => Waiting,
) {
  const layout = createLayout(options.multiline);
  const only = orgById(options.orgId);
  const streams = options.orgs === undefined;
  const waiting = new Map<Section, Waiting>();
  /** Index of each organization, by id. */
  const orgs = new Map<string, { readonly org: TargetOrg; readonly group: number }>();
  /** Whether users of the only organization have been written. */
  let streamed = false;
  const groupOf = (org: TargetOrg) => {
    const known = orgs.get(org.orgId) ?? { org, group: orgs.size };
    orgs.set(org.orgId, known);
    return known.group;
  };
  for (const org of options.orgs ?? [only]) groupOf(org);

  function open(group: number, { orgId, name, domains }: TargetOrg) {
    const members = {
      orgId,
      ...(name !== '' && { org: { name } }),
      ...(domains.length !== 0 && { domains: domains.map((domainName) => ({ domainName })) }),
    };
    return `${group === 0 ? layout.head : layout.betweenOrgs}${layout.openOrg(members)}`;
  }

  async function writeList(section: Section, group: number) {
    const list = waiting.get(section);
    const isOpen = streamed && section === 'humanUsers';
    const isEmpty = !isOpen && list?.has(group) !== true;
    if (isEmpty && section !== 'humanUsers') return;
    if (!isOpen) await sink.write(layout.openList(section));
    let first = true;
    for (const bytes of list === undefined || isEmpty ? [] : list.read(group)) {
      // The first byte is a comma.
      await sink.write(first ? bytes.subarray(1) : bytes);
      first = false;
    }
    await sink.write(layout.closeList(isEmpty));
  }

  return {
    /** Returns the organizations that the body has so far. */
    orgs: () => Array.from(orgs.values(), ({ org }) => org),
    /** Writes elements with a comma before each. If it returns a promise, await it before the next call. */
    write(section: Section, elements: Uint8Array | string, org?: TargetOrg) {
      if (elements.length === 0 || (org === undefined && !streams)) return undefined;
      const bytes = layout.elements(elements);
      if (!streams || section !== 'humanUsers') {
        if (!waiting.has(section)) waiting.set(section, openWaiting());
        waiting.get(section)!.write(streams ? 0 : groupOf(org!), bytes);
        return undefined;
      }
      if (streamed) return sink.write(bytes);
      streamed = true;
      return writeBoth(sink, `${open(0, only)}${layout.openList(section)}`, bytes.subarray(1));
    },
    /** Ends the body, but does not commit the sink. */
    async close() {
      if (orgs.size === 0) groupOf(only);
      for (const { org, group } of orgs.values()) {
        if (!streamed) await sink.write(open(group, org));
        for (const section of sections) await writeList(section, group);
        await sink.write(layout.closeOrg);
      }
      await sink.write(layout.tail(JSON.stringify(options.timeout)));
      for (const list of waiting.values()) list.close();
    },
  };
}

async function writeBoth(sink: Pick<Sink, 'write'>, head: string, elements: Uint8Array) {
  await sink.write(head);
  await sink.write(elements);
}

/** Formats like `JSON.stringify(body, null, 2)`, or without white space. */
function createLayout(multiline: boolean) {
  const line = (depth: number) => (multiline ? `\n${'  '.repeat(depth)}` : '');
  const colon = multiline ? ': ' : ':';
  const nested = (value: unknown, depth: number) =>
    multiline ? JSON.stringify(value, null, 2).replaceAll('\n', line(depth)) : JSON.stringify(value);
  return {
    head: `{${line(1)}"dataOrgs"${colon}{${line(2)}"orgs"${colon}[`,
    /** Opens an organization with its members that are not lists of users. */
    openOrg(members: Readonly<Record<string, unknown>>) {
      return `${line(3)}${nested(members, 3).slice(0, -1 - line(3).length)}`;
    },
    openList: (section: string) => `,${line(4)}"${section}"${colon}[`,
    /** Returns the elements of a list with a comma before each. */
    elements(elements: Uint8Array | string) {
      if (!multiline) return typeof elements === 'string' ? Buffer.from(elements) : elements;
      const text = Buffer.from(elements).toString('utf8');
      const list = JSON.parse(`[${text.slice(1)}]`) as unknown[];
      return Buffer.from(list.map((element) => `,${line(5)}${nested(element, 5)}`).join(''));
    },
    closeList: (empty: boolean) => (empty ? ']' : `${line(4)}]`),
    closeOrg: `${line(3)}}`,
    betweenOrgs: ',',
    tail: (timeout: string) => `${line(2)}]${line(1)}},${line(1)}"timeout"${colon}${timeout}${line(0)}}\n`,
  };
}
