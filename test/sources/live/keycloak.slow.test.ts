/**
 * A real Keycloak on each database: what is read of the database is what its own export has, with the server running.
 * IDPORT_KEYCLOAK says of which version, such as 18.0.2; `scripts/live-programs.sh` takes the same variable.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { convertFiles } from '../../support/conversion.ts';
import { openWorkspace } from '../../support/workspace.ts';
import {
  databases,
  has,
  keycloakMajor,
  type LiveDatabase,
  type LiveKeycloak,
  startKeycloak,
} from '../../support/live-programs.ts';
import { samplePath } from '../../support/samples.ts';

const orchard = samplePath('keycloak/kc-26.7.3-orchard/orchard.json');
const known = { username: 'bjorn.dangelo210', password: 'apple-210' };

async function login({ url }: LiveKeycloak) {
  const body = new URLSearchParams({ grant_type: 'password', client_id: 'shop', ...known });
  const address = `${url}/realms/orchard/protocol/openid-connect/token`;
  return (await fetch(address, { method: 'POST', body })).ok;
}

/** Body and exit code. */
async function migrate(flags: readonly string[]): Promise<readonly [string, number]> {
  const profile = '--target-profile=all-verifiers';
  const { problem, exitCode, read } = await convertFiles([
    'migrate',
    'keycloak',
    '--org=1',
    profile,
    ...flags,
  ]);
  expect(problem).toBeUndefined();
  return [read('importBody.json'), exitCode];
}

/** Tables of Keycloak on MariaDB and MySQL take no characters beyond the first plane. */
const basic = (text: string) =>
  text.replaceAll(/[\u{10000}-\u{10ffff}]/gu, 'x').replaceAll(/\\ud[89ab]..\\ud[c-f]../gi, 'x');

/** The realm without what a version before 26 refuses. */
function forVersion(text: string) {
  if (keycloakMajor >= 26) return text;
  const { realm, enabled, roles, groups, clients, identityProviders, users } = JSON.parse(text);
  const known = { realm, enabled, sslRequired: 'none', roles, groups, clients, identityProviders, users };
  return JSON.stringify(known, (name, value: unknown) => {
    if (name === 'parentId' || name === 'types') return undefined;
    if (name === 'credentialData' && keycloakMajor < 22)
      return String(value).replaceAll(/,"(?:secretEncoding|transports)":(?:"\w*"|\[[^\]]*\])/g, '');
    return keycloakMajor < 24 && typeof value === 'string' && !value.startsWith('{')
      ? value.slice(0, 250)
      : value;
  });
}

for (const { title, db, start, isThere } of databases)
  describe(`Keycloak on ${title} (needs Keycloak on ${title} and the samples)`, () => {
    const isReady = isThere && has.keycloak(db) && orchard !== undefined;
    let database: LiveDatabase;
    let keycloak: LiveKeycloak;
    let exported = '';

    beforeAll(async () => {
      if (!isReady) return;
      database = await start();
      // Only case tells these two names apart, and the collations of MariaDB and MySQL ignore it.
      const realm = forVersion(
        readFileSync(orchard, 'utf8').replaceAll('"bio" :', '"Bio" : [ "x" ], "bio" :'),
      );
      keycloak = await startKeycloak(db, database.port, db === 'postgres' ? realm : basic(realm));
      // The first login may change the hash to one of this version's own.
      await login(keycloak);
      exported = keycloak.exportRealm('orchard');
    }, 900_000);
    afterAll(async () => {
      await keycloak?.stop();
      await database?.stop();
    });

    it.skipIf(!isReady)('gives the same body as its export while users log in', async () => {
      const live = [`--database=${database.url}`, '--realm-name=orchard'];
      let logins = 0;
      const over = new AbortController();
      const users = (async () => {
        while (!over.signal.aborted) {
          if (await login(keycloak)) logins++;
        }
      })();
      for (const more of [
        [],
        ['--metadata=all', '--service-accounts=machine-users'],
        ...(keycloakMajor < 26 ? [] : [['--org-by=organization', '--create-orgs', '--roles=new:r']]),
      ]) {
        expect(await migrate([...live, ...more])).toEqual(await migrate([`--realm=${exported}`, ...more]));
      }
      over.abort();
      await users;
      expect(logins).toBeGreaterThan(0);
    });

    it.skipIf(!isReady)('creates the same identity providers as its export', async () => {
      const made = async (source: string) => {
        const workspace = await openWorkspace();
        const { exitCode } = await workspace.run(
          `create-idps --org=${workspace.server.orgId} ${source} --output=i.csv`,
        );
        const rows = [...workspace.server.state.store.idps.values()];
        return [exitCode, rows.map(({ name, template }) => ({ name, template }))];
      };
      const live = await made(`--database=${database.url} --realm-name=orchard`);
      expect(live).toEqual(await made(`--realm=${exported}`));
      expect(live[1]).toHaveLength(2);
    });
  });
