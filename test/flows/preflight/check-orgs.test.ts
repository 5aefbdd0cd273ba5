import { expect, it } from 'vitest';
import { findMissingOrgs } from '../../../src/flows/preflight/check-orgs.ts';
import { createService } from '../../support/service.ts';

function missingWhere(id: string) {
  const body = { code: 5, message: `not found (${id})`, details: [{ id, message: 'not found' }] };
  const { client, server } = createService({
    fault: ({ url, headers }) =>
      url.includes('orgs') && JSON.stringify([url, headers]).includes('4711')
        ? { status: 404, body }
        : undefined,
  });
  return findMissingOrgs(client, [server.orgId, '4711']);
}

it.each(['QUERY-leq5Q', 'QUERY-iTTGJ'])(
  'findMissingOrgs returns an organization that the service reports missing with %s',
  async (id) => {
    expect(await missingWhere(id)).toEqual(['4711']);
  },
);

it('findMissingOrgs throws if the token may not look up an organization', async () => {
  await expect(missingWhere('AUTHZ-cdgFk')).rejects.toMatchObject({ id: 'AUTHZ-cdgFk' });
});
