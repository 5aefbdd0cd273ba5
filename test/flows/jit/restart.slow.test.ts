/** The receiver as a process that is killed, and one that is started again with the journal of the one before. */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { placeholderHash } from '../../../src/records/placeholder-password.ts';
import { type JitService, sha256Form, startJitService, writeUserList } from '../../support/jit.ts';

vi.mock(import('../../../src/workers/worker.ts'), async (original) => {
  const { startInlineWorker } = await import('../../support/inline-worker.ts');
  return { ...(await original()), startWorker: startInlineWorker };
});

const password = 'Old-Secret-1';
const keyFlags = ['--signing-key-file', 'jit.key'];

it('killed while a verifier holds the call: the next login works', async () => {
  const service = await startJitService();
  await service.addUser('alice');
  const old = await startHeldSystem();
  const settings = { url: old.url, signingKey: 'a-key-of-the-operator' };
  writeFileSync(join(service.cwd, 'http.json'), JSON.stringify(settings), { mode: 0o600 });

  const killed = await startProcess(service);
  await service.run(['setup', '--endpoint', killed.url, ...keyFlags]);
  const cutShort = service.logIn('alice', password);
  await old.asked;
  killed.kill();
  // The service goes on alone: it has no password of this user yet.
  expect((await cutShort).status).toBe(400);
  expect((await service.logIn('alice', password)).status).toBe(400);

  old.release();
  const next = await startProcess(service);
  await service.run(['setup', '--endpoint', next.url, ...keyFlags]);
  expect((await service.logIn('alice', password)).status).toBe(201);
  next.kill();
  expect((await service.logIn('alice', password)).status).toBe(201);
});

it.each([
  ['the login', {}, {}],
  [
    'the login of a user with the placeholder password',
    { hashedPassword: { hash: placeholderHash(10) } },
    { placeholder: true as const },
  ],
])(
  'killed between its write and its answer: %s has the password, and the next receiver writes nothing',
  async (_, user, listed) => {
    const service = await startJitService();
    await service.addUser('alice', user);
    writeUserList(service.cwd, [{ id: 'alice', userName: 'alice', form: sha256Form(password), ...listed }]);
    const verifier = ['--verifier', 'hashes:jit.ndjson'];
    const writes: string[] = [];
    let afterWrite = (): void => undefined;
    const url = await startProxy(service.url, (method, path) => {
      if (method !== 'PATCH') return;
      writes.push(path);
      afterWrite();
    });
    const killed = await startProcess({ ...service, url }, verifier);
    await service.run(['setup', '--endpoint', killed.url, ...keyFlags]);
    // The service has answered, and the receiver never gets that answer.
    afterWrite = killed.kill;
    expect((await service.logIn('alice', password)).status).toBe(201);
    expect((await service.logIn('alice', 'wrong')).status).toBe(400);
    expect(readFileSync(join(service.cwd, 'jit.journal'), 'utf8')).toBe('');

    const next = await startProcess({ ...service, url }, verifier);
    await service.run(['setup', '--endpoint', next.url, ...keyFlags]);
    expect((await service.logIn('alice', 'wrong')).status).toBe(400);
    expect((await service.logInByTwoSteps('alice', password)).status).toBe(200);
    expect(writes).toEqual(['/v2/users/alice']);
    const line = readFileSync(join(service.cwd, 'jit.journal'), 'utf8').trim();
    expect(JSON.parse(line)).toMatchObject({ id: 'alice', by: 'service' });
  },
);

