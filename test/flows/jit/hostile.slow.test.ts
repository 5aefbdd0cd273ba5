/** Old systems and callers that fail, hang or attack: the login continues with its unchanged request. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openMigratedUsers, readMigratedUsers } from '../../../src/flows/jit/migrated-users.ts';
import { signatureHeader, signBody } from '../../../src/wire/signature.ts';
import { listenHere } from '../../support/local-server.ts';
import { createTestFolder } from '../../support/folder.ts';
import { countOf, listed, oldPassword, openJitWorkspace, sendSigned } from '../../support/jit.ts';
import { createFakeClock } from '../../support/clock.ts';

vi.mock(import('../../../src/workers/worker.ts'), () => import('../../support/inline-worker.ts'));

/** A raw server: what it does with a connection is all that the verifier sees. */
async function startRawServer(onConnection: (socket: Socket) => void) {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  return `${await listenHere(server)}/`;
}

const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const say = (text: string) => (socket: Socket) => {
  socket.once('data', () => socket.end(text));
};

/** Each is given the connection of a verifier. */
const hostileSystems: Readonly<Record<string, (socket: Socket) => void>> = {
  'that never answers': () => undefined,
  'that closes the connection': (socket) => socket.destroy(),
  'that closes its half of the connection': (socket) => socket.end(),
  'that stops in the middle of its answer': (socket) =>
    socket.once('data', () => socket.write(`${head}content-length: 100\r\n\r\n{"resu`)),
  'that answers without end': (socket) => {
    const block = `1000\r\n${'x'.repeat(4096)}\r\n`;
    const more = () => {
      while (!socket.destroyed && socket.write(block));
    };
    socket.once('data', () => {
      socket.write(`${head}transfer-encoding: chunked\r\n\r\n`);
      more();
    });
    socket.on('drain', more);
  },
  'that answers with no JSON': say(`${head}content-length: 4\r\n\r\n<a/>`),
  'that answers with other JSON': say(`${head}content-length: 17\r\n\r\n{"result":["ok"]}`),
  'that says right with status 500': say('HTTP/1.1 500 X\r\ncontent-length: 18\r\n\r\n{"result":"right"}'),
  'that redirects': say('HTTP/1.1 307 X\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n'),
  'that speaks no HTTP': say('220 ready\r\n'),
};

const key = 'key-of-the-target';
const login = {
  fullMethod: '/zitadel.session.v2.SessionService/CreateSession',
  request: {
    checks: { user: { userId: 'alice' }, password: { password: oldPassword } },
    metadata: { a: 'eA==' },
    lifetime: '1s',
  },
};

/** A receiver for one user, asked as the service does. */
async function startReceiver(flags = '--verifier hashes:jit.ndjson', verifierUrl = '') {
  const workspace = await openJitWorkspace();
  await workspace.addUser('alice');
  workspace.writeList([listed('alice')]);
  workspace.writeHttp(verifierUrl);
  workspace.write('jit.key', key);
  const receiver = await workspace.serve(flags);
  const call = (payload: object = login, signingKey = key, at?: number) =>
    sendSigned(receiver.url, payload, signingKey, at);
  /** The request goes back unchanged. */
  const expectUnchanged = async () => {
    const answer = await call();
    expect([answer.status, await answer.json()]).toEqual([200, login.request]);
  };
  return { ...workspace, service: workspace.call, receiver, call, expectUnchanged };
}

it.each(Object.entries(hostileSystems))(
  'jit serve returns the request unchanged if the old system is one %s',
  async (_, act) => {
    // With short times, because some of the systems never answer.
    const { receiver, expectUnchanged, methodsOf } = await startReceiver(
      '--verifier http:http.json --any-user --verifier-timeout 200ms --answer-within 400ms',
      await startRawServer(act),
    );
    await expectUnchanged();
    const [, outcome] = await receiver.outputMatching(/"type":"login","outcome":"(\w+)"/);
    expect(outcome).toBe('failed');
    expect(receiver.out()).not.toContain(oldPassword);
    expect(await methodsOf('alice')).toEqual([]);
  },
);

it('jit serve refuses a call with a wrong key, an old signature or a huge body, and logs no password', async () => {
  const { receiver, call, methodsOf, cwd, read } = await startReceiver();
  const refused = [
    await call(login, 'another-key'),
    await call(login, key, Date.now() - 3_600_000),
    // The connection may be closed before all of it was sent.
    await call({ ...login, padding: 'x'.repeat(300_000) }).catch(() => ({ status: 413 })),
    await fetch(receiver.url, { method: 'PUT', body: JSON.stringify(login) }),
  ];
  for (const { status } of refused) expect(status).toBeGreaterThanOrEqual(400);
  expect(receiver.out().match(/"type":"refused"/g)).toHaveLength(refused.length);
  expect(receiver.out()).not.toContain('"type":"login"');
  expect(await methodsOf('alice')).toEqual([]);
  const files = readdirSync(cwd).filter((name) => name !== 'jit.ndjson');
  const said = [receiver.out(), JSON.stringify(receiver.events), process.title, ...files.map(read)];
  expect(said.join('\n')).not.toContain(oldPassword);
});

it('jit serve answers nothing to the response call of a login', async () => {
  const { call } = await startReceiver();
  const answer = await call({ ...login, response: { sessionId: '1' } });
  expect([answer.status, await answer.text()]).toEqual([200, '']);
});

const entry = '{"at":"2026-01-02T03:04:05.000Z","id":"bob","by":"hashes"}\n';

