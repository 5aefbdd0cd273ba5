/** `_import`: the order of its checks, every refusal with its id, what comes back, what would be sent by email. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createTestServer, type FullServer } from '../../support/full-server.ts';

const route = 'POST /management/v1/users/human/_import';
const hash = '$pbkdf2-sha256$27500$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g';

const sampleUser = (changes: object = {}): Record<string, unknown> => ({
  userName: 'ada',
  profile: { firstName: 'Ada', lastName: 'Lovelace' },
  email: { email: 'ada@example.com', isEmailVerified: true },
  hashedPassword: { value: hash },
  ...changes,
});

let server: FullServer;
const send = (body: unknown) => server.call(route, body);

beforeEach(() => {
  server = createTestServer();
});

describe('success', () => {
  it('trims the user name and the address, nothing else', async () => {
    const { body } = await send(
      sampleUser({
        userName: '  ada  ',
        profile: { firstName: ' Ada ', lastName: ' L ' },
        email: { email: ' Ada@Example.com ', isEmailVerified: true },
      }),
    );
    expect(server.state.store.users.get(body.userId)).toMatchObject({
      userName: 'ada',
      firstName: ' Ada ',
      email: 'Ada@Example.com',
    });
  });
});

describe('refusals', () => {
  it('gives a name once per org where the org keeps its names', async () => {
    const { store } = server.state;
    for (const id of ['a', 'b'])
      store.orgs.put({ ...store.orgs.get(server.orgId)!, id, name: id, ownNames: true });
    const into = (orgId: string) => server.call(route, sampleUser(), { orgId });
    expect([(await into('a')).status, (await into('b')).status, (await into('a')).status]).toEqual([
      200, 200, 409,
    ]);
    expect((await send(sampleUser())).status).toBe(200);
  });
});
