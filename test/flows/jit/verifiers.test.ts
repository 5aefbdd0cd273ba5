/** Verifiers against endpoints on this machine that answer as the real ones do; LDAP against a real slapd. */
import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer as createSocketServer } from 'node:net';
import { join } from 'node:path';
import { generateKeyPair, SignJWT } from 'jose';
import { expect, it, onTestFinished } from 'vitest';
import { openVerifiers } from '../../../src/commands/jit/verifiers.ts';
import { AttemptError, createVerifierChain, type Verifier } from '../../../src/flows/jit/verifier.ts';
import { systemClock } from '../../../src/lib/clock.ts';

import { createTestContext } from '../../support/context.ts';
import { createTestFolder } from '../../support/folder.ts';
import { answerHere, listenHere, serveProxyHere } from '../../support/local-server.ts';
import { isInstalled } from '../../support/local-program.ts';
import { startSlapd } from '../../support/live-programs.ts';

/** As `--verifier <name>:<file>` does. */
async function open(name: string, settings: object, env: Record<string, string> = {}) {
  const cwd = createTestFolder();
  writeFileSync(join(cwd, 'settings.json'), JSON.stringify(settings));
  const flags = { verifier: [`${name}:settings.json`] };
  const { context } = createTestContext({ cwd, clock: systemClock, env });
  const { verifiers } = await openVerifiers(flags, context, 1);
  const [verifier] = verifiers as [Verifier];
  onTestFinished(() => verifier.close());
  return verifier;
}

const attemptOf = (password: string, userName = 'alice') => ({
  userId: '1',
  userName,
  loginName: `${userName}@acme`,
  email: `${userName.trimEnd()}@example.org${userName.endsWith(' ') ? ' ' : ''}`,
  password,
  listed: undefined,
});

const check = (verifier: Verifier, password: string, userName?: string) =>
  verifier.check(attemptOf(password, userName), new AbortController().signal);

/** The right password and a wrong one, then the right one of others. */
const checkAll = (verifier: Verifier, ...others: string[]) =>
  Promise.all([
    check(verifier, right),
    check(verifier, 'wrong'),
    ...others.map((name) => check(verifier, right, name)),
  ]);

it.each([
  ['ldap', { dn: 'uid={user}' }, 'settings.json: the setting url is missing'],
  ['http', { url: 7, signingKey: 'k' }, 'settings.json: url: expected string, received number'],
])('the verifier %s with the settings %j reports what is wrong', async (name, settings, message) => {
  await expect(open(name, settings)).rejects.toMatchObject({ message });
});

it('a verifier uses the proxy of the environment unless NO_PROXY names the host', async () => {
  const url = await answerHere(async () => [200, { result: 'right' }]);
  const { host, hostname } = new URL(url);
  const { proxy: HTTP_PROXY, asked } = await serveProxyHere();
  const settings = { url, signingKey: 'a-key-of-the-operator' };
  const checkThrough = async (env: Record<string, string>) => check(await open('http', settings, env), right);
  expect(await checkThrough({ HTTP_PROXY, NO_PROXY: hostname })).toBe('right');
  expect(asked).toEqual([]);
  expect(await checkThrough({ HTTP_PROXY })).toBe('right');
  expect(asked).toEqual([host]);
});

const right = 'Pä$$ word+&=1';

it('the oidc verifier requests a token with the password grant', async () => {
  const { privateKey } = await generateKeyPair('ES256');
  const tokenUrl = await answerHere(async ({ body }) => {
    const form = new URLSearchParams(body);
    if (form.get('client_secret') !== 's3cret') return [401, { error: 'invalid_client' }];
    if (form.get('grant_type') !== 'password' || form.get('username') !== 'alice') {
      return [400, { error: 'invalid_grant' }];
    }
    if (form.get('password') !== right) return [401, { error: 'invalid_grant' }];
    const token = await new SignJWT({}).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
    return [200, { access_token: token, token_type: 'Bearer' }];
  });
  const verifier = await open('oidc', { tokenUrl, clientId: 'idport', clientSecret: 's3cret' });
  expect(await checkAll(verifier)).toEqual(['right', 'wrong']);
  const stranger = await open('oidc', { tokenUrl, clientId: 'idport', clientSecret: 'other' });
  await expect(check(stranger, right)).rejects.toThrow('status 401 invalid_client');
});

