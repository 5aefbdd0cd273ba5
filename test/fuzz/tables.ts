/** Tables of users in every form that a mapping reads, with damage of which it is known whose records it touches. */
import type { Draw } from '../support/draw.ts';
import { mutate } from './mutate.ts';

export type User = Readonly<Record<(typeof columns)[number], string>>;

export const columns = ['id', 'login', 'email', 'name', 'extra', 'hash'] as const;
const names = [
  "Ada O'Neil",
  'Zoë Šimůnek',
  'Lee, Bo; Jr. | x',
  'Ann "A" Lee',
  'C:\\new\\Table',
  '李 雷',
  'Max -- Roe',
];
const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** Ordinary users; nothing of one is in another. */
export const users: readonly User[] = names.map((name, at) => makeUser(`u${at}`, at, name));

function makeUser(login: string, at: number, name: string, extra = `x${at}`): User {
  const mark = Array.from({ length: 20 }, (_, place) => letters[(at * 7 + place * (at + 3)) % 62]).join('');
  const hash = `$2b$10$${mark}xu${mark}0123456789.`;
  return {
    id: at % 2 === 0 ? mark.slice(2, 9) : String(7919 * (at + 13) ** 2),
    login,
    email: `${login}@example.org`,
    name,
    extra,
    hash,
  };
}

/** What tells the hash of a user from all others, wherever it lands. */
export const markOf = ({ hash }: User) => hash.slice(7, 27);

/** How one program writes the table: `row` without what is between two rows. */
export interface Format {
  readonly name: string;
  readonly provider: 'csv' | 'json' | 'sql' | 'ldif';
  readonly head: string;
  readonly between: string;
  readonly tail: string;
  readonly row: (user: User) => string;
  /** What belongs into such a file, at a wrong place, and what does not. */
  readonly fragments: readonly string[];
}

const cells = (user: User) => columns.map((column) => user[column]);
const list = columns.join(', ');

const anywhere =
  ' ¦   ¦ \t ¦ \n ¦ \r ¦ \r\n ¦ \n\n ¦ \r\n\r\n ¦ \0 ¦ \0\0 ¦ \x1a ¦ \u2028 ¦ \ufeff ¦ \xff ¦ \xc3\n ¦ \' ¦ " ¦ \\ ¦ \\\n ¦ , ¦ ; ¦ # ¦ # x ¦ - ¦ -- ¦ --- ¦ /* ¦ */ ¦ // ¦ ( ¦ ) ¦ [ ¦ ] ¦ { ¦ } ¦ : ¦ = ¦ ` ¦ $$ ¦ NULL ¦ null ¦ x ¦ 0 ¦ 😀'.split(
    ' ¦ ',
  );
const sqlFragments =
  "-- x ¦ -- it's ¦ /* x */ ¦ /* ' */ ¦ /*!40000 x */; ¦ ; ¦ ;; ¦ ); ¦ (1 ¦ ('1' ¦ ('9','e','e@example.org','n','x','h') ¦ (9, now(), 'a', 'b', 'c', 'd') ¦ COMMIT; ¦ BEGIN; ¦ ROLLBACK; ¦ SET NAMES latin1; ¦ USE other; ¦ DELETE FROM users; ¦ DELETE FROM users WHERE id = '1001'; ¦ UPDATE users SET hash = 'x'; ¦ TRUNCATE users; ¦ DROP TABLE users; ¦ ALTER TABLE users RENAME COLUMN hash TO old; ¦ CREATE TABLE users (hash text, id text); ¦ CREATE TABLE other (id text, hash text); ¦ INSERT INTO users VALUES ('9','e','e@example.org','n','x','h'); ¦ INSERT INTO users (hash, id) VALUES ('h', '9'); ¦ INSERT INTO other (id, hash) VALUES ('1001', 'h'); ¦ INSERT INTO users (id, email, hash) VALUES ('9', lower('E@example.org'), concat('a', 'b')); ¦ INSERT INTO users (id, email) VALUES ('9', 'e@example.org') ON CONFLICT DO NOTHING; ¦ INSERT INTO users (id) SELECT id FROM old; ¦ INSERT INTO users SET id = '9'; ¦ REPLACE INTO users (id, email) VALUES ('9', 'e@example.org'); ¦ insert into `users` (`id`) values ('9') ¦ COPY public.other (id) FROM stdin;\n1001\n\\. ¦ COPY public.users (id, email) FROM stdin;\n9\te@example.org\n\\. ¦ COPY public.users (id) FROM stdin; ¦ \\. ¦ \\N ¦ \\connect x ¦ SELECT 1; ¦ UNION ¦ ON CONFLICT DO NOTHING; ¦ DELIMITER $$ ¦ E'\\'' ¦ N'x' ¦ _binary 'x' ¦ 0x61 ¦ X'61' ¦ DEFAULT ¦ 'a' 'b' ¦ 'a' || 'b' ¦ 'unclosed ¦ \"unclosed ¦ `unclosed ¦ $x$ unclosed ¦ LOCK TABLES users WRITE; ¦ GO ¦ CREATE FUNCTION f() RETURNS int AS $$ SELECT 1; $$; ¦ CREATE TRIGGER t BEFORE INSERT ON users BEGIN SELECT ';'; END;".split(
    ' ¦ ',
  );
