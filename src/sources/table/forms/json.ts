/** Reads users from JSON in any layout: a list, a list in an object, API pages, a list of pages, or JSON lines. */
import { InputError, UsageError } from '../../../errors.ts';
import { type ScanItem, type ScanOptions, scanJson } from '../../../json/scan.ts';
import { peekShape } from '../../../json/shape.ts';
import { isObjectLine } from '../../../lib/json-value.ts';
import { count } from '../../../records/tally.ts';
import { recordsOf, scanLineElements, scanValueElements, usualBatchBytes } from '../../elements.ts';
import type { Pages, FormRequest, OpenRows } from './form.ts';
import { headText, linesTried } from './recognise.ts';
import { matchesTable } from './sql-tables.ts';

/** Paths at which APIs return the list of users. */
const listPaths =
  'users Users data.users data value result results items members docs documents Resources identities list rows RECORDS _embedded.users'
    .split(' ')
    .map((path) => path.split('.'));

type Paths = readonly (readonly string[])[];

export function openJson(request: FormRequest): OpenRows {
  const { input, source, head, named, batchBytes = usualBatchBytes } = request;
  const blocks = isCutByServer(head) ? withoutLineEnds(request.blocks) : request.blocks;
  const inLists = (own: Paths, others: Paths = []): OpenRows => {
    const pages = { lists: 0, following: 0, total: 0 };
    return { batches: scanLists({ ...request, blocks, batchBytes }, own, others, pages), pages: () => pages };
  };
  const inLines = (): OpenRows => ({ batches: scanLineElements(blocks, batchBytes) });
  const { root, keys } = peekShape(head);
  if (root === 'pages') return inLists([['*']]);
  const inPages = (path: readonly string[]) => ['*', ...path];
  if (source.list !== undefined) {
    const path = source.list.split('.');
    return inLists([root === 'array' ? inPages(path) : path]);
  }
  // A joined table may be one list of a whole dump.
  const list = request.isOptional && keys.find((key) => matchesTable(key, request.table ?? ''));
  if (list !== undefined && root === 'object' && holdsList(head, [list])) return inLists([[list]]);
  // A list next to other user columns is a field of a user. A list alone may be a joined table.
  const isField = (key = '') => named.has(key) && keys.some((other) => other !== key && named.has(other));
  const places = listPaths.filter(([key]) => !isField(key));
  const isUser = keys.some((key) => named.has(key));
  const hasNoList = !isUser && keys.includes(scimTotal);
  // DBeaver names the list after the table, or by the whole query.
  const only = !isUser && keys.length === 1 && holdsList(head, keys) ? keys : undefined;
  const isThere = (place: readonly string[]) =>
    keys.includes(place[0]!) && (place.length === 1 || holdsList(head, place));
  const path = places.find(isThere) ?? (hasNoList ? ['Resources'] : only);
  const others = places.filter((other) => other !== path);
  const lines = headText(head).split('\n');
  // An object without user columns is an API page, so only its list matters.
  const isBare = path !== undefined && !isUser && (path[0] === 'users' || hasNoList || holdsList(head, path));
  if (root === 'array') {
    // A list of API pages.
    if (path !== undefined && (isBare || isPageList(head)))
      return inLists([inPages(path)], others.map(inPages));
    return inLists([[], ['users']]);
  }
  if (!isBare && isLines(lines)) return inLines();
  if (path !== undefined && (isBare || holdsList(head, path))) return inLists([path, []], others);
  refuseBrokenLines(input.name, lines);
  return lines.length === 1 ? inLines() : { batches: scanValueElements(input.name, blocks, batchBytes) };
}

