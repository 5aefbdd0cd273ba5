import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listenForCalls } from '../../../src/commands/actions/listen.ts';
import { replayCalls } from '../../../src/commands/actions/replay.ts';
import { signFile } from '../../../src/commands/actions/sign.ts';
import { verifySavedCall } from '../../../src/commands/actions/verify.ts';
import type { CommandContext } from '../../../src/commands/context.ts';
import {
  listenFlags,
  recordings,
  replayFlags,
  savedCall,
  signFlags,
  verifyCallFlags,
} from '../../../src/flags/actions.ts';
import { readFlags } from '../../../src/lib/flag.ts';
import { ExitCode } from '../../../src/errors.ts';
import { signBody } from '../../../src/wire/signature.ts';
import { createTestContext, type TestContext } from '../../support/context.ts';
import { createTestFolder } from '../../support/folder.ts';
import { startReceiver } from '../../support/receiver.ts';

const key = 'somekey';
const now = Date.UTC(2026, 0, 1) / 1000;
const hash = '$2a$12$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy';
const body = JSON.stringify({
  fullMethod: '/service.user.v2.UserService/AddHumanUser',
  userID: '4',
  request: { email: { email: 'mini@mouse.com' }, hashedPassword: { hash }, totpSecret: 'JBSWY3DPEHPK3PXP' },
});

type Typed = Readonly<Record<string, unknown>>;

const verifyTyped = (typed: Typed, context: CommandContext): Promise<ExitCode> =>
  verifySavedCall(
    readFlags(
      { ...verifyCallFlags, ...savedCall },
      { file: 'call.http', signingKeyFile: ['a.key'], ...typed },
    ),
    context,
  );
const replayTyped = (typed: Typed, context: CommandContext): Promise<ExitCode> =>
  replayCalls(readFlags({ ...replayFlags, ...recordings }, typed), context);

interface Running extends TestContext {
  readonly url: string;
  readonly ended: Promise<ExitCode>;
}

async function start(cwd: string, options: Typed): Promise<Running> {
  const test = createTestContext({ cwd });
  const ended = listenForCalls(readFlags(listenFlags, { ...options, format: 'json' }), test.context);
  const [, url = ''] = await test.outputMatching(/"listening","url":"([^"]+)"/);
  return { ...test, url, ended };
}

const send = (url: string, signature: string): Promise<Response> =>
  fetch(url, { method: 'POST', body, headers: { 'zitadel-signature': signature } });

describe('actions listen', () => {
  it('shows calls with their secrets masked, and ends with the code that says all was good', async () => {
    const cwd = createTestFolder();
    writeFileSync(join(cwd, 'a.key'), `${key}\n`);
    const { url, ended, out, events } = await start(cwd, { signingKeyFile: ['a.key'], calls: '1' });
    expect((await send(url, signBody(body, key, now))).status).toBe(200);
    expect(await ended).toBe(ExitCode.done);
    const shown = JSON.parse(out().split('\n')[1] ?? '') as unknown;
    expect(shown).toMatchObject({
      type: 'call',
      verified: true,
      name: '/service.user.v2.UserService/AddHumanUser',
      userId: '4',
      payload: { request: { email: { email: 'mini@mouse.com' }, totpSecret: '***' } },
    });
    for (const secret of [hash, 'JBSWY3DPEHPK3PXP', key]) {
      expect(out() + JSON.stringify(events)).not.toContain(secret);
    }
    expect(events).toMatchObject([{ type: 'notice', code: 'listen:ready', text: `Listening on ${url}` }]);
  });

  it('may start before its key file exists, and ends with another code where a call was refused', async () => {
    const cwd = createTestFolder();
    const { url, ended, interrupt, out, events } = await start(cwd, { signingKeyFile: ['a.key'] });
    expect((await send(url, signBody(body, key, now))).status).toBe(500);
    writeFileSync(join(cwd, 'a.key'), JSON.stringify({ signingKey: key }));
    expect((await send(url, signBody(body, key, now))).status).toBe(200);
    interrupt();
    expect(await ended).toBe(ExitCode.differs);
    expect(out()).toMatch(/"reason":"no-key"/);
    expect(events).toContainEqual(
      expect.objectContaining({
        level: 'warning',
        code: 'listen:no-key',
        text: expect.stringMatching(/^a\.key /),
      }),
    );
  });

  it.each<[Typed, string]>([
    [{ port: '65536' }, '--port 65536: it must be a whole number from 0 to 65535'],
    [{ maxBody: 'big' }, '--max-body big: not a size'],
    [{ tolerance: '5' }, '--tolerance 5: not a duration'],
    [{ tolerance: '-5m' }, '--tolerance -5m: not a duration'],
    [{ forwardTo: 'localhost:3000' }, '--forward-to localhost:3000: not an http'],
    [{ forwardTo: 'http://localhost:3000', status: '503' }, '--status and --delay'],
    [{ status: '99' }, '--status 99'],
  ])('refuses %j', async (options, message) => {
    const { context } = createTestContext();
    const run = async () => listenForCalls(readFlags(listenFlags, options), context);
    await expect(run()).rejects.toMatchObject({
      exitCode: ExitCode.usage,
      message: expect.stringContaining(message),
    });
  });
});

