/** The text of report files, `.json` for programs and `.md` to read. Each verb defines the contents. */
import { extname } from 'node:path';
import { UsageError } from '../../errors.ts';
import { markdownTable } from '../../lib/markdown.ts';
import { formatBytes, formatCount, formatSeconds } from '../../lib/quantity.ts';
import type { HashedFile, RunFacts } from '../../wire/run-facts.ts';

/** Makes the text of a report piece by piece: `head`, then `item` any number of times, then `tail`. */
export interface ReportWriter<Head, Item, Tail> {
  head(head: Head): string;
  item(item: Item): string;
  /** `facts` are those of the run as a whole. */
  tail(tail: Tail, facts?: RunFacts): string;
}

/** The first line of a Markdown report, which viewers do not show; a page names its generator. */
const markdownMark = '<!-- report of idport -->';
export const pageGenerator = 'idport';

/** How files begin that are surely ours: a later run may replace them. */
export const reportBeginning = new RegExp(
  `^\\{"format":"idport-(?:\\w+-)?report"|^${markdownMark}|<meta name="generator" content="${pageGenerator}" />`,
);

/** What the report of a verb says in each form. */
export interface ReportContents<Head, Item, Tail> {
  readonly json: JsonContents<Head, Item, Tail>;
  readonly page: PageContents<Head, Item, Tail>;
}

/** Keys of one object; the items are the array `list` between those of the head and those of the tail. */
interface JsonContents<Head, Item, Tail> {
  head(head: Head): object;
  readonly list: string;
  item(item: Item): object;
  tail(tail: Tail): object;
}

interface PageContents<Head, Item, Tail> {
  /** Lines before the sections. */
  front(head: Head, tail: Tail, sections: ReadonlyMap<string, number>): readonly string[];
  /** The sections that name the item, and its row in each. */
  rows(item: Item): readonly PageRow[];
  /** Those of which there are rows, in the order of the page. `counts` is the number of rows by section. */
  sections(counts: ReadonlyMap<string, number>): readonly PageSection[];
  /** Lines behind the sections. */
  back(tail: Tail): readonly string[];
}

interface PageRow {
  readonly section: string;
  readonly cells: readonly string[];
}

interface PageSection {
  readonly section: string;
  readonly heading: string;
  readonly columns: readonly string[];
  readonly intro: string;
}

/** The ending of the path chooses the form; throws `UsageError` for any other, so call it before the run begins. */
export function createReport<Head, Item, Tail>(
  path: string,
  contents: ReportContents<Head, Item, Tail>,
): ReportWriter<Head, Item, Tail> {
  const ending = extname(path).toLowerCase();
  // A page is made of the report as JSON, when that is complete.
  if (ending === '.json' || ending === '.html') return createJson(contents.json);
  if (ending === '.md') return createPage(contents.page);
  throw new UsageError(`--report ${path}: the name must end in .json, .md or .html`, {
    hint: 'The ending chooses the form: .json for programs, .md to read, .html for a page to look at.',
  });
}

/** One line an item, in constant memory. */
function createJson<Head, Item, Tail>(
  contents: JsonContents<Head, Item, Tail>,
): ReportWriter<Head, Item, Tail> {
  let separator = '\n';
  return {
    head: (head) => `${JSON.stringify(contents.head(head)).slice(0, -1)},"${contents.list}":[`,
    item(item) {
      const text = separator + JSON.stringify(contents.item(item));
      separator = ',\n';
      return text;
    },
    tail(tail, run) {
      const end = { run, ...contents.tail(tail) };
      return `\n],${JSON.stringify(end).slice(1)}\n`;
    },
  };
}

/** Rows of one section. A longer page would not be read, and memory stays flat. */
const shownRows = 100;

/** All of it is written at the end, because the counts are known only then and come first. */
function createPage<Head, Item, Tail>(
  contents: PageContents<Head, Item, Tail>,
): ReportWriter<Head, Item, Tail> {
  const counts = new Map<string, number>();
  const shown = new Map<string, (readonly string[])[]>();
  let started: Head | undefined;
  const formatSection = ({ section, heading, columns, intro }: PageSection): string[] => {
    const rows = shown.get(section) ?? [];
    const hidden = (counts.get(section) ?? 0) - rows.length;
    const more = `And ${formatCount(hidden)} more; a report whose name ends in .json names them all.`;
    return [...markdownTable(heading, columns, rows, [intro, '']), ...(hidden > 0 ? [more, ''] : [])];
  };
  return {
    head(head) {
      started = head;
      return '';
    },
    item(item) {
      for (const { section, cells } of contents.rows(item)) {
        const rows = shown.get(section) ?? [];
        if (rows.length < shownRows) rows.push(cells);
        shown.set(section, rows);
        counts.set(section, (counts.get(section) ?? 0) + 1);
      }
      return '';
    },
    tail(tail, run) {
      const lines = [
        markdownMark,
        ...(started === undefined ? [] : contents.front(started, tail, counts)),
        ...(run === undefined ? [] : formatFacts(run)),
        ...contents.sections(counts).flatMap(formatSection),
        ...contents.back(tail),
      ];
      return `${lines.join('\n')}\n`;
    },
  };
}

function formatFacts(run: RunFacts): string[] {
  return markdownTable('The run', ['', ''], listFacts(run));
}

/** Names and values, for tables. */
export function listFacts(run: RunFacts): (readonly [name: string, value: string | number])[] {
  const { version, node, platform, command, profile, target, organizations, journal } = run;
  const facts: readonly (readonly [string, string | number | undefined])[] = [
    ['command', command],
    ['idport', version],
    ['Node', `${node}, ${platform}`],
    ['target profile', profile],
    ['service', target],
    ['organization', organizations?.join(', ')],
    ['journal', journal],
    ...run.inputs.map((file): [string, string] => ['input', describeFile(file)]),
    ...run.outputs.map((file): [string, string] => ['output', describeFile(file)]),
    ['requests', run.requests],
    ['requests sent again', run.retries],
    ['responses with status 429', run.tooManyRequests],
    ...run.waits.map(({ reason, times, seconds }): [string, string] => [
      `waited: ${reason}`,
      `${formatCount(times)} times, ${formatSeconds(seconds)}`,
    ]),
  ];
  return facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}

/** `realm.json, 1.2 MB, SHA-256 4f…` */
export function describeFile({ name, bytes, sha256 }: HashedFile): string {
  return [
    name,
    ...(bytes === undefined ? [] : [formatBytes(bytes)]),
    ...(sha256 === undefined ? [] : [`SHA-256 ${sha256}`]),
  ].join(', ');
}