const csvFragments =
  'id,login,email,name,extra,hash ¦ 9,e,e@example.org,n,x,h ¦ 9;e;e@example.org;n;x;h ¦ 9\te\te@example.org\tn\tx\th ¦ "9","e","e@example.org","n","x","h" ¦ ,,,,, ¦ ;;;;; ¦ \t\t\t\t\t ¦ 9 ¦ "9" ¦ "9 ¦ 9," ¦ "a"b ¦ a"b" ¦ "" ¦ """ ¦ "\n" ¦ sep=; ¦ #comment ¦ (2 rows affected) ¦ ------ ¦ 9,e,e@example.org ¦ 9,e,e@example.org,n,x,h,1,2 ¦ 9,e,"e@example.org,n,x,h ¦ 9,e,e@example.org,"n\nm",x,h ¦ \\N ¦ =1+1 ¦ ="9",e,e@example.org,n,x,h'.split(
    ' ¦ ',
  );
const jsonFragments =
  '{} ¦ [] ¦ true ¦ 1 ¦ "x" ¦ {"id":"9"} ¦ {"id":"9","email":"e@example.org"} ¦ {"id":"9","id":"8","email":"e@example.org"} ¦ ,{"id":"9","email":"e@example.org"} ¦ {"id":"9","email":"e@example.org"}, ¦ [{"id":"9","email":"e@example.org"}] ¦ {"users":[{"id":"9","email":"e@example.org"}]} ¦ {"id": ¦ "id":"9" ¦ "unclosed ¦ // x ¦ /* x */ ¦ NaN ¦ {\'id\':\'9\'} ¦ {id:9} ¦ {"id":"9",} ¦ {"id":"\\ud800","email":"e@example.org"} ¦ {"id":"\\u0000","email":"e@example.org"} ¦ {"__proto__":{"id":"1001"},"email":"e@example.org"} ¦ 1e999 ¦ \\u0041 ¦ ],[ ¦ }{ ¦ ]}'.split(
    ' ¦ ',
  );
const ldifFragments =
  'dn: uid=e\nid: 9\nlogin: e\nemail: e@example.org\nhash: h\n ¦ dn: uid=e ¦ dn:: dWlkPWU= ¦ dn:: ! ¦ DN: uid=e ¦ dn : uid=e ¦  dn: uid=e ¦ hash: h ¦ hash:: aA== ¦ hash:: ! ¦ hash:< file:///etc/passwd ¦ id: 9 ¦ id;lang-en: 9 ¦ changetype: delete ¦ changetype: modify\nreplace: hash\nhash: h\n- ¦ version: 1 ¦ version: 2 ¦  folded ¦ \tfolded ¦ # x ¦ # x\n folded ¦ # dn: uid=e ¦ search: 2\nresult: 0 Success ¦ : x ¦ nocolon ¦ id: ¦ -'.split(
    ' ¦ ',
  );
const yamlFragments =
  '- id: "9" ¦ - id: "9"\n  email: "e@example.org" ¦   hash: "h" ¦ hash: "h" ¦ - &a {id: "9"} ¦ - *a ¦   <<: *a ¦ --- ¦ ... ¦ !!str x ¦ - !!js/function x ¦ ? x ¦ - | ¦ - >-\n  x ¦ %YAML 1.2 ¦ @x ¦ - [1, 2 ¦ - {id: "9" ¦ - - x ¦ - ¦ - "" ¦ \t- id: "9" ¦ users: ¦ e:\n  id: "9" ¦   "unclosed ¦   \'unclosed ¦ - {id: "9", id: "8"}'.split(
    ' ¦ ',
  );

