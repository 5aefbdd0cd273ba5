/** The receiver as a process that is killed, and one that is started again with the journal of the one before. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
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
async function startProcess({ cwd, url, token }: JitService): Promise<{ url: string; kill: () => void }> {
  const args = ['jit', 'serve', '--any-user', '--verifier', 'http:http.json', '--listen', '127.0.0.1:0'];
  const child = spawn(process.execPath, [process.env['IDPORT_TEST_PROGRAM']!, ...args, ...keyFlags], {
    cwd,
    env: { PATH: process.env['PATH'], IDPORT_URL: url, IDPORT_TOKEN: token },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const kill = (): void => void child.kill('SIGKILL');
  onTestFinished(kill);
  const listening = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (block: Buffer) => {
      said += block.toString();
      const [, address] = /"listening","url":"([^"]+)"/.exec(said) ?? [];
      if (address !== undefined) resolve(address);
    });
    child.once('close', () => reject(new Error(`it ended: ${said}`)));
  });
  return { url: listening, kill };
}
