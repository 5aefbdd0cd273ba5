/**
 * Every built-in source on the reference server: its export is converted, checked and imported, users log in with the
 * passwords they had, and the service holds what the export says. One server in this process, and real HTTP.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReferenceServer } from '../../../src/server/index.ts';
import { builtInNames } from '../../../src/sources/table/built-in-names.ts';
import { hashDecoders } from '../../../src/records/hash-forms/decoders.ts';
import { mappingText } from '../../../src/sources/table/built-in-mappings.ts';
import { readMapping } from '../../../src/sources/table/mapping/read.ts';
import { eventOf, runProgram, succeeded } from '../../support/workspace.ts';
import { createTestFolder } from '../../support/folder.ts';
import { convertFixture, proveFixtures } from '../../support/fixture-cases.ts';
import { folderOf, readFixture } from '../../support/samples.ts';

const server = createReferenceServer({
  profile: 'all-verifiers',
  rate: null,
  orgId: '1',
  orgName: 'Default',
});
const token = server.tokens.iamOwner;
let url = '';
beforeAll(async () => {
  url = (await server.listen()).url;
});
afterAll(() => server.close());

/** Those that `--idp` of the fixtures names. */
const identityProviders = ['310', '311'].map((idpId) => ({
  idpId,
  idp: { name: `Provider ${idpId}`, clientId: 'c', clientSecret: 's', issuer: 'https://idp.example' },
}));

/** The status of the answer. */
async function logIn(userId: string, password: string) {
  const answer = await fetch(`${url}/v2/sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ checks: { user: { userId }, password: { password } } }),
  });
  await answer.body?.cancel();
  return answer.status;
}

const profile = '--target-profile=all-verifiers';
const limits = ['--max-emails=10', '--max-sms=10'];

describe.each(builtInNames)('%s', (source) => {
  const fixture = readFixture(source);
  const { logins, body } = fixture;

  proveFixtures(source, ['users']);

  it('passes check, import and verify, and its users log in with their passwords', async () => {
    await server.reset();
    await server.seed({ dataOrgs: { orgs: [{ orgId: '1', oidcIdps: identityProviders }] }, timeout: '1m' });
    const cwd = createTestFolder();
    writeFileSync(join(cwd, 'body.json'), JSON.stringify(body));
    const env = { IDPORT_URL: url, IDPORT_TOKEN: token };
    const run = async (...argv: string[]) => {
      const { problem, ...ran } = await runProgram(argv, { cwd, env });
      expect(problem?.message).toBeUndefined();
      return ran;
    };
    // In bulk, for the recovery codes.
    expect(await run('check', 'body.json', '--route=import', profile, ...limits)).toMatchObject({
      exitCode: 0,
    });
    await succeeded(run('import', 'body.json', ...limits));
    for (const [userName, password] of Object.entries(logins)) {
      const id = idOf(body, userName);
      expect([userName, await logIn(id, password)]).toEqual([userName, 201]);
    }
    for (const userName of Object.keys(logins).slice(0, 1))
      expect(await logIn(idOf(body, userName), 'not the password')).not.toBe(201);
    // Users whose address is not verified wait for their email.
    const { users } = eventOf(await run('verify', 'body.json'), 'verify:end');
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
    const cwd = createTestFolder();
    const { stdout } = await runProgram(['migrate', source, '--print-map'], { cwd });
    writeFileSync(join(cwd, 'map.yaml'), stdout);
    const flags = [...(fixture.flags ?? []), `--map=${join(cwd, 'map.yaml')}`];
    const own = await convertFixture(source, ['users'], { ...fixture, flags }, folderOf(source));
    expect((own.body as Body).dataOrgs.orgs[0]?.humanUsers).toEqual(
      (body as unknown as Body).dataOrgs.orgs[0]?.humanUsers,
    );
  });
});

interface Body {
  readonly dataOrgs: {
    readonly orgs: readonly {
      readonly humanUsers: readonly { userId: string; user: { userName: string } }[];
    }[];
  };
}

function idOf(body: unknown, userName: string) {
  const [org] = (body as Body).dataOrgs.orgs;
  const found = org?.humanUsers.find(({ user }) => user.userName === userName);
  if (found === undefined) throw new Error(`no user ${userName}`);
  return found.userId;
}

/** Auth.js has no passwords of its own: what a table of its users holds is the application's. */
const withoutHashes = new Set(['authjs']);
