/** Tables and entries: the running system, its dump and its CSV give the same body. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { convertFiles } from '../../support/conversion.ts';
import { createTestFolder } from '../../support/folder.ts';
import { databases, has, type LiveDatabase, startSlapd } from '../../support/live-programs.ts';
import { folderOf } from '../../support/samples.ts';

async function migrate(source: string, cwd: string, flags: readonly string[]) {
  const argv = ['migrate', source, '--org=1', '--target-profile=all-verifiers', '--email-verified'];
  const { problem, users, read } = await convertFiles([...argv, ...flags], {}, { cwd });
  expect(problem).toBeUndefined();
  expect(users.length).toBeGreaterThan(2);
  return read('importBody.json');
}

const mapping = `
idport: 1
source: { table: members, columns: optional }
tables:
  addresses: { from: member_addresses, key: owner, many: true }
user:
  id: { from: id, prefix: p- }
  userName: [nick, email]
  email: email
  emailVerified: { column: verified, is: [t, '1'] }
  givenName: first
  familyName: last
  state: { inactive: { column: gone, is: [t, '1'] } }
  metadata: { born: born, seen: seen, weight: weight, prefs: prefs, raw: raw, note: note, one: one, more: more, second: "addresses[0].address" }
`;

/** Every kind of value; a text with all that a dump has to escape. */
const note = String.raw`E'a\tb\nc\\d "e" ''f'' \u00fc \U0001F34E'`;
const members = {
  postgres: `create table members (id uuid, nick text, email text, verified boolean, first text, last text, gone boolean,
      born date, seen timestamptz, weight numeric(8,3), prefs jsonb, raw bytea, note text, one bit(1), more bit(9));
    create table member_addresses (owner uuid, address text);
    insert into members values
      ('7c1f2a52-0001-4000-8000-000000000001', 'ann', 'ann@example.org', true, 'Ann', 'A', false, '1990-02-03', '2024-05-06 07:08:09.123+02', 1.500, '{"a": [1, "x"]}', '\\x00ff10', ${note}, B'1', B'101100001'),
      ('7c1f2a52-0001-4000-8000-000000000002', null, 'bob@example.org', false, 'Bob', 'B', true, null, null, null, null, null, '', B'0', B'0'::bit(9)),
      ('7c1f2a52-0001-4000-8000-000000000003', 'cy', 'cy@example.org', true, 'Cy', 'C', false, '2000-01-01', 'epoch', -0.001, '[]', '\\x6162', 'plain', null, null);
    insert into member_addresses values ('7c1f2a52-0001-4000-8000-000000000001', 'second@example.org');`,
  mariadb: String.raw`create table members (id char(36), nick text, email text, verified tinyint(1), first text, last text, gone tinyint(1),
      born date, seen timestamp null, weight decimal(8,3), prefs json, raw varbinary(9), note text, one bit(1), more bit(9));
    create table member_addresses (owner char(36), address text);
    set time_zone = '+00:00';
    insert into members values
      ('7c1f2a52-0001-4000-8000-000000000001', 'ann', 'ann@example.org', 1, 'Ann', 'A', 0, '1990-02-03', '2024-05-06 05:08:09', 1.500, '{"a": [1, "x"]}', 0x00ff10, 'a\tb\nc\\d "e" ''f'' ü 🍎', b'1', b'101100001'),
      ('7c1f2a52-0001-4000-8000-000000000002', null, 'bob@example.org', 0, 'Bob', 'B', 1, null, null, null, null, null, '', b'0', 0),
      ('7c1f2a52-0001-4000-8000-000000000003', 'cy', 'cy@example.org', 1, 'Cy', 'C', 0, '2000-01-01', '1970-01-02', -0.001, '[]', 0x6162, 'plain', null, null);
    insert into member_addresses values ('7c1f2a52-0001-4000-8000-000000000001', 'second@example.org');`,
};

