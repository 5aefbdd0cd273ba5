/** Webhooks as a whole over real sockets: serve, listen, target, execution, a user created, the call verified. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ExitCode } from '../../../src/errors.ts';
import type { ReferenceServerOptions } from '../../../src/server/index.ts';
import { createFakeClock } from '../../support/clock.ts';
import { callsIn, openWorkspace } from '../../support/workspace.ts';

const method = '/zitadel.user.v2.UserService/AddHumanUser';

/** Service and listeners share a clock that stands still; only timeouts of targets are real. */
async function open(options: ReferenceServerOptions = {}) {
  const clock = createFakeClock();
  const workspace = await openWorkspace({ clock, profile: 'self-hosted', ...options });
  const run = (line: string) => workspace.run(`actions ${line}`, { clock });
  return {
    ...workspace,
    run,
    listen: async (flags: string) => {
      const listener = await workspace.start(`actions listen --format json ${flags}`, clock);
      return { ...listener, calls: () => callsIn(listener) };
    },
    /** As endpoint 3 of the interface has it. */
    createUser: () =>
      workspace.call('POST /v2/users/human', {
        username: 'minnie',
        profile: { givenName: 'Minnie', familyName: 'Mouse' },
        email: { email: 'minnie@mouse.com', isVerified: true },
      }),
    listTargets: async (flags = ''): Promise<any[]> =>
      JSON.parse((await run(`target list --format json${flags}`)).stdout),
  };
}

async function setUp(api: string) {
  const service = await open();
  const listener = await service.listen('--signing-key-file audit.key');
  const target = `--name audit --endpoint ${listener.url} --signing-key-file audit.key`;
  const made = await service.run(`target create ${target} --api ${api} --timeout 10s --interrupt-on-error`);
  const set = await service.run(`execution set --request-method ${method} --target audit --api ${api}`);
  return { ...service, listener, said: JSON.stringify([made, set]) };
}

describe.each(['auto', 'v2', 'v3alpha'])('actions through the API %s', (api) => {
  it('sends a signed call that verifies when a user is created', async () => {
    const { createUser, listener, read, cwd, server, said } = await setUp(api);
    expect((await createUser()).status).toBe(200);
    const names = api === 'v3alpha' ? { given_name: 'Minnie' } : { givenName: 'Minnie' };
    expect(listener.calls()).toMatchObject([
      {
        verified: true,
        kind: 'request',
        name: method,
        status: 200,
        payload: { fullMethod: method, request: { profile: names, email: { email: 'minnie@mouse.com' } } },
      },
    ]);
    const key = read('audit.key').trim();
    expect(key).toMatch(/^[A-Za-z0-9]{36}$/);
    expect(statSync(join(cwd, 'audit.key')).mode & 0o777).toBe(0o600);
    for (const secret of [key, server.tokens.iamOwner])
      expect(said + listener.out() + JSON.stringify(listener.events)).not.toContain(secret);
  });

  it('answers 500 to a wrong key, and an interrupting target fails the triggering call', async () => {
    const { write, createUser, humans, listener } = await setUp(api);
    write('audit.key', 'another-key');
    expect(await createUser()).toMatchObject({
      status: 400,
      body: { code: 9, details: [{ id: 'EXEC-dra6yamk98' }] },
    });
    expect(listener.calls()).toMatchObject([{ verified: false, reason: 'wrong-key', status: 500 }]);
    expect(humans()).toEqual([]);
    expect(await listener.stop()).toBe(ExitCode.differs);
  });

  it('execution clear stops the calls, and target delete removes the target', async () => {
    const { run, createUser, listTargets, listener } = await setUp(api);
    await run(`execution clear --request-method ${method} --api ${api}`);
    expect((await createUser()).status).toBe(200);
    expect(listener.calls()).toEqual([]);
    await run(`target delete audit --api ${api}`);
    expect(await listTargets(` --api ${api}`)).toEqual([]);
  });
});

it('actions target lists without keys, shows, updates, and rotates a key that works at once', async () => {
  const { run, read, write, createUser, listener } = await setUp('auto');
  const first = read('audit.key').trim();
  const table = await run('target list');
  expect(table.stdout).toMatch(
    /^ID +NAME +KIND +TIMEOUT +ON ERROR +PAYLOAD +ENDPOINT\n\d+ +audit +webhook +10s +interrupt +json +http/,
  );
  const shown = await run('target get audit');
  expect(JSON.parse(shown.stdout)).toMatchObject({ name: 'audit', kind: 'webhook', timeout: '10s' });
  expect(table.stdout + shown.stdout).not.toContain(first);
  const withKey = await run('target get audit --show-key --signing-key-file copy.key');
  expect(JSON.parse(withKey.stdout)).toMatchObject({ signingKey: first });
  expect(read('copy.key')).toBe(`${first}\n`);

  const changed = await run('target update audit --timeout 20s --interrupt-on-error=false');
  expect(JSON.parse(changed.stdout)).not.toHaveProperty('changedAt');
  expect(JSON.parse((await run('target get audit')).stdout)).toMatchObject({
    timeout: '20s',
    interruptOnError: false,
    kind: 'webhook',
    name: 'audit',
  });

  expect((await run('target rotate-key audit')).exitCode).toBe(ExitCode.usage);
  write('account.json', { type: 'serviceaccount', key: 'needed' });
  const replacing = await run('target rotate-key audit --signing-key-file account.json');
  expect(replacing.problem?.message).toBe(
    'account.json exists already, and does not hold exactly one signing key',
  );
  await run('target rotate-key audit --signing-key-file audit.key');
  expect(read('audit.key').trim()).not.toBe(first);
  await createUser();
  expect(listener.calls()).toMatchObject([{ verified: true }]);
});