const insertHead = 'CREATE TABLE other (id text, hash text);\n';
const plainText = (text: string) => `'${text.replaceAll("'", "''")}'`;
const mysqlText = (text: string) =>
  `'${text.replace(/[\\'"\0\n\r\x1a]/g, (found) => `\\${{ '\0': '0', '\n': 'n', '\r': 'r', '\x1a': 'Z' }[found] ?? found}`)}'`;
const copyText = (text: string) =>
  text.replace(
    /[\\\n\r\t\b\f\v]/g,
    (found) => `\\${{ '\n': 'n', '\r': 'r', '\t': 't', '\b': 'b', '\f': 'f', '\v': 'v' }[found] ?? found}`,
  );
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
const sql = { provider: 'sql', fragments: sqlFragments } as const;
const create = (table: string) =>
  `CREATE TABLE ${table} (${columns.map((name) => `${name} text`).join(', ')});\n`;

function csv(name: string, delimiter: string, quotes: RegExp): Format {
  return {
    name,
    provider: 'csv',
    head: `${columns.join(delimiter)}\n`,
    between: '\n',
    tail: '\n',
    row: (user) =>
      cells(user)
        .map((text) => (quotes.test(text) ? quoted(text) : text))
        .join(delimiter),
    fragments: csvFragments,
  };
}

function ldifLine(column: string, text: string) {
  if (/^[\x21-\x39\x3b\x3d-\x7e][\x20-\x7e]*$/.test(text) && !text.endsWith(' '))
    return `${column}: ${text}\n`;
  return `${column}:: ${Buffer.from(text).toString('base64')}\n`.replace(/(.{40})(?=.)/g, '$1\n ');
}

