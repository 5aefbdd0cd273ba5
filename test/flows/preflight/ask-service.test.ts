import { expect, it } from 'vitest';
import { askService } from '../../../src/flows/preflight/ask-service.ts';
import { createService } from '../../support/service.ts';

it('askService reads the domains of more organizations than one page holds', async () => {
  const { client, server } = createService();
  for (let at = 0; at < 1001; at++) await server.call('POST /v2/organizations', { name: `Org ${at}` });
  await server.clock.advance(60_000);
  const { foreignDomains } = await askService(
    client,
    [{ orgId: server.orgId, name: '', domains: [] }],
    () => {},
  );
  expect(foreignDomains).toHaveLength(1001);
});
