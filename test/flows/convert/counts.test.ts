/** What runs count and advise: users and not notes, aliases, users without a password hash, and no flag that was given. */
import { describe, expect, it } from 'vitest';
import { ExitCode } from '../../../src/errors.ts';
import { summarize, type Summary } from '../../../src/records/summary.ts';
import { type Converted, convertFiles, keycloakUser, realmOf } from '../../support/conversion.ts';

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

async function run(
  users: readonly object[],
  ...argv: readonly string[]
): Promise<Converted & { summary: Summary; report: string }> {
  const flags = ['--realm=realm.json', '--report=r.md'];
  const ran = await convertFiles([...argv, ...flags], { 'realm.json': realmOf(...users) });
  const start = ran.events.find((event) => event.type === 'run:start');
  if (ran.tally === undefined) throw new Error(ran.problem?.message);
  // Without the row that repeats the command.
  const report = ran.read('r.md').replace(/^\| command \|.*\n/m, '');
  return { ...ran, summary: summarize(ran.tally, start?.flags), report };
}

const migrate = ['migrate', 'keycloak', '--org=1'];

describe('summary counts', () => {
  it('count users, not notes, if one user has several notes', async () => {
    const former = Array.from({ length: 2 }, () => ({ type: 'password-history' }));
    const factors = [
      { type: 'otp' },
      { type: 'otp', secretData: { value: 'a' }, credentialData: { subType: 'hotp' } },
    ];
    const users = [1, 2, 3, 4, 5].map((number) =>
      sampleUser(`u${number}`, { credentials: [...former, ...(number < 3 ? factors : [])] }),
    );
    const { summary, reasons, report } = await run(users, ...migrate);
    expect(report).toContain('## password:history: 5 users');
    expect(summary.notMigrated).toEqual([
      { kind: 'one-time passwords', codes: ['otp:hotp', 'otp:malformed'], count: 2 },
      { kind: 'former passwords', codes: ['password:history'], count: 5 },
    ]);
    expect(reasons['password:history']).toBe(5);
  });

  it('list each unmapped alias with its users, most users first', async () => {
    const link = (...aliases: string[]): object => ({
      federatedIdentities: aliases.map((identityProvider) => ({ identityProvider, userId: 'x' })),
    });
    const users = [
      sampleUser('a', link('github', 'google', 'corporate')),
      sampleUser('b', link('github', 'github')),
      sampleUser('c', link('google', 'saml')),
      sampleUser('a', link('saml')),
    ];
    const { summary, report } = await run(users, ...migrate, '--idp=google=1');
    expect(summary.aliases).toEqual([
      { alias: 'github', count: 2 },
      { alias: 'corporate', count: 1 },
      { alias: 'saml', count: 1 },
    ]);
    expect(report).toContain('| github | 2 |');
    expect(report).not.toContain('--idp');
  });
});

it.each([
  ['no email', { email: undefined }],
  ['a field of a wrong type', { firstName: 5 }],
  ['a name twice', { id: 'other' }],
  ['a hash that the target would refuse', { username: 'ben', id: 'x', credentials: [argon2] }],
])('a rejected user (%s) is reported by name', async (_, fields) => {
  const odd = { ...sampleUser('ada', fields) };
  const users = [sampleUser('ada', { id: 'first' }), odd];
  const { events, report } = await run(users, ...migrate, '--on-refused-hash=skip');
  const names = events.flatMap((event) => (event.type === 'record:rejected' ? [event.place.userName] : []));
  expect(names).toEqual([(odd as { username: string }).username]);
  expect(report).toMatch(new RegExp(`[| ]${names[0]}( |.*) \\|`));
});

describe('remedies', () => {
  const odd = [
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
  ];

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
  ])('never suggest %s if the run already has it', async (flag) => {
    const { summary, report, events } = await run(odd, ...migrate, flag);
    const name = flag.split('=')[0] ?? '';
    const remedies = [summary.notes, summary.skips, summary.rejections, summary.refusals].flat();
    expect(remedies.filter(({ remedy }) => remedy.includes(name))).toEqual([]);
    expect(
      report.split('\n').filter((line) => line.includes(`${name} `) && !line.includes('consequence')),
    ).toEqual(report.split('\n').filter((line) => line.includes(`unless \`${name} `)));
    expect(events.find((event) => event.type === 'run:start')?.flags).toContain(name);
  });

  it('count nothing as lost that is kept as metadata', async () => {
    const { summary } = await run(odd, ...migrate, '--metadata=all');
    expect(summary.notMigrated.map(({ kind }) => kind)).toEqual([]);
  });
});

describe('--max-without-password', () => {
  const users = [
    sampleUser('a', { credentials: [argon2] }),
    sampleUser('b', { credentials: [argon2] }),
    sampleUser('c'),
  ];
  const limit = (most: number | string) => `--max-without-password=${most}`;

  it.each([
    [2, [], ExitCode.differs],
    [3, [], ExitCode.done],
    [0, ['--on-refused-hash=keep'], ExitCode.differs],
    [1, ['--on-refused-hash=keep'], ExitCode.done],
    [0, ['--without-password=skip'], ExitCode.done],
  ])('of %i with %j exits 4 above the limit and 0 otherwise', async (most, flags, exitCode) => {
    for (const verb of [migrate, ['check', '--from=keycloak', '--max-emails=unlimited']]) {
      const ran = await run(users, ...verb, '--target-profile=all-verifiers', limit(most), ...flags);
      expect(ran.exitCode).toBe(exitCode);
      expect(ran.notices.includes('passwords:over')).toBe(exitCode === ExitCode.differs);
    }
  });

  it('refuses a value that is not a number', async () => {
    const ran = await convertFiles([...migrate, '--realm=none.json', limit('few')]);
    expect(ran.exitCode).toBe(ExitCode.usage);
    expect(ran.problem?.message).toContain('--max-without-password few: it must be a whole number');
  });
});
