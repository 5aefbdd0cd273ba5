/** Formats report files, `.json` for programs and `.md` to read. Each verb defines the contents. */
import { extname } from 'node:path';
import { markdownTable, markdownText } from '../../lib/markdown.ts';
import { formatBytes, formatCount, formatCounted, formatSeconds } from '../../lib/format.ts';
import { type ReasonCode, reasons } from '../../records/reasons.ts';
import type { Section } from '../../records/sections.ts';
import { explainSignIn, signInKinds } from '../../records/sign-in.ts';
import type { HashedFile, RunFacts } from '../../wire/reports.ts';

/** Formats a report piece by piece: `head`, then `item` any number of times, then `tail`. */
export interface ReportWriter<Head, Item, Tail> {
  head(head: Head): string;
  item(item: Item): string;
  /** `facts` describe the run as a whole. */
  tail(tail: Tail, facts?: RunFacts): string;
}

/** First line of a Markdown report, which viewers do not show. A page names its generator instead. */
const markdownMark = '<!-- report of idport -->';
/** Markdown text for a run that did not reach its end. */
export const shortReport = 'The run ended before its report was complete.';
export const pageGenerator = 'idport';

/** Matches the beginning of files that are surely ours, so that a later run may replace them. */
export const reportBeginning = new RegExp(
  `^\\{"format":"idport-(?:\\w+-)?report"|^${markdownMark}|<meta name="generator" content="${pageGenerator}" />`,
);

/** Contents of a verb's report. `Json` is the wire form of an item. */
export interface ReportContents<Head extends ReportHead, Item, Json, Tail extends ReportTail> {
  readonly format: string;
  item(item: Item): Json;
  /** Returns what follows the items in JSON, after `run`. */
  tail(tail: Tail): object;
  /** Returns the first line in Markdown. */
  title(head: Head): string;
  /** Returns lines that Markdown shows before the counts: what the reader has to know first. */
  notes?(tail: Tail): readonly string[];
  /** Reports whether nothing but users needs attention. */
  isFine?(tail: Tail): boolean;
  sections(tail: Tail, head: Head): readonly Section[];
  /** Returns an item as Markdown and the page list it. */
  user(item: Json): ListedUser;
}