const bcrypt = '$2b$04$abcdefghijklmnopqrstuuEYmQrPk0oCqJ2iQ3T5p3hYv0gH0cD2S';
const django = `create table auth_user (id int primary key, password varchar(128), last_login timestamp null, is_superuser boolean, username varchar(150), first_name varchar(150), last_name varchar(150), email varchar(254), is_staff boolean, is_active boolean, date_joined timestamp null);
  create table account_emailaddress (id int primary key, email varchar(254), verified boolean, "primary" boolean, user_id int);
  insert into auth_user values (1, 'pbkdf2_sha256$1000$c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g=', null, true, 'ann', 'Ann', 'A', 'ann@example.org', true, true, '2024-01-02 03:04:05'),
    (2, '!x', '2024-01-02 03:04:05', false, 'bob', '', '', 'bob@example.org', false, false, '2024-01-02 03:04:05'), (3, '', null, false, 'cy', 'Cy', 'C', 'cy@example.org', false, true, '2024-01-02 03:04:05');
  insert into account_emailaddress values (1, 'ann@example.org', true, true, 1), (2, 'cy@example.org', false, true, 3);`;
const wordpress = String.raw`create table wp_users (ID bigint unsigned primary key, user_login varchar(60), user_pass varchar(255), user_nicename varchar(50), user_email varchar(100), user_url varchar(100), user_registered datetime, user_activation_key varchar(255), user_status int, display_name varchar(250));
  create table wp_usermeta (umeta_id bigint unsigned primary key, user_id bigint unsigned, meta_key varchar(255), meta_value longtext);
  insert into wp_users values (1,'ann','$P$Bfc6b7043.qEbupdKHlTH3.KewFJOo.','ann','ann@example.org','','2025-01-01 00:00:00','',0,'Ann "A" \\ B'), (2,'bob','x','bob','bob@example.org','','2025-01-01','',0,'Bob'), (3,'cy','x','cy','cy@example.org','','2025-01-01','',0,'C\nY');
  insert into wp_usermeta values (1,1,'first_name','Ann'), (2,1,'last_name','A'), (3,2,'wp_capabilities','a:1:{s:13:"administrator";b:1;}');`;
const laravel = `create table users (id int primary key, name varchar(255), email varchar(255), email_verified_at timestamp null, password varchar(255), remember_token varchar(100), created_at timestamp null, updated_at timestamp null, deleted_at timestamp null);
  insert into users values (1, 'Ann A', 'ann@example.org', '2024-01-02 03:04:05', '${bcrypt}', null, null, null, null), (2, 'Bob B', 'bob@example.org', null, '${bcrypt}', 'x', null, null, null), (3, 'Cy', 'cy@example.org', null, '', null, null, null, null), (4, 'Gone', 'gone@example.org', null, '', null, null, null, '2024-01-02 03:04:05');`;

