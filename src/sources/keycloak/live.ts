/** A running Keycloak: its database yields each realm as `kc.sh export` writes it. */
import { InputError } from '../../errors.ts';
import { type Database, countedRows, liveInput } from '../../lib/live-system.ts';
import type { LiveSource } from '../source.ts';
import { partsOfRealm } from './live-sql.ts';
import { type KeycloakOptions, severalRealms, unknownRealm } from './options.ts';

const oldest = 18;
/** Newer versions are tried. A missing table or column then ends the run. */
const newest = 26;

/** Throws `UsageError` if the realm does not exist, and `InputError` if the database is not one of Keycloak. */
export async function openLiveRealms(
  db: Database,
  { realmName, allRealms = false }: KeycloakOptions,
): Promise<LiveSource> {
  const version = await readVersion(db);
  const realms = (await db.query('select ID, NAME from REALM order by NAME')) as [string, string][];
  const names = realms.map(([, name]) => name);
  // Every database has the administrators' realm, which is not meant as the only one.
  const others = names.length === 1 || allRealms ? names : names.filter((name) => name !== 'master');
  const meant = realmName === undefined ? others : [realmName];
  const chosen = realms.filter(([, name]) => meant.includes(name));
  if (chosen.length === 0) throw unknownRealm(db.host, names, realmName);
  if (chosen.length > 1 && !allRealms) throw severalRealms(db.host, others);
  return {
    inputs: chosen.map(([id, name]) =>
      liveInput(`${name}@${db.host}`, () => writeRealm(db, version, { id, name })),
    ),
    companions: {},
  };
}

/** Returns the version as the number that selects the statements: 26.03 for 26.3.6. */
async function readVersion(db: Database) {
  const rows = await db.query('select VERSION from MIGRATION_MODEL order by UPDATE_TIME desc limit 1');
  const text = rows[0]?.[0] ?? '';
  const [major = 0, minor = 0] = text.split('.').map(Number);
  if (major >= oldest && major <= newest + 1) return major + minor / 100;
  throw new InputError(
    'input:live',
    db.host,
    `its tables are those of Keycloak ${text || '(unknown version)'}`,
    `idport reads the databases of ${oldest} to ${newest}. Export it: kc.sh export --realm <name> --file realm.json`,
  );
}

async function* writeRealm(
  db: Database,
  version: number,
  { id, name }: { readonly id: string; readonly name: string },
): AsyncGenerator<string | Uint8Array> {
  yield `{"id":${JSON.stringify(id)},"realm":${JSON.stringify(name)}`;
  for (const { before, sql, after, count } of partsOfRealm(db.kind, version, db.quote(id))) {
    yield before;
    let isFirst = true;
    const rows = db.readTexts(sql);
    for await (const { text } of count === undefined ? rows : countedRows(db, 'users', count, rows)) {
      yield isFirst ? text.subarray(1) : text;
      isFirst = false;
    }
    yield after;
  }
  yield '}\n';
}