it.each([
  [{ error: 'mfa_required' }, 'right'],
  [{ error: 'invalid_grant', error_description: 'AADSTS50076: multi-factor' }, 'right'],
  [{ error: 'invalid_grant', error_description: 'AADSTS50055: the password is expired' }, 'expired'],
  [{ error: 'invalid_grant', error_description: 'AADSTS50126: wrong' }, 'wrong'],
  [{ error: 'invalid_grant', error_description: 'Account is not fully set up' }, 'expired'],
  [{ error: 'invalid_grant', error_description: 'Account disabled' }, 'wrong'],
  // The rest of the text may quote what a user is called.
  [{ error: 'invalid_grant', error_description: 'AADSTS50034: no user AADSTS50076' }, 'wrong'],
])('the oidc verifier maps %j to %s', async (answer, verdict) => {
  const tokenUrl = await answerHere(async () => [403, answer]);
  expect(await check(await open('oidc', settingsOf(tokenUrl).oidc), right)).toBe(verdict);
});

it('the cognito verifier calls InitiateAuth with the secret hash', async () => {
  const endpoint = await answerHere(async ({ headers, body }) => {
    expect(headers['x-amz-target']).toBe('AWSCognitoIdentityProviderService.InitiateAuth');
    const { USERNAME, PASSWORD, SECRET_HASH } = JSON.parse(body).AuthParameters;
    expect(SECRET_HASH).toBe(createHmac('sha256', 'secret').update(`${USERNAME}client`).digest('base64'));
    if (USERNAME === 'bob') return [400, { __type: 'UserNotFoundException' }];
    if (USERNAME === 'carol') return [200, { ChallengeName: 'SOFTWARE_TOKEN_MFA' }];
    if (USERNAME === 'dave') return [200, { ChallengeName: 'NEW_PASSWORD_REQUIRED' }];
    return PASSWORD === right
      ? [200, { AuthenticationResult: { AccessToken: 't' } }]
      : [400, { __type: 'NotAuthorizedException', message: 'Incorrect username or password.' }];
  });
  const client = { region: 'eu-west-1', clientId: 'client', clientSecret: 'secret' };
  const verifier = await open('cognito', { ...client, endpoint });
  const verdicts = await checkAll(verifier, 'bob', 'carol', 'dave');
  expect(verdicts).toEqual(['right', 'wrong', 'unknown', 'right', 'expired']);
});

it('the firebase verifier calls signInWithPassword with the email address', async () => {
  const answers: Readonly<Record<string, readonly [number, object]>> = {
    'bob@example.org': [400, { error: { message: 'EMAIL_NOT_FOUND' } }],
    'carol@example.org': [400, { error: { message: 'TOO_MANY_ATTEMPTS_TRY_LATER : x' } }],
    // A portal in between answers for it.
    'dave@example.org': [200, { status: 'ok' }],
  };
  const endpoint = await answerHere(async ({ body }) => {
    const { email, password } = JSON.parse(body);
    const isRight = password === right;
    return (
      answers[email] ??
      (isRight ? [200, { localId: '1' }] : [400, { error: { message: 'INVALID_PASSWORD' } }])
    );
  });
  const verifier = await open('firebase', { apiKey: 'k', endpoint });
  expect(await checkAll(verifier, 'bob')).toEqual(['right', 'wrong', 'unknown']);
  await expect(check(verifier, right, 'carol')).rejects.toThrow('TOO_MANY_ATTEMPTS_TRY_LATER');
  await expect(check(verifier, right, 'dave')).rejects.toThrow(/^it answered with status 200$/);
});

const settingsOf = (url: string) => ({
  oidc: { tokenUrl: url, clientId: 'c' },
  firebase: { apiKey: 'k', endpoint: url },
  cognito: { region: 'eu-west-1', clientId: 'c', endpoint: url },
  ldap: { url: 'ldap://127.0.0.1:1', dn: 'uid={user},dc=example,dc=org' },
});
it.each<[keyof ReturnType<typeof settingsOf>, number, object]>([
  ['oidc', 200, { error: 'invalid_grant', access_token: 't' }],
  ['oidc', 200, { access_token: '' }],
  ['oidc', 200, { id_token: 7 }],
  ['oidc', 400, { error: 'invalid_client', error_description: 'AADSTS50076: multi-factor' }],
  ['oidc', 502, { error_description: 'AADSTS50076: multi-factor' }],
  ['firebase', 200, { localId: '' }],
  ['cognito', 200, { AuthenticationResult: {} }],
  ['cognito', 200, { AuthenticationResult: { AccessToken: '' } }],
])('a verifier accepts no inconclusive answer: %s %i %j', async (name, status, answer) => {
  const url = await answerHere(async () => [status, answer]);
  await expect(check(await open(name, settingsOf(url)[name]), right)).rejects.toThrow(/^it a/);
});

