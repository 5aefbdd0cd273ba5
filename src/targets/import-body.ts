/** Writes encoded elements as the import body: `{"dataOrgs":{"orgs":[{...}]},"timeout":"30m0s"}`. */
import type { Sink } from '../lib/sink.ts';

export interface ImportBodyOptions {
  readonly orgId: string;
  /** Go's normal form, as `formatDuration` gives it. */
  readonly timeout: string;
  /** Indent by two spaces. */
  readonly multiline: boolean;
}

/** The lists of an organization that a conversion fills, in the order in which they stand in the body. */
const sections = ['humanUsers', 'machineUsers', 'userMetadata'] as const;
export type Section = (typeof sections)[number];

/** Where the elements of later lists wait until the first list is complete. */
export interface Waiting {
  write(chunk: string | Uint8Array): void;
  read(): Iterable<Uint8Array>;
}

export interface ImportBodyWriter {
  /** Elements with a comma before each. A promise means: wait before the next call. */
  write(section: Section, elements: Uint8Array | string): void | Promise<void>;
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
  const head = `${layout.head(JSON.stringify(options.orgId))}${layout.openList('humanUsers')}`;
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
      await sink.write(layout.tail(JSON.stringify(options.timeout)));
    },
  };
}

async function writeBoth(
  sink: Pick<Sink, 'write'>,
  head: string,
  elements: string | Uint8Array,
): Promise<void> {
  await sink.write(head);
  await sink.write(elements);
}

interface Layout {
  head(orgId: string): string;
  openList(section: Section): string;
  /** The elements as they stand in a list; without the leading comma where they are the first. */
  elements(elements: Uint8Array | string, first: boolean): Uint8Array | string;
  closeList(empty: boolean): string;
  tail(timeout: string): string;
}

const compact: Layout = {
  head: (orgId) => `{"dataOrgs":{"orgs":[{"orgId":${orgId}`,
  openList: (section) => `,"${section}":[`,
  elements: (elements, first) => {
    if (!first) return elements;
    return typeof elements === 'string' ? elements.slice(1) : elements.subarray(1);
  },
  closeList: () => ']',
  tail: (timeout) => `}]},"timeout":${timeout}}\n`,
};

const elementIndent = ' '.repeat(10);

/** As `JSON.stringify(body, null, 2)` would lay it out. */
const indented: Layout = {
  head: (orgId) => `{\n  "dataOrgs": {\n    "orgs": [\n      {\n        "orgId": ${orgId}`,
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
  tail: (timeout) => `\n      }\n    ]\n  },\n  "timeout": ${timeout}\n}\n`,
};
