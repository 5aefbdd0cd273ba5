import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ExitCode } from '../../../src/errors.ts';
import { createForwarder } from '../../../src/flows/actions/listen.ts';
import { signBody } from '../../../src/wire/signature.ts';
import { createFakeClock } from '../../support/clock.ts';
import { callsIn, startCommand, succeeded, openFolder, type Folder } from '../../support/workspace.ts';
import { closedAddress, listenHere } from '../../support/local-server.ts';
import { startReceiver } from '../../support/receiver.ts';

const key = 'somekey';
const now = Date.UTC(2026, 0, 1) / 1000;
const hash = '$2a$12$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy';
const body = JSON.stringify({
  fullMethod: '/service.user.v2.UserService/AddHumanUser',
  userID: '4',
  request: { email: { email: 'mini@mouse.com' }, hashedPassword: { hash }, totpSecret: 'JBSWY3DPEHPK3PXP' },
});

let folder: Folder;
beforeEach(() => {
  folder = openFolder();
  write('a.key', `${key}\n`);
});
const write = (name: string, text: string) => folder.write(name, text);
/** Of `idport actions`, at the time for which calls are signed. */
const run = (line: string, stdin = '', clock = createFakeClock()) =>
  folder.run(`actions ${line}`, { stdin, clock });
async function listen(flags: string, clock = createFakeClock()) {
  const { cwd } = folder;
  const listener = await startCommand(`actions listen --format json ${flags}`, { cwd, clock });
  return { ...listener, calls: () => callsIn(listener) };
}
const send = (url: string, signature: string, content: string | Uint8Array = body) =>
  fetch(url, { method: 'POST', body: Buffer.from(content), headers: { 'zitadel-signature': signature } });
const good = signBody(body, key, now);