describe('recorded calls', () => {
  it('are verified as of the time when they came, and replayed with a new signature', async () => {
    const cwd = createTestFolder();
    writeFileSync(join(cwd, 'a.key'), key);
    const bench = await start(cwd, { signingKeyFile: ['a.key'], record: 'calls', calls: '3' });
    await send(bench.url, signBody(body, key, now - 2));
    await send(bench.url, signBody(body, 'other', now));
    await send(bench.url, signBody(body, key, now));
    expect(await bench.ended).toBe(ExitCode.differs);
    // The refused one takes no room.
    const recorded = readdirSync(join(cwd, 'calls')).sort();
    expect(recorded).toHaveLength(2);
    const [good = ''] = recorded;
    writeFileSync(join(cwd, 'b.key'), 'other');

    const later = createTestContext({ cwd });
    const verify = (file: string, more: Typed = {}): Promise<ExitCode> =>
      verifyTyped({ file: join('calls', file), ...more }, later.context);
    expect(await verify(good)).toBe(ExitCode.done);
    expect(later.out()).toBe(`${join('calls', good)}: signature good, 2 s old\n`);
    expect(await verify(good, { signingKeyFile: ['b.key'] })).toBe(ExitCode.differs);
    expect(later.out()).toContain(`${join('calls', good)}: REFUSED (wrong-key)`);
    expect(await verify(good, { at: '2026-01-01T01:00:00Z' })).toBe(ExitCode.differs);
    expect(later.out()).toContain('REFUSED (too-old): signed 3602 seconds ago');

    const receiver = await startReceiver();
    let answers = 0;
    receiver.answer = (response) => response.writeHead((answers += 1) === 1 ? 204 : 500).end();
    const replay = createTestContext({ cwd });
    const options = { path: 'calls', to: receiver.url, timeout: '5s', format: 'text' };
    expect(await replayTyped({ ...options, signingKeyFile: ['a.key'] }, replay.context)).toBe(
      ExitCode.rejected,
    );
    await receiver.close();
    expect(replay.out()).toMatch(/^204 2026.*-0001-AddHumanUser 0 ms\n500 2026.*-0003-AddHumanUser 0 ms\n$/);
    expect(receiver.calls.map((call) => call.headers['zitadel-signature'])).toEqual([
      signBody(body, key, now),
      signBody(body, key, now),
    ]);
    expect(receiver.calls[0]).toMatchObject({ body, headers: { host: new URL(receiver.url).host } });
    expect(receiver.calls[0]?.headers).not.toHaveProperty('idport-received');
  });

  it('are replayed as they are without a key, with a warning', async () => {
    const cwd = createTestFolder();
    const old = signBody(body, key, 1);
    const saved = `POST / HTTP/1.1\nZITADEL-Signature: ${old}\n\n${body}`;
    writeFileSync(join(cwd, 'call.http'), saved);
    const receiver = await startReceiver();
    const { context, events } = createTestContext({ cwd });
    const options = { path: 'call.http', to: receiver.url, timeout: '5s', format: 'json' };
    expect(await replayTyped(options, context)).toBe(ExitCode.done);
    await receiver.close();
    expect(receiver.calls[0]?.headers['zitadel-signature']).toBe(old);
    expect(events).toMatchObject([{ code: 'replay:old-signature', level: 'warning' }]);
    expect(await replayTyped(options, context)).toBe(ExitCode.rejected);
  });

  it('that are none are named', async () => {
    const cwd = createTestFolder();
    writeFileSync(join(cwd, 'call.http'), '{}');
    mkdirSync(join(cwd, 'empty'));
    const { context } = createTestContext({ cwd });
    const options = { path: 'call.http', to: 'http://127.0.0.1:1', timeout: '5s', format: 'text' };
    await expect(replayTyped(options, context)).rejects.toMatchObject({ code: 'input:not-a-call' });
    await expect(replayTyped({ ...options, path: 'empty' }, context)).rejects.toThrow(
      'there are no recorded calls in it',
    );
  });
});

