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

const plainText = (text: string) => `'${text.replaceAll("'", "''")}'`;
const controls: Readonly<Record<string, string>> = {
  '\0': '0',
  '\b': 'b',
  '\t': 't',
  '\n': 'n',
  '\v': 'v',
  '\f': 'f',
  '\r': 'r',
  '\x1a': 'Z',
};
const escaped = (found: string) => `\\${controls[found] ?? found}`;
const mysqlText = (text: string) => `'${text.replace(/[\\'"\0\n\r\x1a]/g, escaped)}'`;
const copyText = (text: string) => text.replace(/[\\\n\r\t\b\f\v]/g, escaped);
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
const sql = { provider: 'sql', fragments: sqlFragments } as const;
const json = {
  provider: 'json',
  row: (user: User) => JSON.stringify(user),
  fragments: jsonFragments,
} as const;
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
    head: `PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\nCREATE TABLE other (id text, hash text);\n${create('users')}`,
    between: '\n',
    tail: '\nCOMMIT;\n',
    row: (user) => `INSERT INTO users VALUES(${cells(user).map(plainText).join(',')});`,
  },
  csv('csv-comma', ',', /[",\r\n#]|^\s|\s$|^$/),
  csv('csv-quoted', ',', /(?:)/),
  csv('csv-semicolon', ';', /(?:)/),
  csv('csv-tab', '\t', /["\t\r\n#]|^\s|\s$|^$/),
  { ...json, name: 'json', head: '[\n', between: ',\n', tail: '\n]\n' },
  { ...json, name: 'json-lines', head: '', between: '\n', tail: '\n' },
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

/** `gaps[at]` follows `rows[at]`; the last one is the tail. */
interface Pieces {
  head: Buffer;
  readonly rows: Buffer[];
  readonly gaps: Buffer[];
}
type Effect = Partial<Omit<Damaged, 'kind'>>;
type Damage = (pieces: Pieces, at: number, draw: Draw, format: Format) => Effect;

const set = (...items: number[]) => new Set(items);
const from = (first: number) => new Set(Array.from(users.keys()).filter((at) => at >= first));
const encode = (text: string) =>
  text.includes('\xff') || text.includes('\xc3\n') ? Buffer.from(text, 'latin1') : Buffer.from(text);
const anyFragment = (draw: Draw, { fragments }: Format) =>
  encode(draw.pick(draw.chance(0.4) ? anywhere : fragments));
const inside = (at: number) => ({ own: set(at), near: set(at - 1, at + 1) });
const join = ({ head, rows, gaps }: Pieces) =>
  Buffer.concat([head, ...rows.flatMap((row, at) => [row, gaps[at]!])]);

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
  guest({ rows }, at, draw, { row, between }) {
    const extra = `a${draw.pick(hostileValues)}b`;
    const name = draw.chance(0.5) ? `N ${draw.pick(hostileValues)} M` : 'Guest';
    const guest = { ...makeUser('guest', 31, name, extra), id: '9031' };
    const both = [row(guest), rows[at]!.toString()];
    rows[at] = Buffer.from((draw.chance(0.5) ? both : both.toReversed()).join(between));
    return { guest };
  },
  /** Lines of their own between two rows. */
  line({ gaps }, at, draw, format) {
    const fragment = anyFragment(draw, format);
    const feed = Buffer.from(draw.pick(['\n', '\r\n']));
    const before = gaps[at]!;
    gaps[at] = Buffer.concat(draw.chance(0.5) ? [before, fragment, feed] : [feed, fragment, before]);
    return { near: set(at, at + 1) };
  },
  /** Glued to the end of a row or to the beginning of the next. */
  glued({ gaps }, at, draw, format) {
    const both = [anyFragment(draw, format), gaps[at]!];
    gaps[at] = Buffer.concat(draw.chance(0.5) ? both : both.toReversed());
    return { own: set(at, at + 1) };
  },
  /** What is between two rows is missing, doubled or something else. */
  between({ gaps }, at, draw, { between }) {
    gaps[at] = Buffer.from(draw.pick(['', between.repeat(2), ' ', '\r', '\r\n', ' \n', '\n \n']));
    return { near: set(at, at + 1) };
  },
  inside({ rows }, at, draw, format) {
    const row = rows[at]!;
    const place = draw.below(row.length + 1);
    rows[at] = Buffer.concat([row.subarray(0, place), anyFragment(draw, format), row.subarray(place)]);
    return inside(at);
  },
  bytes({ rows }, at, draw, { fragments }) {
    const corpus = fragments.map((text) => Buffer.from(text));
    rows[at] = mutate(rows[at]!, draw, corpus);
    return inside(at);
  },
  /** One special character of a row is missing or doubled. */
  quote({ rows }, at, draw) {
    const text = rows[at]!.toString();
    const places = [...text.matchAll(/['"\\,;\t()[\]{}:$\n]/g)].map(({ index }) => index);
    const place = places.length === 0 ? 0 : draw.pick(places);
    const other = draw.chance(0.5) ? '' : text[place]!.repeat(2);
    rows[at] = Buffer.from(text.slice(0, place) + other + text.slice(place + 1));
    return inside(at);
  },
  twice({ rows }, at, _draw, { between }) {
    rows[at] = Buffer.from([rows[at], rows[at]].join(between));
    return { near: set(at) };
  },
  cut({ rows, gaps }, at, draw) {
    rows[at] = rows[at]!.subarray(0, draw.below(rows[at]!.length + 1));
    gaps[at] = Buffer.alloc(0);
    rows.length = at + 1;
    return { own: set(at), gone: from(at) };
  },
  /** As another system keeps the same file, or in two parts one after the other. */
  kept(pieces, at, draw, { head, tail }) {
    const text = join(pieces).toString();
    if (draw.chance(0.125)) return { bytes: Buffer.from(`\ufeff${text}`, 'utf16le') };
    const gaps = pieces.gaps.with(at, Buffer.from(tail + head));
    const others = [`\ufeff${text}`, `${text}\n\n\n`, `${text}\x1a`, `\n\n${text}`];
    const halves = join({ ...pieces, gaps }).toString();
    return {
      bytes: Buffer.from(draw.pick([...others, text.replaceAll('\n', '\r\n'), text.trimEnd(), halves])),
    };
  },
  /** The first or the last lines. */
  around(pieces, _at, draw, format) {
    const isHead = draw.chance(0.5);
    const was = isHead ? pieces.head : pieces.gaps.at(-1)!;
    const changed = draw.chance(0.5)
      ? mutate(was, draw)
      : Buffer.concat([was, anyFragment(draw, format), Buffer.from(draw.pick(['', '\n']))]);
    if (isHead) pieces.head = changed;
    else pieces.gaps.splice(-1, 1, changed);
    return isHead ? { own: from(0), gone: from(0) } : { own: set(users.length - 1) };
  },
};

/** The table in a format, with one damage, or two. */
export function damage(format: Format, draw: Draw): Damaged {
  const { head, between, tail, row } = format;
  const pieces = {
    head: Buffer.from(head),
    rows: users.map((user) => Buffer.from(row(user))),
    gaps: users.map((_, at) => Buffer.from(at + 1 < users.length ? between : tail)),
  };
  const kind = draw.pick(Object.keys(damages));
  const effect = damages[kind]!(pieces, draw.below(users.length - 1), draw, format);
  return { near: set(), own: set(), gone: set(), kind, bytes: join(pieces), ...effect };
}

export const soundText = ({ head, between, tail, row }: Format, guest?: User) =>
  Buffer.from(head + [...users, ...(guest === undefined ? [] : [guest])].map(row).join(between) + tail);