describe('actions listen', () => {
  it('masks the secrets in a call and exits 0 if every call was verified', async () => {
    const { url, ended, out, events, calls } = await listen('--signing-key-file a.key --calls 1');
    expect((await send(url, good)).status).toBe(200);
    expect(await ended).toBe(ExitCode.done);
    expect(calls()).toMatchObject([
      {
        verified: true,
        name: '/service.user.v2.UserService/AddHumanUser',
        userId: '4',
        payload: { request: { email: { email: 'mini@mouse.com' }, totpSecret: '***' } },
      },
    ]);
    for (const secret of [hash, 'JBSWY3DPEHPK3PXP', key]) {
      expect(out() + JSON.stringify(events)).not.toContain(secret);
    }
    expect(events).toMatchObject([{ type: 'notice', code: 'listen:ready', text: `Listening on ${url}` }]);
  });

  it('starts before its key file exists, and exits 4 if it refused a call', async () => {
    const { url, stop, out, events } = await listen('--signing-key-file b.key');
    expect((await send(url, good)).status).toBe(500);
    write('b.key', JSON.stringify({ signingKey: key }));
    expect((await send(url, good)).status).toBe(200);
    expect(await stop()).toBe(ExitCode.differs);
    expect(out()).toMatch('"reason":"no-key"');
    const text = expect.stringMatching(/^b\.key /);
    expect(events).toContainEqual(expect.objectContaining({ level: 'warning', code: 'listen:no-key', text }));
  });

  it('accepts every call and reports the signature as not checked if no key is given', async () => {
    const { url, calls } = await listen('');
    expect((await send(url, '')).status).toBe(200);
    expect(calls()).toMatchObject([{ signature: /^signature not checked/ }]);
  });

  it('refuses a replayed call, also with an altered header, but accepts a retry after an error answer', async () => {
    write('b.key', 'next');
    const { url } = await listen('--signing-key-file a.key --signing-key-file b.key');
    const header = signBody(body, [key, 'next'], now);
    expect((await send(url, header)).status).toBe(200);
    for (const again of [header, `t=+${now},${header.split(',')[2]}`]) {
      const response = await send(url, again);
      expect([response.status, await response.json()]).toMatchObject([500, { reason: 'replayed' }]);
    }
    expect((await send(url, signBody(body, key, now - 1))).status).toBe(200);
    const failing = await listen(`--signing-key-file a.key --forward-to ${await closedAddress()}`);
    expect([(await send(failing.url, good)).status, (await send(failing.url, good)).status]).toEqual([
      502, 502,
    ]);
  });

  it('does not record or forward a replayed call', async () => {
    const receiver = await startReceiver();
    const { url, calls } = await listen(
      `--signing-key-file a.key --record calls --forward-to ${receiver.url}`,
    );
    await Promise.all([send(url, good), send(url, good), send(url, good)]);
    expect([folder.list('calls').length, receiver.calls.length]).toEqual([1, 1]);
    const statuses = calls().map(({ status }) => `${status}`);
    expect(statuses.toSorted()).toEqual(['200', '500', '500']);
  });

  it('still shows a call that cannot be recorded', async () => {
    const { url, calls } = await listen('--signing-key-file a.key --record calls');
    folder.remove('calls');
    expect((await send(url, good)).status).toBe(200);
    expect(calls()).toMatchObject([{ recorded: /^NOT RECORDED: / }]);
  });

  it('explains why it cannot start: port in use, foreign address', async () => {
    const { url } = await listen('');
    const { problem } = await run(`listen --port ${new URL(url).port}`);
    expect(problem).toMatchObject({
      code: 'listen:port',
      message: /is in use by another program/,
      hint: /port 0/,
    });
    expect((await run('listen --host 192.0.2.1')).problem?.message).toContain(
      'is not an address of this machine',
    );
  });

  it('forwards the raw body and headers of a verified call and returns the answer', async () => {
    const receiver = await startReceiver();
    receiver.answer = (response) => {
      response.writeHead(201, { 'content-type': 'application/json' }).end('{"userId":"7"}');
    };
    const { url } = await listen(`--signing-key-file a.key --forward-to ${receiver.url}/dev/hook`);
    const [content, signature] = [`${body} `, signBody(`${body} `, key, now)];
    const response = await send(url, signature, content);
    expect([response.status, await response.json()]).toEqual([201, { userId: '7' }]);
    await send(url, '');
    expect(receiver.calls).toMatchObject([
      { method: 'POST', path: '/dev/hook', body: content, headers: { 'zitadel-signature': signature } },
    ]);
  });

  it('answers 502 with the reason if the forward address is closed', async () => {
    const { url } = await listen(`--forward-to ${await closedAddress()}`);
    const response = await send(url, good);
    const message = 'nothing listens at this address';
    expect([response.status, await response.json()]).toEqual([502, { reason: 'forward-failed', message }]);
  });

  it('gives up on a forward address that does not answer in time', async () => {
    const forwarder = createForwarder(new URL(await listenHere(createServer(() => {}))), 50);
    const call = { method: 'POST', path: '/', headers: [], body: Buffer.from(body), receivedAt: 0 };
    await expect(forwarder.send(call)).rejects.toThrow('no response within 0.05 s');
    await forwarder.close();
  });
});