for (const { title, db, start, isThere } of databases)
  describe(`tables of ${title} (needs ${title})`, () => {
    const kind = db === 'postgres' ? db : 'mariadb';
    let database: LiveDatabase;
    beforeAll(async () => {
      if (!isThere) return;
      database = await start();
      database.sql(members[kind]);
      if (kind === 'mariadb') database.sql(wordpress);
      database.sql(kind === 'postgres' ? django : django.replaceAll('"', '`'));
      database.sql(laravel);
    });
    afterAll(() => database?.stop());

    /** As the tools of the database write CSV: psql, or a query that quotes. */
    const csv = (table: string) => {
      if (kind === 'postgres') return database.sql(`copy ${table} to stdout with (format csv, header)`);
      const columns = database
        .sql(
          `select column_name from information_schema.columns where table_schema = 'app' and table_name = '${table}' order by ordinal_position`,
        )
        .trim()
        .split('\n');
      const cell = (name: string) => `coalesce(concat('"', replace(\`${name}\`, '"', '""'), '"'), '')`;
      const rows = database.sql(
        `set time_zone='+00:00'; select concat_ws(',', ${columns.map(cell).join(', ')}) from ${table}`,
      );
      return `${columns.join(',')}\n${rows}`;
    };

    const sources = [
      ['django', ['auth_user', 'account_emailaddress'], { addresses: 'account_emailaddress' }],
      ['laravel', ['users'], {}],
      ['wordpress', ['wp_users', 'wp_usermeta'], { meta: 'wp_usermeta' }],
      ['sql', ['members', 'member_addresses'], { addresses: 'member_addresses' }],
    ] as const;

    it.skipIf(!isThere).each(sources.filter(([source]) => kind === 'mariadb' || source !== 'wordpress'))(
      '%s gives the same body from the database, its dump and CSV',
      async (source, tables, joined) => {
        const cwd = createTestFolder();
        writeFileSync(join(cwd, 'map.yaml'), mapping);
        writeFileSync(join(cwd, 'dump.sql'), database.dump(...tables));
        for (const table of tables) writeFileSync(join(cwd, `${table}.csv`), csv(table));
        const map = source === 'sql' ? ['--map=map.yaml'] : [];
        const live = await migrate(source, cwd, [...map, `--database=${database.url}`]);
        expect(live).toBe(await migrate(source, cwd, [...map, '--users=dump.sql']));
        // A query escapes what a dump of bytes and of line ends would have.
        if (kind === 'mariadb' && source !== 'django' && source !== 'laravel') return;
        const more = Object.entries(joined).map(([name, table]) => `--table=${name}=${table}.csv`);
        expect(live).toBe(await migrate(source, cwd, [...map, `--users=${tables[0]}.csv`, ...more]));
      },
    );

    const hidden = {
      mariadb: [
        [
          'columns',
          'create user few@127.0.0.1; grant select (id, email) on app.users to few@127.0.0.1',
          'SELECT command denied',
        ],
      ],
      postgres: [
        [
          'columns',
          'create role few login; grant select (id, email) on users to few',
          'users (name, email_verified_at, password',
        ],
        [
          'rows',
          'grant select on users to few; alter table users enable row level security; create policy few on users using (id < 3)',
          'query would be affected by row-level security policy for table "users"',
        ],
      ],
    };
    it.skipIf(!isThere).each(hidden[kind])(
      'reports %s that the account may not read',
      async (_, grants, missing) => {
        database.sql(grants);
        const { exitCode, problem } = await convertFiles([
          'migrate',
          'laravel',
          '--org=1',
          `--database=${database.url.replace(/\w+@/, 'few@')}`,
        ]);
        expect(exitCode).toBe(1);
        expect(problem?.message).toMatch(`a permission is missing: ${missing}`);
      },
    );
  });

/** The entries of the fixture, with the unit above them that it leaves out. */
function readEntries() {
  const text = readFileSync(join(folderOf('openldap'), 'users.ldif'), 'utf8').replaceAll(
    /^(?:version: 1\n+|manager:.*\n)/gm,
    '',
  );
  const units = new Set(
    Array.from(text.matchAll(/,(ou=(\w+)),dc=/g), ([, unit = '', name = '']) => `${unit} ${name}`),
  );
  const parents = Array.from(units, (unit) => {
    const [rdn = '', name = ''] = unit.split(' ');
    return `dn: ${rdn},dc=example,dc=org\nobjectClass: organizationalUnit\nou: ${name}\n\n`;
  });
  const [base = '', ...entries] = text.split('\n\n');
  return [`${base}\n\n`, ...parents, entries.join('\n\n')].join('');
}

describe('migrate --directory (needs slapd)', () => {
  it.skipIf(!has.slapd)('gives the same body as slapcat', async () => {
    const cwd = createTestFolder();
    const directory = await startSlapd(readEntries());
    onTestFinished(() => directory.stop());
    writeFileSync(join(cwd, 'users.ldif'), directory.ldif);
    writeFileSync(join(cwd, 'password'), 'admin\n');
    const live = await migrate('openldap', cwd, [
      `--directory=ldap://127.0.0.1:${directory.port}/dc=example,dc=org`,
      '--bind-dn=cn=admin,dc=example,dc=org',
      '--bind-password-file=password',
    ]);
    expect(live).toBe(await migrate('openldap', cwd, ['--users=users.ldif']));
  });
});
