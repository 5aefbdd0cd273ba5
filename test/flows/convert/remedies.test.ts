/** What a run advises: no flag that it was given. */
import { expect, it } from 'vitest';
import { summarize } from '../../../src/records/summary.ts';
import { convertRealm, keycloakUser, realmOf } from '../../support/conversion.ts';
import { eventOf } from '../../support/workspace.ts';

const bytes = Buffer.alloc(16, 7).toString('base64');
const argon2 = {
  type: 'password',
  secretData: { value: bytes, salt: bytes },
  credentialData: {
    algorithm: 'argon2',
    hashIterations: 5,
    additionalParameters: { type: ['id'], memory: ['7168'], parallelism: ['1'], version: ['1.3'] },
  },
};

const sampleUser = (name: string, more: object = {}) => keycloakUser(name, { credentials: [], ...more });

const odd = realmOf(
  sampleUser('a', {
    credentials: [argon2],
    attributes: { phone: ['reception'], badge: ['7'] },
    groups: ['/g'],
  }),
  sampleUser('b', {
    email: '',
    realmRoles: ['admin'],
    federatedIdentities: [{ identityProvider: 'x', userId: '1' }],
  }),
  sampleUser('c', { enabled: false, firstName: '' }),
  sampleUser('service-account-shop', { serviceAccountClientId: 'shop' }),
);

it.each([
  '--default-region=CH',
  '--idp=google=1',
  '--email-fallback=username',
  '--metadata=all',
  '--metadata=none',
  '--on-refused-hash=keep',
  '--on-refused-hash=drop',
  '--service-accounts=skip',
  '--without-password=import',
  '--target-profile=all-verifiers',
  '--disabled=keep',
  '--duplicates=reject',
  '--name-fallback=dash',
])('remedies never suggest %s if the run already has it', async (flag) => {
  const ran = await convertRealm(odd, '--report=r.md', flag);
  const { flags } = eventOf(ran, 'run:start');
  const { notes, skips, rejections, refusals } = summarize(eventOf(ran, 'run:end').tally, flags);
  const [name = ''] = flag.split('=');
  const remedies = [notes, skips, rejections, refusals].flat();
  expect(remedies.filter(({ remedy }) => remedy.includes(name))).toEqual([]);
  // Without the row that repeats the command.
  const report = ran
    .read('r.md')
    .replace(/^\| command \|.*\n/m, '')
    .split('\n');
  expect(report.filter((line) => line.includes(`${name} `) && !line.includes('consequence'))).toEqual(
    report.filter((line) => line.includes(`unless \`${name} `)),
  );
  expect(flags).toContain(name);
});