it('a recorded call is verified as of its arrival time, and replayed with a new signature', async () => {
  const listener = await listen('--signing-key-file a.key --record calls --calls 3');
  await send(listener.url, signBody(body, key, now - 2));
  await send(listener.url, signBody(body, 'other', now));
  await send(listener.url, good);
  expect(await listener.ended).toBe(ExitCode.differs);
  // The refused one takes no room.
  const recorded = folder.list('calls');
  expect(recorded).toHaveLength(2);
  write('b.key', 'other');

  const file = join('calls', recorded[0]!);
  const verified = await run(`verify ${file} --signing-key-file a.key`);
  expect(verified).toMatchObject({ exitCode: 0, stdout: `${file}: signature good, 2 s old\n` });
  expect(await run(`verify ${file} --signing-key-file b.key`)).toMatchObject({
    exitCode: ExitCode.differs,
    stdout: expect.stringContaining(`${file}: REFUSED (wrong-key)`),
  });

  const receiver = await startReceiver();
  let answers = 0;
  receiver.answer = (response) => response.writeHead((answers += 1) === 1 ? 204 : 500).end();
  const replayed = await run(`replay calls --to ${receiver.url} --signing-key-file a.key`);
  const stdout = /^204 2026.*-0001-AddHumanUser 0 ms\n500 2026.*-0003-AddHumanUser 0 ms\n$/;
  expect(replayed).toMatchObject({ exitCode: ExitCode.rejected, stdout });
  expect(receiver.calls.map((call) => call.headers['zitadel-signature'])).toEqual([good, good]);
  expect(receiver.calls[0]).toMatchObject({ body, headers: { host: new URL(receiver.url).host } });
  expect(receiver.calls[0]?.headers).not.toHaveProperty('idport-received');
});

it('actions replay sends a call with its old signature and a warning if no key is given', async () => {
  const old = signBody(body, key, 1);
  write('call.http', `POST / HTTP/1.1\nZITADEL-Signature: ${old}\n\n${body}`);
  const receiver = await startReceiver();
  const line = `replay call.http --to ${receiver.url}`;
  const { events } = await succeeded(run(line));
  expect(receiver.calls[0]?.headers['zitadel-signature']).toBe(old);
  expect(events).toMatchObject([{ code: 'replay:old-signature', level: 'warning' }]);
  const nowhere = line.replace(receiver.url, await closedAddress());
  expect((await run(nowhere)).exitCode).toBe(ExitCode.rejected);
});

it('actions replay reports a file that is not a recorded call and a folder without calls', async () => {
  write('call.http', '{}');
  mkdirSync(join(folder.cwd, 'empty'));
  const replay = (path: string) => run(`replay ${path} --to http://127.0.0.1:1`);
  expect((await replay('call.http')).problem?.code).toBe('input:not-a-call');
  expect((await replay('empty')).problem?.message).toContain('has no recorded calls');
});

it('actions sign signs as the wire contract defines', async () => {
  const sent = '{"fullMethod":"/zitadel.user.v2.UserService/AddHumanUser"}';
  const header =
    'ZITADEL-Signature: t=1700000000,v1=a92e7f2bb5061497b4a20bbcdc50661d484ae2a1c16c0c2a6bef6e9c48f95bdc';
  write('body.json', sent);
  const clock = createFakeClock({ now: 1_700_000_000_000 });
  for (const file of ['body.json', '-']) {
    const signed = await run(`sign ${file} --signing-key-file=a.key`, sent, clock);
    expect(signed).toMatchObject({ exitCode: 0, stdout: `${header}\n` });
  }
  const call = `POST / HTTP/1.1\n${header}\n\n${sent}`;
  expect((await run('verify - --signing-key-file a.key', call)).stdout).toMatch('REFUSED (too-old)');
});

it('actions verify reports a file that is a bare body', async () => {
  expect((await run('verify - --signing-key-file a.key', body)).problem?.message).toBe(
    '-: this is not a saved HTTP request',
  );
});

it('actions verify reports an altered body length', async () => {
  const head = `POST / HTTP/1.1\r\nContent-Length: ${body.length}\r\nZitadel-Signature: ${signBody(body, key, now)}`;
  write('call.http', `${head}\r\n\r\n${body}\n`);
  const { exitCode, stdout } = await run('verify call.http --signing-key-file a.key');
  expect(exitCode).toBe(ExitCode.differs);
  expect(stdout).toMatch(/^call.http: REFUSED \(body-altered\): .*a line break was added/);
  expect(stdout).toMatch(`a body of ${body.length + 1} bytes, its Content-Length says ${body.length}`);
});