it('actions target create tells whether the key can still be read if no key file is given', async () => {
  const { run, write } = await open();
  const { events, stdout } = await run('target create --name audit --endpoint https://hooks.example/a');
  expect(Object.keys(JSON.parse(stdout) as object)).toEqual(['id', 'name', 'api']);
  expect(events).toMatchObject([{ code: 'actions:key-kept', level: 'info' }]);
  const old = await run('target create --name old --endpoint https://hooks.example/b --api v3alpha');
  expect(old.events).toMatchObject([{ code: 'actions:key-lost', level: 'warning' }]);
  write('actions.yaml', { targets: [{ name: 'gate', endpoint: 'https://hooks.example/c' }] });
  const { events: applied } = await run('apply actions.yaml --yes --api v3alpha');
  expect(applied).toMatchObject([{ code: 'actions:key-lost' }, { code: 'actions:applied' }]);
});

it('actions execution calls a JWT target for user events', async () => {
  const { run, listen, createUser } = await open();
  const listener = await listen('--signing-key-file jwt.key');
  const target = `--name crm --endpoint ${listener.url} --payload jwt --async --signing-key-file jwt.key`;
  await run(`target create ${target}`);
  await run('execution set --event user.human.added --target crm');
  expect((await createUser()).status).toBe(200);
  await listener.outputMatching(/"type":"call"/);
  expect(listener.calls()).toMatchObject([
    {
      verified: true,
      payloadType: 'jwt',
      kind: 'event',
      name: 'user.human.added',
      tokenHeader: { alg: 'RS256' },
    },
  ]);
});

it('actions apply plans first, applies with --yes, and then changes nothing', async () => {
  const { run, listen, write, listTargets, createUser } = await open();
  const listener = await listen('--signing-key-file keys/audit.key');
  const execution = `execution request ${method}: audit`;
  const writeFile = (timeout: string, called = method) => {
    const target = { name: 'audit', endpoint: listener.url, timeout, interruptOnError: true };
    const executions = [{ condition: { request: { method: called } }, targets: ['audit'] }];
    write('actions.yaml', { targets: [target], executions });
  };
  writeFile('10s');
  const planned = await run('apply actions.yaml');
  expect([planned.exitCode, planned.stdout]).toEqual([
    ExitCode.differs,
    `+ target audit (webhook, 10s, ${listener.url})\n+ ${execution}\n`,
  ]);
  expect(await listTargets()).toEqual([]);

  write('used/audit.key/x', '');
  expect((await run('apply actions.yaml --yes --key-folder used')).problem?.message).toContain('audit.key');
  expect(await listTargets()).toEqual([]);

  const applied = await run('apply actions.yaml --yes --key-folder keys');
  expect(applied.exitCode).toBe(ExitCode.done);
  expect(applied.events).toMatchObject([{ code: 'actions:applied', text: 'Made 2 changes.' }]);
  expect((await createUser()).status).toBe(200);
  expect(listener.calls()).toMatchObject([{ verified: true }]);

  const again = await run('apply actions.yaml --yes');
  expect([again.exitCode, again.stdout]).toEqual([ExitCode.done, `= target audit\n= ${execution}\n`]);

  writeFile('20s');
  await run('target create --name stray --endpoint https://hooks.example/s');
  await run('execution set --event user.human.added --target stray');
  const stray = 'execution event user.human.added: stray';
  expect((await run('apply actions.yaml')).stdout).toBe(
    `~ target audit: timeout 10s -> 20s\n= ${execution}\n` +
      `= ${stray} (not in the file)\n= target stray (not in the file)\n`,
  );

  writeFile('30s', '/zitadel.user.v2.UserService/AddRobot');
  const stopped = await run('apply actions.yaml --yes');
  expect(stopped.problem?.hint).toMatch(/1 of 2 changes were made\. Run it again for the others\.$/);
  expect(await listTargets()).toMatchObject([{ timeout: '30s' }, { name: 'stray' }]);
});