/** In front of the service. `afterwards` is called when it has answered, before the answer goes on. */
async function startProxy(to: string, afterwards: (method: string, path: string) => void): Promise<string> {
  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '', headers } = request;
    const blocks: Buffer[] = [];
    for await (const block of request) blocks.push(block as Buffer);
    const answer = await fetch(new URL(url, to), {
      method,
      headers: { authorization: headers.authorization ?? '', 'content-type': 'application/json' },
      ...(blocks.length === 0 ? {} : { body: Buffer.concat(blocks) }),
    });
    const text = await answer.text();
    afterwards(method, url);
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  };
  const server = createServer((request, response) => void forward(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('killed again and again while users log in: each ends with the old password, and stands in the journal once', async () => {
  const service = await startJitService();
  const names = Array.from({ length: 14 }, (_, number) => `user-${number}`);
  for (const name of names) await service.addUser(name);
  const listed = names.map((name) => ({ id: name, userName: name, form: sha256Form(password) }));
  writeUserList(service.cwd, listed);

  for (const answered of [0, 3]) {
    const receiver = await startProcess(service, ['--verifier', 'hashes:jit.ndjson']);
    await service.run(['setup', '--endpoint', receiver.url, ...keyFlags]);
    let answers = 0;
    const logIn = async (name: string): Promise<void> => {
      await service.logIn(name, password);
      if (answers++ === answered) receiver.kill();
    };
    await Promise.all(names.map(logIn));
    expect(receiver.stderr()).toBe('');
  }
  const last = await startProcess(service, ['--verifier', 'hashes:jit.ndjson']);
  await service.run(['setup', '--endpoint', last.url, ...keyFlags]);
  for (const name of names) expect((await service.logIn(name, password)).status).toBe(201);
  last.kill();
  for (const name of names) expect((await service.logIn(name, password)).status).toBe(201);

  const lines = readFileSync(join(service.cwd, 'jit.journal'), 'utf8').trim().split('\n');
  const ids = lines.map((line) => (JSON.parse(line) as { id: string }).id);
  expect(ids.toSorted()).toEqual(names.toSorted());
});

it('stopped while a verifier holds the call: the call is answered, and the password is at the service', async () => {
  const service = await startJitService();
  await service.addUser('alice');
  const old = await startHeldSystem();
  const settings = { url: old.url, signingKey: 'a-key-of-the-operator' };
  writeFileSync(join(service.cwd, 'http.json'), JSON.stringify(settings), { mode: 0o600 });
  const receiver = await service.serve(['--any-user', '--verifier', 'http:http.json', ...keyFlags]);
  await service.run(['setup', '--endpoint', receiver.url, ...keyFlags]);
  const login = service.logIn('alice', password);
  await old.asked;
  const stopped = receiver.stop();
  old.release();
  expect((await login).status).toBe(201);
  expect(await stopped).toBe(0);
});

it('a user who has migrated is not asked about again after a restart, whatever the service says', async () => {
  const service = await startJitService();
  await service.addUser('alice');
  writeUserList(service.cwd, [{ id: 'alice', userName: 'alice', form: sha256Form(password) }]);
  const args = ['--verifier', 'hashes:jit.ndjson', ...keyFlags];
  const first = await service.serve(args);
  await service.run(['setup', '--endpoint', first.url, ...keyFlags]);
  expect((await service.logIn('alice', password)).status).toBe(201);
  await first.stop();

  // The same id without a password: only the journal knows that this user has migrated.
  expect((await service.call('DELETE /v2/users/alice')).status).toBe(200);
  await service.addUser('alice');
  const next = await service.serve(args);
  await service.run(['setup', '--endpoint', next.url, ...keyFlags]);
  expect((await service.logIn('alice', password)).status).toBe(400);
  expect(next.out()).toContain('"outcome":"migrated-before","userId":"alice"');
  expect(next.out()).not.toContain('"verifier":"hashes"');
});

it('the journal of a receiver that was killed in a container is taken over at once with --steal-lock', async () => {
  const service = await startJitService();
  const gone = { host: 'pod-0', boot: 'b', namespace: 'pid:[1]', pid: 1, started: '1', id: 'of-the-other' };
  writeFileSync(join(service.cwd, 'jit.journal.lock'), `${JSON.stringify(gone)}\n`);
  writeFileSync(
    join(service.cwd, 'http.json'),
    JSON.stringify({ url: 'http://127.0.0.1:1/', signingKey: 'k'.repeat(16) }),
  );
  const args = ['--verifier', 'http:http.json', '--any-user', ...keyFlags];
  await expect(service.serve(args)).rejects.toThrow(
    'another run (process 1 in another place (pod-0)) is writing',
  );
  const receiver = await service.serve([...args, '--steal-lock']);
  expect(await receiver.stop()).toBe(0);
});

/** Says that each password is right, once it is released; until then it answers no call. */
async function startHeldSystem() {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let tellAsked = (): void => undefined;
  const asked = new Promise<void>((resolve) => (tellAsked = resolve));
  const server = createServer((request, response) => {
    request.resume();
    tellAsked();
    void released.then(() => response.end(JSON.stringify({ result: 'right' })));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked, release };
}

/** The built program, with a journal of its own in the folder of the service. */
async function startProcess(
  { cwd, url, token }: JitService,
  own = ['--any-user', '--verifier', 'http:http.json'],
): Promise<{ url: string; kill: () => void; stderr: () => string }> {
  // A busy machine may take its time.
  const patience = ['--answer-within', '50s', '--verifier-timeout', '40s'];
  const args = ['jit', 'serve', ...own, '--listen', '127.0.0.1:0', ...patience];
  const child = spawn(process.execPath, [process.env['IDPORT_TEST_PROGRAM']!, ...args, ...keyFlags], {
    cwd,
    env: { PATH: process.env['PATH'], IDPORT_URL: url, IDPORT_TOKEN: token },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (block: Buffer) => (stderr += block.toString()));
  const kill = (): void => void child.kill('SIGKILL');
  onTestFinished(kill);
  const listening = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (block: Buffer) => {
      said += block.toString();
      const [, address] = /"listening","url":"([^"]+)"/.exec(said) ?? [];
      if (address !== undefined) resolve(address);
    });
    child.once('close', () => reject(new Error(`it ended: ${said}${stderr}`)));
  });
  return { url: listening, kill, stderr: () => stderr };
}