export interface ReportHead {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

export interface ReportTail {
  readonly seconds: number;
  /** Why the run stopped before its end. The report then has the users up to that point. */
  readonly stopped?: string | undefined;
}

export interface ListedUser {
  readonly outcome: string;
  readonly userName: string;
  readonly email: string;
  readonly id: string;
  readonly targetId?: string;
  readonly org: string;
  readonly input: string;
  /** Undefined for a user who is only at the target. */
  readonly index: number | undefined;
  readonly reasons: readonly { readonly code: string; readonly detail: string; readonly remedy: string }[];
}

/** Outcomes of users who arrived, which are listed last. */
export const mildOutcomes = new Set(['written', 'noted', 'extra']);

export function signInReason(kind: string | undefined) {
  const known = signInKinds.filter((one) => one === kind);
  return known.map((one) => ({ code: `sign-in:${one}`, detail: '', remedy: explainSignIn(one) }));
}

/** Chooses the form by the ending of the path: Markdown for `.md`, else JSON, from which a page is made when it is complete. */
export function createReport<Head extends ReportHead, Item, Json, Tail extends ReportTail>(
  path: string,
  contents: ReportContents<Head, Item, Json, Tail>,
): ReportWriter<Head, Item, Tail> {
  return extname(path).toLowerCase() === '.md' ? createMarkdown(contents) : createJson(contents);
}

type AnyContents = ReportContents<ReportHead, unknown, unknown, ReportTail>;
type AnyReport = ReportWriter<ReportHead, unknown, ReportTail>;

/** Formats one line an item, in constant memory. */
function createJson(contents: AnyContents): AnyReport {
  const { format } = contents;
  let separator = '\n';
  return {
    head(head) {
      const start = { format, version: 1, ...head, startedAt: new Date(head.startedAt) };
      return `${JSON.stringify(start).slice(0, -1)},"users":[`;
    },
    item(item) {
      const text = separator + JSON.stringify(contents.item(item));
      separator = ',\n';
      return text;
    },
    tail: (tail, run) => `\n],${JSON.stringify({ run, ...contents.tail(tail) }).slice(1)}\n`,
  };
}

/** Most users listed under one reason. A longer report would not be read, and memory stays constant. */
const shownUsers = 100;

interface UserList {
  readonly isMild: boolean;
  readonly remedy: string;
  count: number;
  readonly rows: string[][];
}

/** Formats everything at the end, because the counts come first and are known only then. */
function createMarkdown(contents: AnyContents): AnyReport {
  const lists = new Map<string, UserList>();
  let started: ReportHead;
  return {
    head(head) {
      started = head;
      return '';
    },
    item(item) {
      addUser(lists, contents.user(contents.item(item)));
      return '';
    },
    tail(tail, run) {
      const lines = [
        markdownMark,
        ...formatStart(contents.title(started), started, tail),
        ...(contents.notes?.(tail) ?? []),
        ...contents.sections(tail, started).flatMap(markdownSection),
        ...(lists.size === 0 && tail.stopped === undefined && (contents.isFine?.(tail) ?? true)
          ? ['Nothing needs attention.', '']
          : []),
        ...(run === undefined ? [] : markdownTable('The run', ['', ''], listFacts(run))),
        ...[...lists].toSorted(byWeight).flatMap(formatList),
      ];
      return `${lines.join('\n')}\n`;
    },
  };
}

function formatStart(title: string, { startedAt, ...head }: ReportHead, tail: ReportTail) {
  const { seconds, stopped } = tail;
  const end = stopped === undefined ? 'done in' : 'stopped after';
  return [
    `# ${markdownText(title)}`,
    '',
    `Started ${new Date(startedAt).toISOString()}, ${end} ${formatSeconds(seconds)}.`,
    '',
    ...(stopped === undefined ? [] : [`**${shortReport}** ${markdownText(stopped)}`, '']),
    ...Object.entries(head).map(([name, value]) => `- ${name}: ${markdownText([value].flat().join(', '))}`),
    '',
  ];
}

/** Formats sections of sentences as lists, those of counts as tables. */
function markdownSection({ title, rows }: Section) {
  const isCounted = rows.some(({ count }) => count !== undefined);
  if (!isCounted) {
    const lines = rows.map(({ text, remarks = [] }) => `- ${markdownText([text, ...remarks].join('. '))}`);
    return lines.length === 0 ? [] : [`## ${markdownText(title)}`, '', ...lines, ''];
  }
  const isCompared = rows.some(({ before }) => before !== undefined);
  const hasRemarks = rows.some(({ remarks = [] }) => remarks.length > 0);
  const counts = isCompared ? ['in the source', 'as written'] : ['count'];
  const columns = ['', ...counts, ...(hasRemarks ? ['what to do'] : [])];
  const cells = rows.map(({ text, before = '', count = '', remarks = [] }) => [
    text,
    ...(isCompared ? [before] : []),
    count,
    ...(hasRemarks ? [remarks.join('; ')] : []),
  ]);
  return markdownTable(markdownText(title), columns, cells);
}

/** Counts a user with several notes of a code once. */
function addUser(lists: Map<string, UserList>, user: ListedUser) {
  const { outcome, input, index, org, id, targetId = '', userName, email, reasons } = user;
  for (const code of new Set(reasons.map((reason) => reason.code))) {
    const those = reasons.filter((reason) => reason.code === code);
    const details = new Set(those.flatMap(({ detail }) => detail || []));
    const isMild = mildOutcomes.has(outcome);
    const list = lists.get(code) ?? { isMild, remedy: those[0]!.remedy, count: 0, rows: [] };
    lists.set(code, list);
    const place = index === undefined ? '' : `#${index + 1}`;
    if (list.count++ >= shownUsers) continue;
    list.rows.push([input, place, org, id, targetId, userName, email, [...details].join('; ')]);
  }
}

type NamedList = readonly [code: string, list: UserList];

/** Sorts reasons of users who did not arrive first, then the most frequent ones. */
const byWeight = ([, a]: NamedList, [, b]: NamedList) =>
  Number(a.isMild) - Number(b.isMild) || b.count - a.count;

const userColumns = [
  'input',
  'record',
  'organization',
  'id',
  'id at the target',
  'user name',
  'email',
  'detail',
];

/** Formats a list without its empty columns. */
function formatList([code, { count, remedy, rows }]: NamedList) {
  const reason = Object.hasOwn(reasons, code) ? reasons[code as ReasonCode] : undefined;
  const intro = [reason?.cause, reason?.consequence, remedy].filter(Boolean).join(' ');
  const filled = userColumns.map((_, at) => rows.some((cells) => cells[at] !== ''));
  const pick = (cells: readonly string[]) => cells.filter((_, at) => filled[at]);
  const heading = `${markdownText(code)}: ${formatCounted(count, 'user')}`;
  const hidden = count - rows.length;
  const more = `And ${formatCount(hidden)} more; a report whose name ends in .json names them all.`;
  return [
    ...markdownTable(heading, pick(userColumns), rows.map(pick), intro === '' ? [] : [intro, '']),
    ...(hidden > 0 ? [more, ''] : []),
  ];
}

/** Returns names and values, for tables. */
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
    ...run.inputs.map((file) => ['input', describeFile(file)] as const),
    ...run.outputs.map((file) => ['output', describeFile(file)] as const),
    ['requests', run.requests],
    ['requests sent again', run.retries],
    ['responses with status 429', run.tooManyRequests],
    ...run.waits.map((wait) => [`waited: ${wait.reason}`, waitText(wait)] as const),
  ];
  return facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}

export const waitText = ({ times, seconds }: RunFacts['waits'][number]) =>
  `${formatCount(times)} times, ${formatSeconds(seconds)}`;

/** Returns text such as `realm.json, 1.2 MB, SHA-256 4f…`. */
function describeFile({ name, bytes, sha256 }: HashedFile) {
  return [
    name,
    ...(bytes === undefined ? [] : [formatBytes(bytes)]),
    ...(sha256 === undefined ? [] : [`SHA-256 ${sha256}`]),
  ].join(', ');
}