/** Reports whether the value at this path starts like a list, as far as the head shows it. */
function holdsList(head: Uint8Array, path: readonly string[]) {
  const [, ...after] = headText(head).split(JSON.stringify(path.at(-1)));
  return after.some((text) => /^\s*:\s*\[/.test(text));
}

/** Pattern of the list of users in an API page. */
const pageList = String.raw`"(?:users|Users|data|value|items|results?|members)"\s*:\s*\[`;

/** Reports whether the elements of the list are API pages: `[{"users":[...`. */
function isPageList(head: Uint8Array) {
  return new RegExp(
    String.raw`^\s*\[\s*\{\s*(?:"(?:start|limit|length|total|page|next|count)\w*"\s*:\s*[^,{[]+,\s*)*${pageList}`,
  ).test(headText(head));
}

function isLines(lines: readonly string[]) {
  const full = lines.slice(0, linesTried).filter((line) => line.trim() !== '');
  const objects = full.filter(isObjectLine).length;
  return objects > 0 && lines.length > 1 && objects * 2 >= full.length && !isPage(full[0] ?? '');
}

/** Throws `InputError` with advice for common mistakes in JSON lines. */
function refuseBrokenLines(name: string, lines: readonly string[]) {
  let offset = 0;
  for (const [at, line] of lines.slice(0, linesTried).entries()) {
    const position = { offset, line: at + 1, column: 1 };
    offset += Buffer.byteLength(line) + 1;
    if (line.trim() === '' || isObjectLine(line)) continue;
    const hasComma = isObjectLine(line.trim().replace(/,$/, ''));
    // Any other line is not a record, for example the first line of a document.
    if (!hasComma && !hasDoubledBackslashes(line)) return;
    const [problem, hint] = hasComma
      ? [
          'there is a comma after the record of this line',
          "Remove these commas: sed 's/,[[:space:]]*$//' old > new",
        ]
      : [
          'the backslashes of this line are doubled',
          `COPY ... TO and mysql without -r double them. ${exportJson}.`,
        ];
    throw new InputError('input:syntax', name, problem, hint, undefined, position);
  }
}

/** Reports whether the line is only a record with half of its backslashes. */
export function hasDoubledBackslashes(line: string) {
  return line.includes('\\\\') && !isObjectLine(line) && isObjectLine(line.replaceAll('\\\\', '\\'));
}

export const exportJson = 'Export again with psql -qAtX -c "SELECT row_to_json(...)", or mysql -NrB';

/** Reports whether the line is an API page, not a user. */
function isPage(line: string) {
  return new RegExp(
    String.raw`^\s*\{\s*(?:"[^"]+"\s*:\s*(?:"[^"]*"|[\w.]+|\{[^{}]*\})\s*,\s*)*(?:"_embedded"\s*:\s*\{\s*)?${pageList}\s*\{`,
  ).test(line);
}

/** Member of SCIM pages. A SCIM page without users may lack the list (RFC 7644, section 3.4.2). */
const scimTotal = 'totalResults';
/** Members in which APIs return the total number of users. */
const totals = (
  'total totalResults totalCount total_count totalItems totalDocs totalElements page.totalElements @odata.count ' +
  'pagination.total pagination.count meta.pagination.total _metadata.totalItems'
).split(' ');
/**
 * Members in which APIs return the address or token of the next page, or true if there is one. The list is not part of the
 * mappings, so that it also serves pages read with a mapping of one's own.
 */
const nexts = (
  '@odata.nextLink PaginationToken NextToken nextToken next_token nextPageToken nextPaginationToken next_cursor next ' +
  'nextPage hasNextPage _links.next.href pagedResultsCookie has_more has_more_results hasMore ' +
  'results_metadata.next_cursor list_metadata.after pagination.after_cursor pagination.next'
).split(' ');

/** Reads the lists of one or more documents. Throws if a list at another place may contain users. */
async function* scanLists(
  { input: { name }, blocks, named, batchBytes = usualBatchBytes }: FormRequest,
  own: Paths,
  others: Paths,
  found: Pages,
) {
  const places = new Set(own.map((path) => path.join('.')));
  // A page that is only a list has no totals.
  const isList = own.every(([step, key]) => step === '*' && key === undefined);
  const prefix = own[0]?.[0] === '*' ? ['*'] : [];
  const fields = isList ? [] : [...totals, ...nexts].map((path) => [...prefix, ...pathOf(path)]);
  const options: ScanOptions = { arrays: [...own, ...others], fields, many: true, batchBytes, records: true };
  let [lists, total, pages, scimPages] = [0, 0, 0, 0];
  const following = new Map<string, number>();
  let isOwn = true;
  for await (const item of scanJson(name, blocks, options)) {
    if (item.kind === 'field') {
      const { value } = item;
      const key = item.path.filter((step) => step !== '*').join('.');
      if (key === scimTotal) scimPages++;
      if (totals.includes(key) && typeof value === 'number') total = Math.max(total, value);
      else if (nexts.includes(key) && Boolean(value)) count(following, key);
    }
    if (item.kind === 'open') isOwn = places.has(item.path.join('.'));
    if (item.kind === 'open' && isOwn) {
      lists++;
      pages++;
    }
    if (item.kind === 'absent' && places.has(item.path.join('.'))) {
      pages++;
      if (item.found !== 'missing' || scimPages < pages) throw lostPage(name, item, lists);
    }
    if (item.kind !== 'batch' && item.kind !== 'long') continue;
    if (isOwn) yield recordsOf(item);
    else if (item.kind === 'batch') refuseOtherUsers(name, Buffer.from(item.bytes).toString(), named);
  }
  Object.assign(found, { lists, total, following: Math.max(0, ...following.values()) });
}

/** Names that start with @ contain dots themselves. */
const pathOf = (path: string) => (path.startsWith('@') ? [path] : path.split('.'));

/** Throws if a second list has elements with columns of users. */
function refuseOtherUsers(name: string, elements: string, named: ReadonlySet<string>) {
  const columns = [...named].filter((column) => elements.includes(`${JSON.stringify(column)}:`));
  if (columns.length < Math.min(2, named.size)) return;
  throw new UsageError(
    `${name}: several lists in it may be that of the users`,
    'Name the right one in the mapping: source: { list: users }.',
  );
}

/** Error for a document such as `{"error":429}` among the pages. The users of that page are missing. */
function lostPage(name: string, { path, root }: ScanItem & { kind: 'absent' }, lists: number) {
  const keys = path.filter((key) => key !== '*').join('.');
  const page = root > 0 ? `page ${root + 1}` : 'a page';
  return new InputError(
    'input:lost-page',
    name,
    `${lists > 0 ? page : 'the document'} holds no list of users${keys && ` in ${keys}`}`,
    lists > 0
      ? 'An answer in this file is not a page of users, often an error of the interface: fetch that page again.'
      : 'Name the list in the mapping: source: { list: users }.',
  );
}

/** SQL Server splits the output of FOR JSON into lines of 2033 characters, even inside texts. */
const serverLine = 2033;

function isCutByServer(head: Uint8Array) {
  const [first = '', second = ''] = headText(head).split(/\r?\n/, 3);
  return first.length === serverLine && /^[[{]/.test(first) && second !== '' && !isObjectLine(first);
}

async function* withoutLineEnds(blocks: AsyncIterable<Uint8Array>) {
  for await (const block of blocks) yield block.filter((byte) => byte !== 0x0a && byte !== 0x0d);
}