export const formats: readonly Format[] = [
  {
    name: 'ldif',
    provider: 'ldif',
    head: 'version: 1\n\n',
    between: '\n',
    tail: '\n',
    row: (user) =>
      `dn: uid=${user.id},o=x\n${columns.map((name) => (user[name] === '' ? '' : ldifLine(name, user[name]))).join('')}`,
    fragments: ldifFragments,
  },
  {
    ...sql,
    name: 'pg-copy',
    head: `--\n-- PostgreSQL database dump\n--\n\nSET client_encoding = 'UTF8';\n${create('public.users')}COPY public.other (id, hash) FROM stdin;\n1001\th\n\\.\n\nCOPY public.users (${list}) FROM stdin;\n`,
    between: '\n',
    tail: '\n\\.\n\n--\n-- PostgreSQL database dump complete\n--\n',
    row: (user) => cells(user).map(copyText).join('\t'),
  },
  {
    ...sql,
    name: 'pg-insert',
    head: `--\n-- PostgreSQL database dump\n--\n\n${create('public.users')}`,
    between: '\n',
    tail: '\n\n--\n-- PostgreSQL database dump complete\n--\n',
    row: (user) => `INSERT INTO public.users VALUES (${cells(user).map(plainText).join(', ')});`,
  },
  {
    ...sql,
    name: 'mysql',
    head: `-- MySQL dump 10.13\n\n/*!40101 SET NAMES utf8mb4 */;\n${create('`users`')}LOCK TABLES \`users\` WRITE;\nINSERT INTO \`users\` VALUES `,
    between: ',',
    tail: ';\nUNLOCK TABLES;\n-- Dump completed\n',
    row: (user) => `(${cells(user).map(mysqlText).join(',')})`,
  },
  {
    ...sql,
    name: 'sqlite',
    head: `PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n${insertHead}${create('users')}`,
    between: '\n',
    tail: '\nCOMMIT;\n',
    row: (user) => `INSERT INTO users VALUES(${cells(user).map(plainText).join(',')});`,
  },
  csv('csv-comma', ',', /[",\r\n#]|^\s|\s$|^$/),
  csv('csv-quoted', ',', /(?:)/),
  csv('csv-semicolon', ';', /(?:)/),
  csv('csv-tab', '\t', /["\t\r\n#]|^\s|\s$|^$/),
  {
    name: 'json',
    provider: 'json',
    head: '[\n',
    between: ',\n',
    tail: '\n]\n',
    row: (user) => JSON.stringify(user),
    fragments: jsonFragments,
  },
  {
    name: 'json-lines',
    provider: 'json',
    head: '',
    between: '\n',
    tail: '\n',
    row: (user) => JSON.stringify(user),
    fragments: jsonFragments,
  },
  {
    name: 'yaml',
    provider: 'json',
    head: '# users\n',
    between: '\n',
    tail: '\n',
    row: (user) => `- ${columns.map((name) => `${name}: ${JSON.stringify(user[name])}`).join('\n  ')}`,
    fragments: yamlFragments,
  },
];

/** `near`: each as without the damage, or rejected by name. `own`: bytes of the record itself differ. `gone`: may be missing. */
export interface Damaged {
  readonly bytes: Buffer;
  readonly kind: string;
  readonly near: ReadonlySet<number>;
  readonly own: ReadonlySet<number>;
  readonly gone: ReadonlySet<number>;
  /** A sound record among the others, of which nothing may be lost either. */
  readonly guest?: User;
}

/** Rows at even places from 1, what is between them at odd ones; the head first and the tail last. */
type Pieces = Buffer[];
type Effect = Partial<Pick<Damaged, 'near' | 'own' | 'gone' | 'guest'>>;
type Damage = (pieces: Pieces, at: number, draw: Draw, format: Format) => Effect;

const rowPiece = (at: number) => 1 + 2 * at;
const set = (...items: number[]) => new Set(items);
const from = (first: number) => new Set(Array.from(users.keys()).filter((at) => at >= first));
const encode = (text: string) =>
  text.includes('\xff') || text.includes('\xc3\n') ? Buffer.from(text, 'latin1') : Buffer.from(text);
const anyFragment = (draw: Draw, { fragments }: Format) => draw.pick(draw.chance(0.4) ? anywhere : fragments);

/** Text that a careless reader takes for syntax, as the value of a sound record. */
const hostileValues = [
  ...anywhere,
  ...sqlFragments,
  ...csvFragments,
  ...jsonFragments,
  ...ldifFragments,
  ...yamlFragments,
  '\nINSERT INTO users VALUES (1);',
  '\nCREATE TABLE users (id text);',
  '\ndn: uid=evil',
  '\n\ndn: uid=evil\nid: 1001\n',
  '\n\\.\n',
  '\\.',
  '\n---\n- id: 1',
  '\n',
  '"\n"',
  "''",
  "\\'",
  'a\\',
  'a\\\\',
  '\r\n"',
  '<xml',
  'a\tb',
  '\\t',
  '\\x41',
  '{"a":1}',
  'true',
  '1.08E+20',
  '\u0085',
  '\u2029',
].filter((text) => !text.includes('\xff'));

const damages: Readonly<Record<string, Damage>> = {
  /** A sound record with odd values. */
  guest(pieces, at, draw, { row, between }) {
    const extra = `a${draw.pick(hostileValues)}b`;
    const guest = {
      ...makeUser('guest', 31, draw.chance(0.5) ? `N ${draw.pick(hostileValues)} M` : 'Guest', extra),
      id: '9031',
    };
    pieces[rowPiece(at)] = Buffer.from(
      draw.chance(0.5)
        ? `${row(guest)}${between}${row(users[at]!)}`
        : `${row(users[at]!)}${between}${row(guest)}`,
    );
    return { guest };
  },
  /** Lines of their own between two rows. */
  line(pieces, at, draw, format) {
    const fragment = encode(anyFragment(draw, format));
    const feed = Buffer.from(draw.pick(['\n', '\r\n']));
    const gap = rowPiece(at) + 1;
    const before = pieces[gap]!;
    pieces[gap] = Buffer.concat(draw.chance(0.5) ? [before, fragment, feed] : [feed, fragment, before]);
    return { near: set(at, at + 1) };
  },
  /** Glued to the end of a row or to the beginning of the next. */
  glued(pieces, at, draw, format) {
    const fragment = encode(anyFragment(draw, format));
    const gap = rowPiece(at) + 1;
    pieces[gap] = Buffer.concat(draw.chance(0.5) ? [fragment, pieces[gap]!] : [pieces[gap]!, fragment]);
    return { own: set(at, at + 1) };
  },
  /** What is between two rows is missing, doubled or something else. */
  between(pieces, at, draw) {
    const gap = rowPiece(at) + 1;
    const was = pieces[gap]!;
    pieces[gap] = draw.pick([
      Buffer.alloc(0),
      Buffer.concat([was, was]),
      Buffer.from(' '),
      Buffer.from('\r'),
      Buffer.from('\r\n'),
      Buffer.from(' \n'),
      Buffer.from('\n \n'),
    ]);
    return { near: set(at, at + 1) };
  },
  inside(pieces, at, draw, format) {
    const row = pieces[rowPiece(at)]!;
    const place = draw.below(row.length + 1);
    pieces[rowPiece(at)] = Buffer.concat([
      row.subarray(0, place),
      encode(anyFragment(draw, format)),
      row.subarray(place),
    ]);
    return { own: set(at), near: set(at - 1, at + 1) };
  },
  bytes(pieces, at, draw, { fragments }) {
    pieces[rowPiece(at)] = mutate(
      pieces[rowPiece(at)]!,
      draw,
      fragments.map((text) => Buffer.from(text)),
    );
    return { own: set(at), near: set(at - 1, at + 1) };
  },
  /** One special character of a row is missing or doubled. */
  quote(pieces, at, draw) {
    const text = pieces[rowPiece(at)]!.toString();
    const places = [...text.matchAll(/['"\\,;\t()[\]{}:$\n]/g)].map(({ index }) => index);
    const place = places.length === 0 ? 0 : draw.pick(places);
    pieces[rowPiece(at)] = Buffer.from(
      text.slice(0, place) + (draw.chance(0.5) ? '' : text[place]!.repeat(2)) + text.slice(place + 1),
    );
    return { own: set(at), near: set(at - 1, at + 1) };
  },
  twice(pieces, at, _draw, { between }) {
    const row = pieces[rowPiece(at)]!;
    pieces[rowPiece(at)] = Buffer.concat([row, Buffer.from(between), row]);
    return { near: set(at) };
  },
  cut(pieces, at, draw) {
    const row = pieces[rowPiece(at)]!;
    pieces[rowPiece(at)] = row.subarray(0, draw.below(row.length + 1));
    pieces.length = rowPiece(at) + 1;
    return { own: set(at), gone: from(at) };
  },
  /** As another system keeps the same file, or in two parts one after the other. */
  kept(pieces, at, draw, { head, tail }) {
    const text = Buffer.concat(pieces).toString();
    const halves = [...pieces];
    halves[rowPiece(at) + 1] = Buffer.from(tail + head);
    const bytes = draw.pick([
      () => Buffer.from(text.replaceAll('\n', '\r\n')),
      () => Buffer.from(`\ufeff${text}`),
      () => Buffer.from(`\ufeff${text}`, 'utf16le'),
      () => Buffer.from(text.trimEnd()),
      () => Buffer.from(`${text}\n\n\n`),
      () => Buffer.from(`${text}\x1a`),
      () => Buffer.from(`\n\n${text}`),
      () => Buffer.concat(halves),
    ])();
    pieces.splice(0, pieces.length, bytes);
    return {};
  },
  /** The first or the last lines. */
  around(pieces, _at, draw, format) {
    const place = draw.pick([0, pieces.length - 1]);
    pieces[place] = draw.chance(0.5)
      ? mutate(pieces[place]!, draw)
      : Buffer.concat([
          pieces[place]!,
          encode(anyFragment(draw, format)),
          Buffer.from(draw.pick(['', '\n'])),
        ]);
    return place === 0 ? { own: from(0), gone: from(0) } : { own: set(users.length - 1) };
  },
};

/** The table in a format, with one damage, or two. */
export function damage(format: Format, draw: Draw): Damaged {
  const pieces = [
    Buffer.from(format.head),
    ...users.flatMap((user, at) => [
      Buffer.from(format.row(user)),
      Buffer.from(at + 1 < users.length ? format.between : format.tail),
    ]),
  ];
  const kind = draw.pick(Object.keys(damages));
  const effect = damages[kind]!(pieces, draw.below(users.length - 1), draw, format);
  return { near: set(), own: set(), gone: set(), kind, ...effect, bytes: Buffer.concat(pieces) };
}

export const soundText = ({ head, between, tail, row }: Format, guest?: User) =>
  Buffer.from(head + [...users, ...(guest === undefined ? [] : [guest])].map(row).join(between) + tail);
