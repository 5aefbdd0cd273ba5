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
  'an organization that the service misses with %s is missing',
  async (id) => {
    expect(await missingWhere(id)).toEqual(['4711']);
  },
);

it('an organization that may not be looked up is no missing one', async () => {
  await expect(missingWhere('AUTHZ-cdgFk')).rejects.toMatchObject({ id: 'AUTHZ-cdgFk' });
});
