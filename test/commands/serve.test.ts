/** `idport serve` as a function: what it prints, what it refuses, how it ends. */
import * as fs from 'node:fs';
import * as http from 'node:http';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommandContext } from '../../src/commands/context.ts';
import { serve } from '../../src/commands/serve.ts';
import { serveFlags } from '../../src/flags/others.ts';
import { readFlags } from '../../src/lib/flag.ts';
import { readRate } from '../../src/lib/flag-values.ts';
import { InterruptedError } from '../../src/errors.ts';
import type { IdportEvent } from '../../src/events.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createTestFolder } from '../support/folder.ts';

type Typed = Readonly<Record<string, unknown>>;

let folder: string;
let stop: AbortController;
let running: Promise<number> | undefined;
let events: IdportEvent[];
beforeEach(() => {
  folder = createTestFolder();
  stop = new AbortController();
  events = [];
  running = undefined;
});
afterEach(async () => {
  stop.abort(new InterruptedError());
  await running?.catch(() => {});
});

/** Starts it and resolves with the first thing it prints. */
async function start(
  { json = true, ...flags }: Typed = {},
  env: CommandContext['env'] = {},
): Promise<string> {
  const stdout = new PassThrough();
  const printed = new Promise<string>((resolve) => {
    stdout.once('data', (block: Buffer) => resolve(block.toString()));
  });
  running = serve(readFlags(serveFlags, { port: '0', brand: 'service', ...flags }), {
    json: json === true,
    emit: (event) => events.push(event),
    clock: systemClock,
    signal: stop.signal,
    env,
    cwd: folder,
    stdin: new PassThrough().end(),
    stdout,
    interactive: false,
  });
  return Promise.race([printed, running.then(() => 'ended')]);
}

describe('the start', () => {
  it('prints one line of JSON with what a client needs, and the key of the owner goes to a private file', async () => {
    const line = await start({ org: '165617389845094785', keyFile: 'key.json' });
    expect(line.endsWith('\n')).toBe(true);
    const serving = JSON.parse(line);
    expect(serving).toMatchObject({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      profile: 'hosted',
      orgId: '165617389845094785',
      keyFile: 'key.json',
      control: { url: `${serving.url}/_idport/`, token: expect.any(String) },
    });
    const headers = { authorization: `Bearer ${serving.tokens.iamOwner}` };
    const org = await (await fetch(`${serving.url}/management/v1/orgs/me`, { headers })).json();
    expect(org).toMatchObject({ org: { id: '165617389845094785', name: 'Default' } });
    const key = JSON.parse(fs.readFileSync(join(folder, 'key.json'), 'utf8'));
    expect(key).toMatchObject({ type: 'serviceaccount', keyId: expect.any(String) });
    expect(fs.statSync(join(folder, 'key.json')).mode & 0o777).toBe(0o600);
  });

  it('takes tokens from the environment', async () => {
    const env = { IDPORT_SERVE_TOKEN: 'owner-token', IDPORT_SERVE_CONTROL_TOKEN: 'control-token' };
    expect(JSON.parse(await start({}, env))).toMatchObject({
      tokens: { iamOwner: 'owner-token' },
      control: { token: 'control-token' },
    });
  });

  it('warns when other machines can reach it, and refuses private targets then', async () => {
    const serving = JSON.parse(await start({ host: '0.0.0.0' }));
    expect(events).toContainEqual(expect.objectContaining({ code: 'serve:open', level: 'warning' }));
    const port = new URL(serving.url).port;
    const answer = await fetch(`http://127.0.0.1:${port}/v2/actions/targets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${serving.tokens.iamOwner}` },
      body: JSON.stringify({ name: 'n', restAsync: {}, timeout: '1s', endpoint: 'http://127.0.0.1/' }),
    });
    expect(await answer.json()).toMatchObject({ details: [{ id: 'COMMAND-NcJUKo' }] });
  });

  it('seeds from a file and says which entries were refused', async () => {
    const user = {
      userName: 'ann',
      profile: { firstName: 'A', lastName: 'B' },
      email: { email: 'a@b.example', isEmailVerified: true },
    };
    const humanUsers = [
      { userId: 'u-1', user },
      { userId: 'u-2', user },
    ];
    const body = { dataOrgs: { orgs: [{ orgId: 'acme', humanUsers }] }, timeout: '5m' };
    fs.writeFileSync(join(folder, 'seed.json'), JSON.stringify(body));
    expect(JSON.parse(await start({ seed: 'seed.json' })).users).toBe(5);
    expect(events.filter(({ type }) => type === 'notice')).toContainEqual({
      type: 'notice',
      level: 'warning',
      code: 'serve:seed',
      text: 'seed: human_user u-2: ID=V3-DKcYh Message=Errors.User.AlreadyExists',
    });
  });
});

