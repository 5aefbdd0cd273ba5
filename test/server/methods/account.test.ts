/** What a token's owner learns about itself. */
import { describe, expect, it } from 'vitest';
import { createTestServer } from '../../support/reference-server.ts';

const server = createTestServer();

describe('the caller', () => {
  it('sees itself', async () => {
    const { body } = await server.call('GET /auth/v1/users/me', undefined, { as: 'orgOwner' });
    expect(body.user).toMatchObject({
      id: server.users.orgOwner,
      userName: 'org-owner',
      machine: { name: 'org-owner' },
    });
  });

  it.each([
    [
      'iamOwner',
      [
        { roles: ['ORG_OWNER'], orgId: server.orgId },
        { roles: ['IAM_OWNER'], iam: true },
      ],
    ],
    ['orgOwner', [{ roles: ['ORG_OWNER'], orgId: server.orgId }]],
    ['nobody', undefined],
  ] as const)('%s sees its memberships', async (as, result) => {
    const { body } = await server.call('POST /auth/v1/memberships/me/_search', {}, { as });
    expect(
      body.result?.map(({ roles, iam, orgId }: any) => ({ roles, ...(iam ? { iam } : { orgId }) })),
    ).toEqual(result);
  });

  it.each([
    ['iamOwner', ['iam.write', 'iam.read', 'user.write', 'org.create', 'session.write'], []],
    ['iamViewer', ['iam.read', 'user.read', 'events.read'], ['iam.write', 'user.write']],
    [
      'orgOwner',
      ['user.write', 'user.grant.write', 'org.write'],
      ['iam.read', 'org.create', 'session.write'],
    ],
  ] as const)('%s sees its permissions', async (as, held, lacking) => {
    const { body } = await server.call('POST /auth/v1/permissions/zitadel/me/_search', undefined, { as });
    expect(body.result).toEqual(expect.arrayContaining([...held]));
    expect(body.result.filter((permission: any) => lacking.includes(permission as never))).toEqual([]);
  });
});
