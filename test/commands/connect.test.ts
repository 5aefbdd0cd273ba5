import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ApiRequest, Send } from '../../src/api/send.ts';
import { connect } from '../../src/commands/connect.ts';
import type { ConnectionFlags } from '../../src/flags/connection.ts';
import { ExitCode } from '../../src/errors.ts';
import { createTestContext } from '../support/context.ts';
import { createTestFolder } from '../support/folder.ts';

/** What the service gets to see when a command connects so and makes one call. */
async function requestsOf(
  flags: ConnectionFlags,
  more: { env?: Record<string, string>; stdin?: string; mode?: number } = {},
): Promise<{ requests: ApiRequest[]; events: unknown[] }> {
  const cwd = createTestFolder();
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(cwd, name), text, { mode: more.mode ?? 0o644 });
  const { context, events } = createTestContext({ ...more, cwd });
  const requests: ApiRequest[] = [];
  const send: Send = async (request) => {
    requests.push(request);
    const answer = {
      issuer: url,
      token_endpoint: `${url}/oauth/v2/token`,
      access_token: 'fresh',
      token_type: 'Bearer',
      expires_in: 60,
    };
    return { status: 200, headers: {}, text: JSON.stringify(answer) };
  };
  const client = await connect(flags, context, { send });
  await client.call({ method: 'GET', path: '/auth/v1/users/me' });
  return { requests, events };
}

const url = 'https://id.example';
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const key = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
const files = {
  'a.token': 'from-file\n',
  'user.json': JSON.stringify({ type: 'serviceaccount', keyId: '1', userId: '2', key }),
  // As an editor on Windows saves it.
  'client.json': '\ufeff' + JSON.stringify({ clientId: 'me', clientSecret: 's3cret' }),
};
const env = { IDPORT_TOKEN: 'from-env' };

it('credentials cause a warning if other users can read their file', async () => {
  const open = await requestsOf({ url, tokenFile: 'a.token' });
  expect(open.events).toMatchObject([{ code: 'credentials:readable', text: /chmod 600 a\.token/ }]);
  expect((await requestsOf({ url, tokenFile: 'a.token' }, { mode: 0o600 })).events).toEqual([]);
});

it.each([
  ['a file', { url, tokenFile: 'a.token' }, { env }, 'from-file'],
  ['standard input', { url, tokenFile: '-' }, { env, stdin: 'from-stdin\n' }, 'from-stdin'],
  ['the environment', { url }, { env }, 'from-env'],
  [
    'a flag before two of the environment',
    { url, tokenFile: 'a.token' },
    { env: { ...env, IDPORT_KEY_FILE: 'x' } },
    'from-file',
  ],
  ['the environment, with the address', {}, { env: { ...env, IDPORT_URL: url } }, 'from-env'],
  ['the key file of a service account', { url, keyFile: 'user.json' }, {}, 'fresh', 'jwt-bearer'],
  ['that of the environment', { url }, { env: { IDPORT_KEY_FILE: 'user.json' } }, 'fresh', 'jwt-bearer'],
  ['client id and secret', { url, keyFile: 'client.json' }, {}, 'fresh', 'client_credentials'],
])('credentials come from %s', async (_, flags, more, token, grant = '') => {
  const { requests } = await requestsOf(flags, more);
  expect(requests.at(-1)?.headers['authorization']).toBe(`Bearer ${token}`);
  // With a key, the client requests a token first.
  const asked = requests.find((request) => request.url.endsWith('/token'));
  expect(asked?.body ?? '').toContain(grant);
  expect(asked === undefined).toBe(grant === '');
});

it.each([
  ['no credentials', { url }, /no credentials/],
  [
    'two in the environment',
    { url },
    /IDPORT_TOKEN and IDPORT_KEY_FILE/,
    { ...env, IDPORT_KEY_FILE: 'user.json' },
  ],
  ['two kinds of them', { url, tokenFile: 'x', keyFile: 'y' }, /more than one kind/],
])('credentials are refused: %s', async (_, flags, message, given: Record<string, string> = {}) => {
  const failed = await requestsOf(flags, { env: given }).catch((error: unknown) => error);
  expect(failed).toMatchObject({ exitCode: ExitCode.usage, message });
});

it('credentials cause an error that names a missing file', async () => {
  await expect(requestsOf({ url, tokenFile: 'none' })).rejects.toMatchObject({
    code: 'input:not-found',
    message: 'none: there is no such file',
  });
});