describe('the running server', () => {
  it('shows users in lists after --lag only', async () => {
    const { url, tokens } = JSON.parse(await start({ lag: '1h' }));
    const headers = { authorization: `Bearer ${tokens.iamOwner}` };
    const call = async (method: string, path: string, body?: object): Promise<any> =>
      (await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })).json();
    const before = await call('POST', '/v2/users', {});
    expect(before.result).toHaveLength(4);
    const { userId } = await call('POST', '/v2/users/human', {
      username: 'ada',
      profile: { givenName: 'A', familyName: 'B' },
      email: { email: 'a@b.c', isVerified: true },
    });
    expect(await call('GET', `/v2/users/${userId}`)).toMatchObject({ user: { username: 'ada' } });
    expect(await call('POST', '/v2/users', {})).toMatchObject({ result: before.result });
  });

  it('answers to local names, and to those of --external-domain', async () => {
    const { url } = JSON.parse(await start({ externalDomain: 'auth.acme.com,id.acme.com' }));
    const statusFor = (host: string) =>
      new Promise((resolve) => {
        http.get(`${url}/auth/v1/users/me`, { headers: { host } }, ({ statusCode }) => resolve(statusCode));
      });
    expect(
      await Promise.all(['localhost', 'auth.acme.com', 'id.acme.com:443', 'other.com'].map(statusFor)),
    ).toEqual([401, 401, 401, 404]);
  });
});

describe('the end', () => {
  it('comes with the signal, and is no failure', async () => {
    const { url } = JSON.parse(await start());
    stop.abort(new InterruptedError());
    expect(await running).toBe(0);
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });
});

describe('--dump', () => {
  const user = (userName: string) => ({
    userName,
    profile: { firstName: 'A', lastName: 'B' },
    email: { email: `${userName}@b.example`, isEmailVerified: true },
    hashedPassword: { value: '$2b$10$EblZqNptyYvcLm/VwDCVAuBjzZOI7khzdyGPBr08PpIi0na624b8.' },
  });

  it('writes users with their passwords at the end, and --seed takes it without a refusal', async () => {
    const humanUsers = [{ userId: 'u-1', user: { ...user('ann'), otpCode: 'JBSWY3DPEHPK3PXP' } }];
    const body = { orgs: [{ orgId: 'acme', org: { name: 'Acme' }, humanUsers }] };
    fs.writeFileSync(join(folder, 'seed.json'), JSON.stringify(body));
    for (const [seed, dump] of [
      ['seed.json', 'first.json'],
      ['first.json', 'second.json'],
    ] as const) {
      stop = new AbortController();
      expect(JSON.parse(await start({ org: '1', seed, dump })).users).toBe(5);
      stop.abort(new InterruptedError());
      expect(await running).toBe(0);
    }
    expect(events.filter((event) => 'level' in event && event.level === 'warning')).toEqual([]);
    const first = fs.readFileSync(join(folder, 'first.json'), 'utf8');
    expect(fs.readFileSync(join(folder, 'second.json'), 'utf8')).toBe(first);
    expect(JSON.parse(first).orgs).toMatchObject([{ orgId: '1' }, { orgId: 'acme', humanUsers }]);
    expect(fs.statSync(join(folder, 'first.json')).mode & 0o777).toBe(0o600);
  });

  it('leaves no file when the server cannot start', async () => {
    await expect(start({ dump: 'dump.json', port: '65536' })).rejects.toThrow('--port');
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it('does not replace the key file', async () => {
    await expect(start({ dump: 'a.json', keyFile: 'a.json' })).rejects.toThrow(
      'a.json would take two outputs',
    );
  });
});

describe('flags', () => {
  it.each([
    ['50/s', 50],
    ['50', 50],
    ['0.5/s', 0.5],
    ['600/m', 10],
    ['none', Infinity],
    ['unlimited', Infinity],
  ])('--rate %s', (text, rate) => {
    expect(readRate('--rate', text)).toBe(rate);
  });

  it.each<[Typed, string]>([
    [{ rate: '0' }, '--rate 0'],
    [{ rate: '50/h' }, '--rate 50/h'],
    [{ port: '65536' }, '--port 65536'],
    [{ port: 'x' }, '--port x'],
    [{ cutAfter: '5' }, '--cut-after 5'],
    [{ secondsPerUser: '-1' }, '--seconds-per-user -1'],
    [{ lag: '2' }, '--lag 2'],
    [{ profile: 'nothing' }, 'nothing'],
    [{ seed: 'missing.json' }, 'missing.json'],
  ])('%j are refused', async (flags, text) => {
    await expect(start(flags)).rejects.toThrow(text);
  });
});
