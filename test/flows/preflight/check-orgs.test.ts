import { expect, it } from 'vitest';
import { createClient } from '../../../src/api/client.ts';
import { fixedToken } from '../../../src/api/credentials.ts';
import { findMissingOrgs } from '../../../src/flows/preflight/check-orgs.ts';
import { createFakeClock } from '../../support/clock.ts';
import { playScript, refusal, type Step } from '../../support/script.ts';

function missingWhere(...steps: readonly Step[]): Promise<string[]> {
  const clock = createFakeClock();
  const { send } = playScript(steps, clock);
  const credentials = fixedToken('token');
  const client = createClient({ url: 'https://id.example', credentials, clock, emit: () => {}, send });
  return findMissingOrgs(client, ['1', '2']);
}

const there: Step = { body: { org: { id: '1', name: 'Acme', state: 'ORG_STATE_ACTIVE' } } };

it.each(['QUERY-leq5Q', 'QUERY-iTTGJ'])(
  'an organization that the service misses with %s is missing',
  async (id) => {
    expect(await missingWhere(there, refusal(404, 5, id, 'Organisation not found'))).toEqual(['2']);
  },
);

it('an organization that may not be looked up is no missing one', async () => {
  const notAllowed = refusal(404, 5, 'AUTHZ-cdgFk', 'membership not found');
  await expect(missingWhere(there, notAllowed)).rejects.toMatchObject({ id: 'AUTHZ-cdgFk' });
});