it.each([
  ['another file', 'one line'],
  ['damaged', `${entry}${'x'.repeat(1_200_000)}\n${entry}`],
])('jit serve refuses a journal that is %s and leaves it unchanged', async (_, text) => {
  const workspace = await openJitWorkspace();
  workspace.writeList([listed('alice')]);
  workspace.write('notes.txt', text);
  const serve = workspace.serve('--verifier hashes:jit.ndjson --journal notes.txt');
  await expect(serve).rejects.toThrow('notes.txt is not a journal of jit serve');
  expect(workspace.read('notes.txt') === text).toBe(true);
});

it('jit serve still answers while thousands of callers stall their bodies', async () => {
  const { receiver, call } = await startReceiver();
  const { port } = new URL(receiver.url);
  const slow: Socket[] = [];
  onTestFinished(() => {
    for (const socket of slow) socket.destroy();
  });
  for (let n = 0; n < 2100; n++) {
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    slow.push(socket);
    if (n % 100 === 99) await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{"fullMethod"');
  }
  expect((await fetch(`${receiver.url}healthz`)).status).toBe(200);
  expect((await call()).status).toBe(200);
  await receiver.outputMatching(/"outcome":"migrated"/);
});

it('jit serve does not reveal to unsigned callers how a body was altered', async () => {
  const { receiver } = await startReceiver();
  const body = JSON.stringify(login);
  const headers = { [signatureHeader]: signBody(body, key, Date.now() / 1000) };
  const answer = await fetch(receiver.url, { method: 'POST', body: `${body}\n`, headers });
  expect([answer.status, await answer.json()]).toMatchObject([500, { reason: 'wrong-key' }]);
});

it('jit serve limits concurrent guesses for one user', async () => {
  const { receiver, call } = await startReceiver();
  const guess = (n: number) => ({ user: { userId: 'alice' }, password: { password: `guess-${n}` } });
  await Promise.all(Array.from({ length: 40 }, (_, n) => call({ ...login, request: { checks: guess(n) } })));
  // Three are free, and the next one brings the first delay, which may end on a slow machine.
  const asked = countOf(receiver, 'wrong');
  expect(asked).toBeLessThan(8);
  expect(countOf(receiver, 'limited')).toBe(40 - asked);
});

it('jit serve returns the request unchanged in time if the service does not answer', async () => {
  const { receiver, expectUnchanged } = await startReceiver(
    `--url ${await startRawServer(() => undefined)} --verifier hashes:jit.ndjson --verifier-timeout 200ms --answer-within 300ms`,
  );
  await expectUnchanged();
  await receiver.outputMatching(/"outcome":"failed".*"problem":"ServicePaused"/);
  expect(await receiver.stop()).toBe(0);
});

it.each([
  ['takes no more requests', '429 Too Many Requests\r\nretry-after: 60'],
  ['knows the token no more', '401 Unauthorized'],
])('jit serve answers at once if the service %s, and pauses after five failures', async (_, status) => {
  let asked = 0;
  const busy = await startRawServer((socket) =>
    socket.on('data', () => {
      asked++;
      socket.write(`HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`);
    }),
  );
  const { receiver, expectUnchanged } = await startReceiver(`--url ${busy} --verifier hashes:jit.ndjson`);
  for (let n = 0; n < 5; n++) await expectUnchanged();
  const askedBefore = asked;
  for (let n = 0; n < 5; n++) await expectUnchanged();
  expect(asked).toBe(askedBefore);
  expect(receiver.out().match(/"outcome":"failed".*"problem":"api:/g)).toHaveLength(5);
  expect(receiver.out().match(/"outcome":"failed".*"problem":"ServicePaused"/g)).toHaveLength(5);
});

it('jit serve still migrates users if the journal cannot be written, and reports it once', async () => {
  const { cwd, receiver, call, methodsOf } = await startReceiver();
  rmSync(join(cwd, 'jit.journal'));
  await call();
  await call();
  expect(receiver.out().match(/"type":"journal","problem":"journal:deleted"/g)).toHaveLength(1);
  expect(receiver.out()).toContain('"outcome":"migrated","userId":"alice"');
  expect(receiver.out()).toContain('"outcome":"migrated-before","userId":"alice"');
  expect(await methodsOf('alice')).toEqual(['PASSWORD']);
});

it('openMigratedUsers writes the users of an outage once the journal is writable again', async () => {
  let monotonic = 0;
  const path = join(createTestFolder(), 'jit.journal');
  const problems: string[] = [];
  const journal = await openMigratedUsers(path, {
    clock: { ...createFakeClock(), monotonic: () => monotonic },
    onProblem: (code) => problems.push(code),
  });
  const add = (id: string) => journal.add({ at: '2026-01-01T00:00:00Z', id, by: 'hashes' });
  await add('a');
  rmSync(path);
  for (const id of ['b', 'c']) await add(id);
  expect([problems, existsSync(path)]).toEqual([['journal:deleted'], false]);
  monotonic += 10_000;
  await add('d');
  expect(problems).toEqual(['journal:deleted', '']);
  await journal.close();
  const ids: string[] = [];
  await readMigratedUsers(path, ({ id }) => ids.push(id));
  expect(ids).toEqual(['b', 'c', 'd']);
});

it.each([
  ['--listen 0.0.0.0:0', 'passwords would travel without TLS'],
  ['--verifier-timeout 9s --answer-within 5s', '--verifier-timeout has to be shorter than --answer-within'],
])('jit serve refuses insecure or contradictory settings: %s', async (flags, message) => {
  await expect(startReceiver(`--verifier hashes:jit.ndjson ${flags}`)).rejects.toThrow(message);
});