it.each(['us\uFF45r6', 'user6 ', 'us\u00ADer6', 'user  6'])(
  'a verifier does not ask for a user name that normalizes to another: %j',
  async (name) => {
    const asked: string[] = [];
    const url = await answerHere(async ({ body }) => {
      asked.push(body);
      return [200, { access_token: 't', AuthenticationResult: { AccessToken: 't' }, localId: '1' }];
    });
    for (const [kind, settings] of Object.entries(settingsOf(url)))
      expect(await check(await open(kind, settings), right, name)).toBe('unknown');
    expect(asked).toEqual([]);
    expect(await check(await open('oidc', settingsOf(url).oidc), right, 'Üñal.Şahin')).toBe('right');
  },
);

it('a failure of one user alone does not pause a verifier', async () => {
  const results: string[] = [];
  const check = async () => {
    throw new AttemptError('too many wrong passwords of this user');
  };
  const chain = createVerifierChain([{ name: 'oidc', check, close: async () => {} }], {
    clock: systemClock,
    timeout: 60_000,
    onResult: (_, result) => results.push(result),
    onProblem: () => undefined,
  });
  for (let n = 0; n < 7; n++) await chain.ask(attemptOf(right));
  expect(results).toEqual(Array.from({ length: 7 }, () => 'failed'));
});

it('the verifier chain reports in words why a system is unreachable', async () => {
  const problems: string[] = [];
  const chain = createVerifierChain([await open('oidc', settingsOf('http://127.0.0.1:1').oidc)], {
    clock: systemClock,
    timeout: 60_000,
    onResult: () => undefined,
    onProblem: (_, problem) => problems.push(problem),
  });
  await chain.ask(attemptOf(right));
  expect(problems).toEqual(['nothing listens at this address']);
});

const hasSlapd = isInstalled('slapd', '-VV');
const directory = `dn: dc=example,dc=org
objectClass: dcObject
objectClass: organization
dc: example
o: x

dn: uid=alice,dc=example,dc=org
objectClass: inetOrgPerson
uid: alice
cn: alice
sn: A
userPassword:: ${Buffer.from(right).toString('base64')}
`;

it.each([
  ['773', 'expired'],
  ['532', 'expired'],
  ['52e', 'wrong'],
])('the ldap verifier maps a refused bind of Active Directory with data %s to %s', async (data, verdict) => {
  const text = Buffer.from(
    `80090308: LdapErr: DSID-0C09044E, AcceptSecurityContext error, data ${data}, v4563`,
  );
  // RFC 4511: invalidCredentials (49), an empty DN, and this text.
  const result = Buffer.from([10, 1, 49, 4, 0, 4, text.length, ...text]);
  const directory = createSocketServer((socket) =>
    socket.once('data', ([, , , , id = 0]) => {
      socket.write(Buffer.from([48, result.length + 5, 2, 1, id, 97, result.length, ...result]));
    }),
  );
  const { port } = new URL(await listenHere(directory));
  const verifier = await open('ldap', { url: `ldap://127.0.0.1:${port}`, dn: 'cn={user}' });
  expect(await check(verifier, right)).toBe(verdict);
});

it.skipIf(!hasSlapd)('the ldap verifier binds by name or after a search (needs slapd)', async () => {
  const slapd = await startSlapd(directory);
  onTestFinished(() => slapd.stop());
  const url = `ldap://127.0.0.1:${slapd.port}`;
  const byName = await open('ldap', { url, dn: 'uid={user},dc=example,dc=org' });
  // A comma in a name is part of the name.
  expect(await checkAll(byName, 'nobody', 'x,uid=alice')).toEqual(['right', 'wrong', 'wrong', 'wrong']);
  const bySearch = await open('ldap', {
    url,
    search: { base: 'dc=example,dc=org', bindDn: 'cn=admin,dc=example,dc=org', bindPassword: 'admin' },
  });
  expect(await checkAll(bySearch, 'nobody', '*')).toEqual(['right', 'wrong', 'unknown', 'unknown']);
  expect(await check(bySearch, '')).toBe('unknown');
});
