/** SQL that writes JSON from Keycloak's tables, for PostgreSQL and MySQL. */
import type { Database } from '../../lib/live-system.ts';
import { snakeCase } from '../../wire/member-names.ts';

const joinPostgres = (sql: string, order: string) => `string_agg(${sql}, ',' order by ${order})`;

/** What differs between databases. All functions take and return SQL. */
const postgres = {
  /** Writes a text as JSON. NULL stays NULL. */
  text: (sql: string) => `to_json((${sql})::text)::text`,
  /** Joins texts. NULL if one of them is NULL. */
  concat: (...parts: readonly string[]) => `(${parts.join(' || ')})`,
  base64: (sql: string) => String.raw`translate(encode(${sql}, 'base64'), E'\n', '')`,
  /** Joins the texts of several rows with commas, without those that are NULL. NULL if there are none. */
  join: joinPostgres,
  /**
   * `from` yields a row `N` for each attribute name of a user. `list` is the list of its values (rows `V`), in the
   * order in which they were written.
   */
  attributes: (isOwners: (alias: string) => string, value: string) => ({
    from: `(select V.NAME, concat('[', ${joinPostgres(value, 'V.CTID')}, ']') LIST from USER_ATTRIBUTE V where ${isOwners('V')} group by V.NAME) N`,
    list: 'N.LIST',
  }),
  /** Returns the order in which the rows of a table were written. */
  row: (alias: string) => `${alias}.CTID`,
  /** Returns the path of group `G`, and what must precede the statement. `among` selects groups of the same kind. */
  paths: (among: (alias: string) => string) => ({
    before: '',
    path: `(with recursive UP as (select G.PARENT_GROUP PARENT, '/' || G.NAME PATH union all
      select K.PARENT_GROUP, '/' || K.NAME || UP.PATH from UP join KEYCLOAK_GROUP K on K.ID = UP.PARENT and ${among('K')})
      select max(PATH) from UP where not exists (select 1 from KEYCLOAK_GROUP K where K.ID = UP.PARENT and ${among('K')}))`,
  }),
};

const mysql: typeof postgres = {
  // MySQL assumes that quoting makes a text up to 6 times longer. For a LONGTEXT, that exceeds 32 bits, and MySQL cuts
  // the result to 4 characters. The limit here is longer than any text that a run accepts in a row.
  text: (sql) => `json_quote(left(${sql}, 100000000))`,
  concat: (...parts) => `concat(${parts.join(', ')})`,
  base64: (sql) => String.raw`replace(to_base64(${sql}), '\n', '')`,
  join: (sql, order) => `group_concat(${sql} order by ${order} separator ',')`,
  // A subquery in `from` cannot see the outer row. Without `binary`, names that differ in case or accents would be one.
  attributes: (isOwners, value) => ({
    from: `USER_ATTRIBUTE N where ${isOwners('N')} and not exists (select 1 from USER_ATTRIBUTE M where ${isOwners('M')} and binary M.NAME = N.NAME and M.ID < N.ID)`,
    list: `(select concat('[', ${mysql.join(value, 'V.ID')}, ']') from USER_ATTRIBUTE V where ${isOwners('V')} and binary V.NAME = N.NAME)`,
  }),
  row: (alias) => `${alias}.ID`,
  // MySQL has no recursion inside a row, so the paths of all groups are computed once.
  paths: (among) => ({
    before: `with recursive PATHS as (
      select K.ID, cast(concat('/', K.NAME) as char(8000)) PATH from KEYCLOAK_GROUP K where ${among('K')}
      and not exists (select 1 from KEYCLOAK_GROUP A where A.ID = K.PARENT_GROUP and ${among('A')}) union all
      select K.ID, concat(PATHS.PATH, '/', K.NAME) from PATHS join KEYCLOAK_GROUP K on K.PARENT_GROUP = PATHS.ID and ${among('K')}) `,
    path: '(select PATHS.PATH from PATHS where PATHS.ID = G.ID)',
  }),
};

export type JsonBuilder = ReturnType<typeof createJsonBuilder>;

/** Returns functions that build JSON from SQL. */
export function createJsonBuilder(kind: Database['kind']) {
  const dialect = kind === 'postgres' ? postgres : mysql;
  const { text, concat, join } = dialect;
  const all = (sql: string, order: string, from: string) => `(select ${join(sql, order)} from ${from})`;
  const list = (sql: string, order: string, from: string) => concat(`'['`, all(sql, order, from), `']'`);
  const flag = (sql: string) => `case when ${sql} then 'true' else 'false' end`;
  /** Columns are named like their fields: `firstName` is in `U.FIRST_NAME`. */
  const columns =
    (write: (sql: string) => string) =>
    (alias: string, ...names: readonly string[]): Readonly<Record<string, string>> =>
      Object.fromEntries(names.map((name) => [name, write(`${alias}.${snakeCase(name).toUpperCase()}`)]));
  const rolesOf = (table: string, owner: string, id: string, role: string) =>
    `${table} M join KEYCLOAK_ROLE R on R.ID = M.${role} where M.${owner} = ${id}`;
  return {
    dialect,
    text,
    /** NULL if there are no rows. */
    list,
    flag,
    texts: columns(text),
    flags: columns(flag),
    /** Leaves out fields that are NULL: most users have few of them, and each would have to be sent and parsed. */
    object: (fields: Readonly<Record<string, string>>) => {
      const given = Object.entries(fields).map(([name, sql]) => concat(`'"${name}":'`, sql));
      return concat(`'{'`, `concat_ws(',', ${given.join(', ')})`, `'}'`);
    },
    /** Returns `{"name": value}`. NULL if there are no rows. */
    map: (name: string, value: string, from: string) =>
      concat(`'{'`, all(concat(text(name), `':'`, value), name, from), `'}'`),
    realmRoles: (table: string, owner: string, id: string, role = 'ROLE_ID') =>
      list(text('R.NAME'), 'R.NAME', `${rolesOf(table, owner, id, role)} and R.CLIENT is null`),
    /** Returns `{"client": ["role"]}`. NULL if there are no roles. */
    clientRoles: (table: string, owner: string, id: string, role = 'ROLE_ID') => {
      const roles = rolesOf(table, owner, id, role);
      const entry = concat(
        text('C.CLIENT_ID'),
        `':'`,
        list(text('R.NAME'), 'R.NAME', `${roles} and R.CLIENT = C.ID`),
      );
      return concat(
        `'{'`,
        all(entry, 'C.CLIENT_ID', `CLIENT C where C.ID in (select R.CLIENT from ${roles})`),
        `'}'`,
      );
    },
  };
}