describe('actions sign and verify', () => {
  it('give and take the signature of the contract', async () => {
    const cwd = createTestFolder();
    const sent = '{"fullMethod":"/zitadel.user.v2.UserService/AddHumanUser"}';
    const header =
      'ZITADEL-Signature: t=1700000000,v1=a92e7f2bb5061497b4a20bbcdc50661d484ae2a1c16c0c2a6bef6e9c48f95bdc';
    writeFileSync(join(cwd, 'a.key'), 'somekey\n');
    writeFileSync(join(cwd, 'body.json'), sent);
    const { context, out } = createTestContext({ cwd, stdin: sent });
    const sign = readFlags(signFlags, { signingKeyFile: ['a.key'], at: '1700000000' });
    expect(await signFile({ ...sign, file: 'body.json' }, context)).toBe(ExitCode.done);
    expect(await signFile({ ...sign, file: '-' }, context)).toBe(ExitCode.done);
    expect(out()).toBe(`${header}\n${header}\n`);

    const verify = { file: 'body.json', signature: header.replace(/^.*: /, '') };
    expect(await verifyTyped({ ...verify, ignoreAge: true }, context)).toBe(ExitCode.done);
    expect(await verifyTyped(verify, context)).toBe(ExitCode.differs);
    expect(out()).toMatch(/REFUSED \(too-old\)/);
  });

  it('say so where the file is a body and no signature is given', async () => {
    const cwd = createTestFolder();
    writeFileSync(join(cwd, 'a.key'), key);
    const { context } = createTestContext({ cwd, stdin: body });
    await expect(verifyTyped({ file: '-' }, context)).rejects.toMatchObject({
      message: '-: this is not a saved HTTP request',
      hint: expect.stringContaining('--signature'),
    });
  });

  it('notice a body that is longer or shorter than it was, and speak JSON', async () => {
    const cwd = createTestFolder();
    writeFileSync(join(cwd, 'a.key'), key);
    const head = `POST / HTTP/1.1\r\nContent-Length: ${body.length}\r\nZitadel-Signature: ${signBody(body, key, now)}`;
    writeFileSync(join(cwd, 'call.http'), `${head}\r\n\r\n${body}\n`);
    const { context, out } = createTestContext({ cwd });
    expect(await verifyTyped({ format: 'json' }, context)).toBe(ExitCode.differs);
    expect(JSON.parse(out())).toMatchObject({
      verified: false,
      reason: 'body-altered',
      signature: expect.stringContaining('a line break was added'),
      remark: `the file holds a body of ${body.length + 1} bytes, its Content-Length says ${body.length}`,
      judgedAt: '2026-01-01T00:00:00.000Z',
    });
    expect(out()).not.toContain(hash);
    expect(readFileSync(join(cwd, 'call.http'), 'utf8')).toContain(hash);
  });
});
