import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ApiRequest, Send } from '../../src/api/send.ts';
import { connect } from '../../src/commands/connect.ts';
import type { ConnectionFlags } from '../../src/flags/connection.ts';
import { ExitCode } from '../../src/errors.ts';
import { createTestContext } from '../support/context.ts';
import { createTestFolder } from '../support/folder.ts';
import { startInstance } from '../support/instance.ts';
import { runProgram } from '../support/program.ts';

/** What the service gets to see when a command connects so and makes one call. */
async function requestsOf(
  flags: ConnectionFlags,
  more: { env?: Record<string, string>; stdin?: string; files?: Record<string, string>; mode?: number } = {},
): Promise<{ requests: ApiRequest[]; events: unknown[] }> {
  const cwd = createTestFolder();
  for (const [name, text] of Object.entries(more.files ?? {}))
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
const bearer = async (...args: Parameters<typeof requestsOf>): Promise<string | undefined> =>
  (await requestsOf(...args)).requests.at(-1)?.headers['authorization'];
const tokenRequest = async (...args: Parameters<typeof requestsOf>): Promise<string | undefined> =>
  (await requestsOf(...args)).requests.find((request) => request.url.endsWith('/token'))?.body;

describe('credentials', () => {
  it('in a file that others can read are warned of', async () => {
    const files = { 'a.token': 'from-file\n' };
    const open = await requestsOf({ url, tokenFile: 'a.token' }, { files });
    expect(open.events).toMatchObject([{ code: 'credentials:readable', text: /chmod 600 a\.token/ }]);
    const shut = await requestsOf({ url, tokenFile: 'a.token' }, { files, mode: 0o600 });
    expect(shut.events).toEqual([]);
  });

  it('come from a file, standard input or the environment, in this order', async () => {
    const files = { 'a.token': 'from-file\n' };
    const env = { IDPORT_TOKEN: 'from-env' };
    expect(await bearer({ url, tokenFile: 'a.token' }, { files, env })).toBe('Bearer from-file');
    expect(await bearer({ url, tokenFile: '-' }, { stdin: 'from-stdin\n', env })).toBe('Bearer from-stdin');
    expect(await bearer({ url }, { env })).toBe('Bearer from-env');
    expect(await bearer({}, { env: { ...env, IDPORT_URL: url } })).toBe('Bearer from-env');
  });

  it('may be the key file of a service user, or client id and secret: both ask for a token first', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const key = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
    const json = JSON.stringify({ type: 'serviceaccount', keyId: '1', userId: '2', key });
    const client = JSON.stringify({ clientId: 'me', clientSecret: 's3cret' });
    const files = { 'user.json': json, 'client.json': client };
    expect(await tokenRequest({ url, keyFile: 'user.json' }, { files })).toContain('jwt-bearer');
    expect(await tokenRequest({ url }, { files, env: { IDPORT_KEY_FILE: 'user.json' } })).toContain(
      'jwt-bearer',
    );
    const secret = { url, keyFile: 'client.json' };
    expect(await tokenRequest(secret, { files })).toContain('client_credentials');
    expect(await bearer(secret, { files })).toBe('Bearer fresh');
  });

  it.each<[string, ConnectionFlags, RegExp]>([
    ['no address', { tokenFile: 'x' }, /address of the service is missing/],
    ['no credentials', { url }, /no credentials/],
    ['two kinds of them', { url, tokenFile: 'x', keyFile: 'y' }, /more than one kind/],
  ])('are refused: %s', async (_, flags, message) => {
    const failed = await requestsOf(flags).catch((error: unknown) => error);
    expect(failed).toMatchObject({ exitCode: ExitCode.usage, message: expect.stringMatching(message) });
  });

  it('in a file that is missing are named', async () => {
    await expect(requestsOf({ url, tokenFile: 'none' })).rejects.toMatchObject({
      code: 'input:not-found',
      message: 'none: there is no such file',
    });
  });
});

it('check asks the service of the environment where a token is given, and not without one', async () => {
  const cwd = createTestFolder();
  const instance = await startInstance(cwd, 'target', { orgId: '100' });
  writeFileSync(join(cwd, 'body.json'), '{"dataOrgs":{"orgs":[{"orgId":"404","humanUsers":[]}]}}');
  const check = (env: Record<string, string>) =>
    runProgram(['check', 'body.json'], { cwd, env: { IDPORT_URL: instance.url, ...env } });
  try {
    expect((await check({ IDPORT_TOKEN: 'bad' })).exitCode).toBe(1);
    const { events } = await check({ IDPORT_TOKEN: instance.server.tokens.iamOwner });
    expect(JSON.stringify(events)).toContain('organization 404');
    expect(JSON.stringify((await check({})).events)).not.toContain('organization 404');
  } finally {
    await instance.close();
  }
});
