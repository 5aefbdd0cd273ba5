/** No secret of an export is shown or reported, whatever is wrong with its record or its file. */
import { describe, expect, it } from 'vitest';
import { type Converted, convertFiles, keycloakUser } from '../../support/conversion.ts';
import { jsonLines } from '../../support/memory-input.ts';
import { showEverything } from '../../support/page.ts';

/** Everything but the body. */
async function convert(
  argv: readonly string[],
  files: Readonly<Record<string, string>>,
): Promise<Converted & { shown: string }> {
  const command = ['migrate', ...argv, '--org=1'];
  const first = await convertFiles([...command, '--report=report.json'], files);
  const ran = await convertFiles([...command, '--report=report.md'], files);
  const reports = [first, ran].map(({ problem, read }, at) =>
    problem === undefined ? read(`report.${at === 0 ? 'json' : 'md'}`) : '',
  );
  return { ...ran, shown: [showEverything(first), showEverything(ran), ran.stdout, ...reports].join('\n') };
}

describe('migrate keycloak', () => {
  const convertRealm = (text: string) => convert(['keycloak', '--realm=realm.json'], { 'realm.json': text });
  /** Texts that stand in every place of a record that holds a secret; base64 so that they pass as hashes and salts. */
  const canaries = [
    'Y2FuYXJ5LW9uZQ',
    'Y2FuYXJ5LXR3bw',
    'Y2FuYXJ5LXRocmVl',
    'Y2FuYXJ5LWZvdXI',
    'Y2FuYXJ5LWZpdmU',
  ] as const;
  const [hash, salt, otp, plain, code] = canaries;

  const password = (algorithm: string): object => ({
    type: 'password',
    secretData: JSON.stringify({ value: hash, salt }),
    credentialData: JSON.stringify({ hashIterations: 27500, algorithm }),
  });
  const user = keycloakUser;
  const sampleUsers = [
    user('written', { credentials: [password('pbkdf2-sha256')] }),
    user('algorithm', { credentials: [password(`unknown`)] }),
    user('clear', { credentials: [{ type: 'password', value: plain }] }),
    user('broken', {
      credentials: [{ type: 'password', secretData: `{"value":"${hash}`, credentialData: '{}' }],
    }),
    user('salt', {
      credentials: [{ type: 'password', secretData: { value: hash, salt: [salt] }, credentialData: {} }],
    }),
    user('legacy', {
      credentials: [{ type: 'password', hashedSaltedValue: hash, salt, hashIterations: 'x' }],
    }),
    user('otp', { credentials: [{ type: 'otp', secretData: `{"value":"${otp}"`, credentialData: '{}' }] }),
    user('hotp', {
      credentials: [{ type: 'otp', secretData: { value: otp }, credentialData: { subType: 'hotp' } }],
    }),
    user('codes', {
      credentials: [{ type: 'recovery-authn-codes', secretData: { codes: [code] }, credentialData: {} }],
    }),
    user('rejected', {
      email: 5,
      credentials: [password('pbkdf2-sha256'), { type: 'password', value: plain }],
    }),
    user('type', { credentials: { type: 'password', value: plain } }),
  ];

  it('writes secrets of the input to the body and nowhere else', async () => {
    const ran = await convertRealm(JSON.stringify({ realm: 'r', users: sampleUsers }));
    expect(ran.problem).toBeUndefined();
    expect(ran.read('importBody.json')).toContain(hash);
    expect(ran.shown).toContain('password:algorithm-unsupported');
    for (const canary of canaries) expect(ran.shown).not.toContain(canary);
  });
});

describe('migrate auth0', () => {
  const argv = ['auth0', '--users=users', '--passwords=passwords', '--mfa=factors'];
  /** Texts that stand in every place of the files that holds a secret. */
  const canaries = [
    'canaryOne',
    'canaryTwo',
    'CANARYTHREEX',
    'canaryFour',
    'canaryFive',
    'canarySix',
  ] as const;
  const [joined, own, otp, custom, salt, unmatched] = canaries;
  const bcrypt = (canary: string) => `$2b$10$${canary.padEnd(53, 'a')}`;

  const user = (id: string, more: object = {}): object => ({
    user_id: `auth0|${id}`,
    email: `${id}@example.org`,
    email_verified: true,
    given_name: 'Ca',
    family_name: 'Nary',
    ...more,
  });
  const sampleUsers = [
    user('joined'),
    user('own', { password_hash: bcrypt(own) }),
    user('refused', { password_hash: `$2b$99$${own}` }),
    user('custom', {
      custom_password_hash: { algorithm: 'sha256', hash: { value: custom }, salt: { value: salt } },
    }),
    user('scrypt', {
      custom_password_hash: { algorithm: 'scrypt', hash: { value: `${custom}!` }, salt: { value: salt } },
    }),
    user('conflict'),
    user('odd'),
    user('factors', { mfa_factors: [{ totp: { secret: `${otp}!` } }, { [otp]: {} }].slice(0, 1) }),
    user('rejected', { email: 5, password_hash: bcrypt(own), mfa_factors: [{ totp: { secret: otp } }] }),
  ];
  const passwords = [
    { _id: 'joined', passwordHash: bcrypt(joined) },
    { _id: 'conflict', passwordHash: bcrypt(joined) },
    { _id: 'conflict', passwordHash: bcrypt(own) },
    { _id: 'odd', passwordHash: `${custom} is no hash` },
    { _id: 'unknown', email: 'unknown@example.org', passwordHash: bcrypt(unmatched) },
    { passwordHash: bcrypt(unmatched) },
    { passwordHash: { value: unmatched } },
  ];
  const factors = [
    { user_id: 'auth0|joined', type: 'otp', otp_secret: otp },
    { user_id: 'auth0|odd', type: 'otp', otp_secret: `${otp}!` },
    { user_id: 'auth0|odd', type: 'recovery-code', recovery_code: unmatched },
    { user_id: 'auth0|unknown', type: 'recovery-code', recovery_code: bcrypt(unmatched) },
  ];

  const files = {
    users: jsonLines(...sampleUsers),
    passwords: jsonLines(...passwords),
    factors: jsonLines(...factors),
  };

  it('writes secrets of the input to the body and nowhere else', async () => {
    const ran = await convert(argv, files);
    expect(ran.problem).toBeUndefined();
    for (const carried of [joined, own, otp]) expect(ran.read('importBody.json')).toContain(carried);
    expect(ran.shown).toContain('password:unmatched-line');
    for (const canary of canaries) expect(ran.shown).not.toContain(canary);
  });
});
