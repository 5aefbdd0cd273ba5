/** The receiver as a process that is killed, and one that is started again with the journal of the one before. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { placeholderHash } from '../../../src/records/placeholder-password.ts';
import { forwardHere, serveHere } from '../../support/local-server.ts';
import {
  defer,
  type JitWorkspace,
  keyFlag,
  listed,
  openJitWorkspace,
  serveListed,
} from '../../support/jit.ts';

vi.mock(import('../../../src/workers/worker.ts'), () => import('../../support/inline-worker.ts'));

/** Says that each password is right, once it is released; until then it answers no call. */
async function startHeldSystem({ writeHttp }: JitWorkspace) {
  const [held, called] = [defer(), defer()];
  const url = await serveHere((request, response) => {
    request.resume();
    called.resolve();
    void held.promise.then(() => response.end(JSON.stringify({ result: 'right' })));
  });
  writeHttp(`${url}/`);
  return { asked: called.promise, release: held.resolve };
}

/** The built program, set up at the service; resolves when it listens. */
async function startProcess(
  { runProcess, setUp, url: service }: JitWorkspace,
  verifier: string,
  env = { IDPORT_URL: service },
) {
  const listening = defer<string>();
  let [kill, stderr] = [() => undefined, ''];
  // A busy machine may take its time.
  const patience = '--answer-within 50s --verifier-timeout 40s';
  const line = `jit serve ${verifier} --listen 127.0.0.1:0 ${patience} ${keyFlag}`;
  void runProcess(line, {
    env,
    meanwhile(child) {
      let said = '';
      kill = () => void child.kill('SIGKILL');
      onTestFinished(kill);
      child.stderr?.on('data', (block: Buffer) => (stderr += block.toString()));
      child.stdout?.on('data', (block: Buffer) => {
        said += block.toString();
        const [, address] = /"listening","url":"([^"]+)"/.exec(said) ?? [];
        if (address !== undefined) listening.resolve(address);
      });
      child.once('close', () => listening.reject(new Error(`it ended: ${said}${stderr}`)));
    },
  });
  await setUp(await listening.promise);
  return { kill, stderr: () => stderr };
}

const byHashes = '--verifier hashes:jit.ndjson';
const byHttp = '--any-user --verifier http:http.json';

it('jit serve killed during a verifier call: the next login works', async () => {
  const workspace = await openJitWorkspace();
  await workspace.addUser('alice');
  const old = await startHeldSystem(workspace);
  const killed = await startProcess(workspace, byHttp);
  const cutShort = workspace.logIn('alice');
  await old.asked;
  killed.kill();
  // The service goes on alone: it has no password of this user yet.
  expect(await cutShort).toBe(400);
  expect(await workspace.logIn('alice')).toBe(400);

  old.release();
  const next = await startProcess(workspace, byHttp);
  expect(await workspace.logIn('alice')).toBe(201);
  next.kill();
  expect(await workspace.logIn('alice')).toBe(201);
});

it.each([
  ['the login', {}, {}],
  [
    'the login of a user with the placeholder password',
    { hashedPassword: { hash: placeholderHash(10) } },
    { placeholder: true as const },
  ],
])(
  'jit serve killed between write and answer: %s has the password, and the next receiver writes nothing',
  async (_, user, more) => {
    const workspace = await openJitWorkspace();
    const { logIn, read } = workspace;
    await workspace.addUser('alice', user);
    workspace.writeList([{ ...listed('alice'), ...more }]);
    const writes: string[] = [];
    let afterWrite = () => undefined;
    const proxy = await forwardHere(workspace.url, async ({ method, path }, pass) => {
      const answer = await pass();
      if (method !== 'PATCH') return answer;
      writes.push(path);
      afterWrite();
      return answer;
    });
    const through = { IDPORT_URL: proxy };
    const killed = await startProcess(workspace, byHashes, through);
    // The service has answered, and the receiver never gets that answer.
    afterWrite = killed.kill;
    expect(await logIn('alice')).toBe(201);
    expect(await logIn('alice', 'wrong')).toBe(400);
    expect(read('jit.journal')).toBe('');

    await startProcess(workspace, byHashes, through);
    expect(await logIn('alice', 'wrong')).toBe(400);
    expect(await workspace.logInByTwoSteps('alice')).toBe(200);
    expect(writes).toEqual(['/v2/users/alice']);
    expect(JSON.parse(read('jit.journal'))).toMatchObject({ id: 'alice', by: 'service' });
  },
);

it('jit serve killed repeatedly during logins: each user keeps the old password and one journal entry', async () => {
  const workspace = await openJitWorkspace();
  const names = Array.from({ length: 14 }, (_, number) => `user-${number}`);
  for (const name of names) await workspace.addUser(name);
  workspace.writeList(names.map(listed));

  for (const answered of [0, 3]) {
    const receiver = await startProcess(workspace, byHashes);
    let answers = 0;
    const logIn = async (name: string) => {
      await workspace.logIn(name);
      if (answers++ === answered) receiver.kill();
    };
    await Promise.all(names.map(logIn));
    expect(receiver.stderr()).toBe('');
  }
  const last = await startProcess(workspace, byHashes);
  const logInAll = async () => {
    for (const name of names) expect(await workspace.logIn(name)).toBe(201);
  };
  await logInAll();
  last.kill();
  await logInAll();
  const lines = workspace.read('jit.journal').trim().split('\n');
  const ids = lines.map((line) => (JSON.parse(line) as { id: string }).id);
  expect(ids.toSorted()).toEqual(names.toSorted());
});

it('jit serve stopped during a verifier call answers the call and writes the password', async () => {
  const workspace = await openJitWorkspace();
  await workspace.addUser('alice');
  const old = await startHeldSystem(workspace);
  const receiver = await workspace.serve(byHttp);
  await workspace.setUp(receiver.url);
  const login = workspace.logIn('alice');
  await old.asked;
  const stopped = receiver.stop();
  old.release();
  expect(await login).toBe(201);
  expect(await stopped).toBe(0);
});

it('jit serve does not check a migrated user again after a restart', async () => {
  const workspace = await serveListed();
  const { addUser, logIn } = workspace;
  expect(await logIn('alice')).toBe(201);
  await workspace.receiver.stop();

  // The same id without a password: only the journal knows that this user has migrated.
  expect((await workspace.call('DELETE /v2/users/alice')).status).toBe(200);
  await addUser('alice');
  const next = await workspace.serve(byHashes);
  await workspace.setUp(next.url);
  expect(await logIn('alice')).toBe(400);
  expect(next.out()).toContain('"outcome":"migrated-before","userId":"alice"');
  expect(next.out()).not.toContain('"verifier":"hashes"');
});

it('jit serve --steal-lock takes over the journal of a receiver killed in a container', async () => {
  const workspace = await openJitWorkspace();
  const gone = { host: 'pod-0', boot: 'b', namespace: 'pid:[1]', pid: 1, started: '1', id: 'of-the-other' };
  workspace.write('jit.journal.lock', `${JSON.stringify(gone)}\n`);
  workspace.writeHttp('http://127.0.0.1:1/');
  await expect(workspace.serve(byHttp)).rejects.toThrow('another run (process 1 on pod-0) is writing');
  const receiver = await workspace.serve(`${byHttp} --steal-lock`);
  expect(await receiver.stop()).toBe(0);
});
