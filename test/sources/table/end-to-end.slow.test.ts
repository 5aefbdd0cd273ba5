/**
 * Every built-in source on the reference server: its export is converted, checked and imported, users log in with the
 * passwords they had, and the service holds what the export says.
 */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtInNames } from '../../../src/sources/table/built-in-names.ts';
import { hashDecoders } from '../../../src/records/hash-forms/decoders.ts';
import { mappingText } from '../../../src/sources/table/built-in-mappings.ts';
import { readMapping } from '../../../src/sources/table/mapping/read.ts';
import { eventOf, openFolder, openWorkspace, succeeded } from '../../support/workspace.ts';
import { convertFixture, proveFixtures } from '../../support/fixture-cases.ts';
import { folderOf, readFixture } from '../../support/samples.ts';

/** Those that `--idp` of the fixtures names. */
const identityProviders = ['310', '311'].map((idpId) => ({
  idpId,
  idp: { name: `Provider ${idpId}`, clientId: 'c', clientSecret: 's', issuer: 'https://idp.example' },
}));

describe.each(builtInNames)('%s', (source) => {
  const fixture = readFixture(source);
  const { logins, body } = fixture;

  proveFixtures(source, ['users']);

  it('passes check, import and verify, and its users log in with their passwords', async () => {
    const { server, write, run, call } = await openWorkspace({ orgId: '1', orgName: 'Default' });
    await server.seed({ dataOrgs: { orgs: [{ orgId: '1', oidcIdps: identityProviders }] }, timeout: '1m' });
    write('body.json', body);
    const limits = '--max-emails=10 --max-sms=10';
    // In bulk, for the recovery codes.
    await succeeded(run(`check body.json --route=import --target-profile=all-verifiers ${limits}`));
    await succeeded(run(`import body.json ${limits}`));
    const logIn = async (userName: string, password: string) => {
      const { userId } = body.dataOrgs.orgs[0].humanUsers.find(({ user }: any) => user.userName === userName);
      return (await call('POST /v2/sessions', { checks: { user: { userId }, password: { password } } }))
        .status;
    };
    for (const [userName, password] of Object.entries(logins))
      expect([userName, await logIn(userName, password)]).toEqual([userName, 201]);
    for (const userName of Object.keys(logins).slice(0, 1))
      expect(await logIn(userName, 'not the password')).not.toBe(201);
    // Users whose address is not verified wait for their email.
    const { users } = eventOf(await run('verify body.json'), 'verify:end');
    expect(users).toMatchObject({ missing: 0, differs: 0, unknown: 0, extra: 0 });
  });

  it('has a fixture login if its hashes can move', async () => {
    const { password = {} } = await readMapping(mappingText(source), source);
    const format = typeof password.format === 'string' ? password.format : '';
    const { converts } = hashDecoders.get(format) ?? { converts: '' };
    const givesHashes = password.none === undefined || password.from !== undefined;
    const movesHashes = givesHashes && converts !== '' && !withoutHashes.has(source);
    expect(Object.keys(logins).length > 0).toBe(movesHashes);
  });

  it('gives the same body with its printed mapping', async () => {
    const { cwd, run, write } = openFolder();
    write('map.yaml', (await run(`migrate ${source} --print-map`)).stdout);
    const flags = [...(fixture.flags ?? []), `--map=${join(cwd, 'map.yaml')}`];
    const own = await convertFixture(source, ['users'], { ...fixture, flags }, folderOf(source));
    expect(own.body.dataOrgs.orgs[0].humanUsers).toEqual(body.dataOrgs.orgs[0].humanUsers);
  });
});

/** Auth.js has no passwords of its own: what a table of its users holds is the application's. Cognito exports none: only a CSV for its import has them. */
const withoutHashes = new Set(['authjs', 'cognito']);
