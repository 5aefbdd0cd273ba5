/** Reads JSON in every form in which users are exported: a list, a list inside of an object, pages, a list of those, lines. */
import { InputError, UsageError } from '../../../errors.ts';
import { type ScanItem, type ScanOptions, scanJson } from '../../../json/scan.ts';
import { peekShape } from '../../../json/shape.ts';
import { isObjectLine } from '../../../lib/json-value.ts';
import { count } from '../../../records/tally.ts';
import { recordsOf, scanLineElements, scanValueElements, usualBatchBytes } from '../../elements.ts';
import type { Pages } from '../../pages.ts';
import type { RawElements } from '../../source.ts';
import type { FormRequest, OpenRows } from './form.ts';
import { headText, linesTried } from './recognise.ts';

/** Where interfaces put the list of users. */
const listPaths = [
  'users',
  'Users',
  'data',
  'value',
  'result',
  'results',
  'items',
  'members',
  'docs',
  'documents',
  'Resources',
  'identities',
  'list',
  '_embedded.users',
].map((path) => path.split('.'));

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
  // A list that is a field of a user holds no users; alone it is that of a joined table.
  const isField = (key = '') => named.has(key) && keys.some((other) => other !== key && named.has(other));
  const places = listPaths.filter(([key]) => !isField(key));
  const isUser = keys.some((key) => named.has(key));
  const hasNoList = !isUser && keys.includes(scimTotal);
  const path = places.find(([key]) => keys.includes(key!)) ?? (hasNoList ? ['Resources'] : undefined);
  const others = places.filter((other) => other !== path);
  const lines = headText(head).split('\n');
  // An object without any user column is a page of an API: only its list matters.
  const isBare = path !== undefined && !isUser && (path[0] === 'users' || hasNoList || holdsList(head, path));
  if (root === 'array') {
    // Pages of an interface, one after the other in a list.
    if (path !== undefined && (isBare || isPageList(head)))
      return inLists([inPages(path)], others.map(inPages));
    return inLists([[], ['users']]);
  }
  if (!isBare && isLines(lines)) return inLines();
  if (path !== undefined && (isBare || holdsList(head, path))) return inLists([path, []], others);
  refuseBrokenLines(input.name, lines);
  return lines.length === 1 ? inLines() : { batches: scanValueElements(input.name, blocks, batchBytes) };
}

/** Whether the value at this path begins like a list, as far as the head shows it. */
function holdsList(head: Uint8Array, path: readonly string[]) {
  const key = path.at(-1)!;
  return new RegExp(`"${key}"\\s*:\\s*\\[`).test(headText(head));
}

/** `[{"users":[...`: an element of the list is a page. */
function isPageList(head: Uint8Array) {
  return /^\s*\[\s*\{\s*(?:"(?:start|limit|length|total|page|next|count)\w*"\s*:\s*[^,{[]+,\s*)*"(?:users|Users|data|items|results?|members)"\s*:\s*\[/.test(
    headText(head),
  );
}

function isLines(lines: readonly string[]) {
  const full = lines.slice(0, linesTried).filter((line) => line.trim() !== '');
  const objects = full.filter(isObjectLine).length;
  return (
    objects > 0 &&
    (full.length > 1 || lines.length > 1) &&
    objects * 2 >= full.length &&
    !isPage(full[0] ?? '')
  );
}

/** Throws `InputError` for lines of users that most exports with such a mistake have. */
function refuseBrokenLines(name: string, lines: readonly string[]) {
  let offset = 0;
  for (const [at, line] of lines.slice(0, linesTried).entries()) {
    const position = { offset, line: at + 1, column: 1 };
    offset += Buffer.byteLength(line) + 1;
    if (line.trim() === '' || isObjectLine(line)) continue;
    if (isObjectLine(line.trim().replace(/,$/, ''))) {
      throw new InputError(
        'input:syntax',
        name,
        'there is a comma after the record of this line',
        "Remove these commas: sed 's/,[[:space:]]*$//' old > new",
        undefined,
        position,
      );
    }
    if (hasDoubledBackslashes(line)) {
      throw new InputError(
        'input:syntax',
        name,
        'the backslashes of this line are doubled',
        `COPY ... TO and mysql without -r double them. ${exportJson}.`,
        undefined,
        position,
      );
    }
    // Anything else, as the first line of a document, is not a line of a user.
    return;
  }
}

/** Whether the line is not a record, but would be one with half of its backslashes. */
export function hasDoubledBackslashes(line: string): boolean {
  return line.includes('\\\\') && !isObjectLine(line) && isObjectLine(line.replaceAll('\\\\', '\\'));
}

export const exportJson = 'Export again with psql -qAtX -c "SELECT row_to_json(...)", or mysql -NrB';

/** A line that holds a page is not a line of a user. */
function isPage(line: string) {
  return /^\s*\{\s*(?:"[^"]+"\s*:\s*(?:"[^"]*"|[\w.]+)\s*,\s*)*(?:"_embedded"\s*:\s*\{\s*)?"(?:users|Users|data|value|items|results?|members)"\s*:\s*\[\s*\{/.test(
    line,
  );
}

/** Without users, a page of SCIM need not have a list (RFC 7644, section 3.4.2). */
const scimTotal = 'totalResults';
/** Where interfaces say how many users there are in all, */
const totals = ['total', scimTotal, 'totalCount', 'total_count', 'totalItems', '@odata.count'];
/**
 * and what the next page is called with: an address, a token, or true. One list for all, not a rule of each mapping: the names
 * are those of interfaces, whose pages come with a mapping of the user's own, too.
 */
const nexts = [
  '@odata.nextLink',
  'PaginationToken',
  'NextToken',
  'nextToken',
  'next_token',
  'nextPageToken',
  'nextPaginationToken',
  'next_cursor',
  'next',
  '_links.next.href',
  'pagedResultsCookie',
  'has_more',
  'has_more_results',
  'hasMore',
  'results_metadata.next_cursor',
  'list_metadata.after',
  'pagination.after_cursor',
];

/** Documents may follow each other, each with a list in one of its own places; no other list may hold users. */
async function* scanLists(
  { input: { name }, blocks, named, batchBytes = usualBatchBytes }: FormRequest,
  own: Paths,
  others: Paths,
  found: Pages,
): AsyncGenerator<RawElements> {
  const places = new Set(own.map((path) => path.join('.')));
  // A page that is a list says nothing.
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

/** A name with a dot of its own begins with @. */
const pathOf = (path: string): readonly string[] => (path.startsWith('@') ? [path] : path.split('.'));

/** Throws where a second list has elements with the columns of users. */
function refuseOtherUsers(name: string, elements: string, named: ReadonlySet<string>) {
  const columns = [...named].filter((column) => elements.includes(`${JSON.stringify(column)}:`));
  if (columns.length < Math.min(2, named.size)) return;
  throw new UsageError(
    `${name}: several lists in it may be that of the users`,
    'Name the right one in the mapping: source: { list: users }.',
  );
}

/** An answer such as `{"error":429}` among the pages: the users of that page are missing. */
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

/** SQL Server cuts what FOR JSON gives into lines of 2033 characters, in the middle of texts. */
const serverLine = 2033;

function isCutByServer(head: Uint8Array) {
  const [first = '', second = ''] = headText(head).split(/\r?\n/, 3);
  return (
    first.length === serverLine &&
    (first.startsWith('[') || first.startsWith('{')) &&
    second !== '' &&
    !isObjectLine(first)
  );
}

async function* withoutLineEnds(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const block of blocks) yield block.filter((byte) => byte !== 0x0a && byte !== 0x0d);
}
