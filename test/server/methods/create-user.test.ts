/** Users made by version 2: the older way, the newer one, codes, emails and refusals. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createTestServer, type FullServer } from '../../support/full-server.ts';

let server: FullServer;
beforeEach(() => {
  server = createTestServer();
});

const human = (changes: object = {}) => ({
  profile: { givenName: 'Minnie', familyName: 'Mouse' },
  email: { email: 'mini@mouse.com', isVerified: true },
  ...changes,
});
const add = (changes: object = {}) => server.call('POST /v2/users/human', human(changes));

describe('/v2/users/human', () => {
  it('puts the user into the org that the body names, before the header', async () => {
    const { store } = server.state;
    store.orgs.put({
      ...store.orgs.get(server.orgId)!,
      id: 'b',
      name: 'B',
      domains: [{ domainName: 'b.example', isVerified: true, isPrimary: true }],
    });
    expect((await add({ organization: { orgId: 'b' } })).body.details.resourceOwner).toBe('b');
    expect(
      (await add({ username: 'x', organization: { orgDomain: 'B.example' } })).body.details.resourceOwner,
    ).toBe('b');
    expect(await add({ organization: { orgId: 'none' } })).toMatchObject({
      status: 403,
      body: { details: [{ id: 'AUTH-Bs7Ds' }] },
    });
  });

  it.each([
    [{ username: ' ' }, 400, 3, 'V2-zzad3'],
    [{ profile: { givenName: ' ', familyName: 'b' } }, 400, 3, 'USER-UCej2'],
    [{ profile: { givenName: 'a', familyName: ' ' } }, 400, 3, 'USER-4hB7d'],
    [{ metadata: [{ key: ' ', value: 'YQ==' }] }, 400, 3, 'USER-Drght'],
  ])('%j is refused', async (changes, status, code, id) => {
    await add({ userId: 'taken', username: 'taken' });
    expect(await add(changes)).toMatchObject({ status, body: { code, details: [{ id }] } });
  });
});
