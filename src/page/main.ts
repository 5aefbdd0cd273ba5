/** Script of a report page: search, filters, the scrolling list, CSV, print. */
import { visible, formatCount, formatCounted } from '../lib/format.ts';
import {
  type Choice,
  choices,
  countValues,
  filterRows,
  groupByUser,
  join,
  lengthen,
  toCsv,
  unpack,
  unpackUser,
  type PackedRow,
  type Row,
  type RowNames,
} from './rows.ts';
import { createScroller } from './scroller.ts';

/** Longer lists of choices are not useful. The search finds the rest. */
const mostChoices = 500;
/** Largest number of printed rows. */
const mostPrinted = 500;

const find = (id: string) => document.querySelector<HTMLElement>(`#${id}`)!;
const read = (id: string): unknown => JSON.parse(find(id).textContent);

const rows = lengthen(read('rows') as unknown[][]);
const names = read('names') as RowNames;
const list = find('list');
const most = Number(list.dataset['most']);
const users = groupByUser(rows, [...rows.keys()]);
let found: readonly (readonly PackedRow[])[] = [];
const searched: string[] = [];

const search = find('search') as HTMLInputElement;
const selects = Object.fromEntries(choices.map((name) => [name, find(name)])) as Record<
  Choice,
  HTMLSelectElement
>;

const userAt = (at: number): Row => unpackUser(found[at]!, names);

const scroller = createScroller(find('rows-view'), find('rows-space'), {
  draw: (at, element) => {
    const row = userAt(at);
    const titles = row.reasons.map(({ title }) => title);
    const details = row.reasons.map(({ detail }) => detail);
    element.replaceChildren(
      cell('who', row.userName || row.id || '(no name)', row.email),
      cell('why', join(titles, '. '), join(details, '; '), makeProse),
      cell('outcome', row.outcome, row.part),
      cell('place', row.place.replace(/^.*[/\\](?=.)/, ''), row.org),
    );
  },
  choose: showDetail,
});

function cell(name: string, first: string, second: string, makeText = make) {
  const element = make('div', '', name);
  element.setAttribute('role', 'cell');
  element.append(makeText('span', first, 'first'), makeText('span', second, 'second'));
  return element;
}

/** Creates an element with text. It is never parsed as HTML, because it may come from an export. */
function make(tag: string, text: string, className = '') {
  const element = document.createElement(tag);
  element.textContent = visible(text);
  element.dir = 'auto';
  if (className !== '') element.className = className;
  return element;
}

/** Creates an element with a message, which has names in backticks. */
function makeProse(tag: string, text: string, className?: string) {
  const element = make(tag, '', className);
  const parts = text.split(/`([^`]+)`/);
  element.append(...parts.map((part, at) => (at % 2 === 0 ? visible(part) : make('code', part))));
  return element;
}

function showDetail(at: number) {
  const { userName, email, id, org, reasons } = userAt(at);
  const facts = document.createElement('dl');
  const add = (name: string, text: string, makeText = make) => {
    if (text !== '') facts.append(make('dt', name), makeText('dd', text));
  };
  add('user name', userName);
  add('email', email);
  add('id', id);
  add('organization', org);
  for (const { part, outcome, place } of found[at]!.map((row) => unpack(row, names)))
    add(part, join([outcome, place], ', '));
  for (const { code, title, detail, remedy } of reasons) {
    add('reason', join([title === code ? code : `${title} (${code})`, detail], ': '), makeProse);
    add('remedy', remedy, makeProse);
  }
  const detail = find('detail');
  detail.replaceChildren(facts);
  detail.hidden = false;
  detail.scrollIntoView({ block: 'nearest' });
}

function fillChoices() {
  const counts = countValues(users, names);
  const titles = new Map(names.reasons.map(([code, , title]) => [code, title]));
  for (const name of choices) {
    const [known, select] = [counts[name], selects[name]];
    const options = known
      .slice(0, mostChoices)
      .map(
        ([value, count]) =>
          new Option(`${visible(titles.get(value) ?? value)} (${formatCount(count)})`, value),
      );
    select.replaceChildren(new Option('all', ''), ...options);
    select.closest('label')!.hidden = known.length < 2;
  }
}

function update() {
  const chosen = Object.fromEntries(choices.map((name) => [name, selects[name].value]));
  found = groupByUser(rows, filterRows(rows, names, { search: search.value, ...chosen }, searched));
  const more =
    names.total > rows.length
      ? ` Here are the first ${formatCount(most)} entries, those who cannot sign in first; all ${formatCount(names.total)} are in ${names.files.join(', ')}.`
      : '';
  const text =
    found.length === users.length
      ? `${formatCounted(users.length, 'user')}.`
      : `${formatCount(found.length)} of ${formatCounted(users.length, 'user')}.`;
  find('count').textContent = visible(names.total === 0 ? 'No user needs attention.' : text + more);
  find('detail').hidden = true;
  scroller.show(found.length);
}

function exportCsv() {
  const texts = toCsv(found.flat().map((row) => unpack(row, names)));
  const link = document.createElement('a');
  // The byte order mark tells spreadsheets that it is UTF-8.
  const url = URL.createObjectURL(new Blob(['\uFEFF', ...texts], { type: 'text/csv' }));
  link.href = url;
  link.download = 'users.csv';
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Puts the found rows into a table for printing. */
function fillPaper() {
  const table = document.createElement('table');
  table
    .insertRow()
    .append(
      ...['user name', 'email', 'id', 'organization', 'place', 'outcome', 'reason'].map((name) =>
        make('th', name),
      ),
    );
  for (let at = 0; at < Math.min(found.length, mostPrinted); at++) {
    const { userName, email, id, org, place, outcome, reasons } = userAt(at);
    const row = table.insertRow();
    const why = reasons
      .map(({ title, detail }) => (detail === '' ? title : `${title}: ${detail}`))
      .join('. ');
    for (const text of [userName, email, id, org, place, outcome]) row.append(make('td', text));
    row.append(makeProse('td', why));
  }
  const left = found.length - mostPrinted;
  const note = left > 0 ? `And ${formatCount(left)} more, in ${names.files.join(', ')}.` : '';
  find('rows-print').replaceChildren(table, make('p', note));
}

list.querySelector('form')!.addEventListener('submit', (event) => event.preventDefault());
for (const input of [search, ...Object.values(selects)]) input.addEventListener('input', update);
find('export').addEventListener('click', exportCsv);
addEventListener('beforeprint', fillPaper);
addEventListener('afterprint', () => find('rows-print').replaceChildren());
list.hidden = false;
fillChoices();
update();
