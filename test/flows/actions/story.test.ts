/** Webhooks as a whole over real sockets: serve, listen, target, execution, a user created, the call verified. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ExitCode } from '../../../src/errors.ts';
import { startActionsService, type ActionsService } from '../../support/actions-service.ts';

const method = '/zitadel.user.v2.UserService/AddHumanUser';

/** As endpoint 3 of the interface has it. */
const createSampleUser = (service: ActionsService, name = 'minnie'): ReturnType<ActionsService['call']> =>
  service.call('POST /v2/users/human', {
    username: name,
    profile: { givenName: 'Minnie', familyName: 'Mouse' },
    email: { email: `${name}@mouse.com`, isVerified: true },
  });

const userExists = async (service: ActionsService, name: string): Promise<boolean> => {
  const queries = [{ userNameQuery: { userName: name, method: 'TEXT_QUERY_METHOD_EQUALS' } }];
  const { body } = await service.call('POST /v2/users', { queries });
  return (body.result ?? []).length === 1;
};

async function setUp(
  api: string,
  flags = '',
  listenFlags = '',
): Promise<{ service: ActionsService } & Awaited<ReturnType<ActionsService['listen']>>> {
  const service = await startActionsService();
  const listener = await service.listen(`--signing-key-file audit.key ${listenFlags}`.trim());
  const timeout = flags.includes('--timeout') ? '' : '--timeout 10s';
  const line = `target create --name audit --endpoint ${listener.url} --key-file audit.key --api ${api} ${timeout} ${flags}`;
  await service.run(line.replaceAll(/ +/g, ' ').trim());
  await service.run(`execution set --request-method ${method} --target audit --api ${api}`);
  return { service, ...listener };
}

describe.each(['auto', 'v2', 'v3alpha'])('through the interface %s', (api) => {
  it('a user is created, the call arrives signed, and is verified', async () => {
    const { service, calls } = await setUp(api, '--interrupt-on-error');
    const created = await createSampleUser(service);
    expect(created.status).toBe(200);
    const names = api === 'v3alpha' ? { given_name: 'Minnie' } : { givenName: 'Minnie' };
    expect(calls()).toMatchObject([
      {
        verified: true,
        kind: 'request',
        name: method,
        status: 200,
        payload: { fullMethod: method, request: { profile: names, email: { email: 'minnie@mouse.com' } } },
      },
    ]);
    const key = readFileSync(join(service.cwd, 'audit.key'), 'utf8').trim();
    expect(key).toMatch(/^[A-Za-z0-9]{36}$/);
    expect(statSync(join(service.cwd, 'audit.key')).mode & 0o777).toBe(0o600);
    for (const secret of [key, service.token]) expect(service.spoken()).not.toContain(secret);
  });

  it('a wrong key gives 500, and the triggering call fails where the target interrupts', async () => {
    const { service, calls, stop } = await setUp(api, '--interrupt-on-error');
    writeFileSync(join(service.cwd, 'audit.key'), 'another-key');
    const refused = await createSampleUser(service);
    expect([refused.status, refused.body]).toMatchObject([
      400,
      { code: 9, details: [{ id: 'EXEC-dra6yamk98' }] },
    ]);
    expect(calls()).toMatchObject([{ verified: false, reason: 'wrong-key', status: 500 }]);
    expect(await userExists(service, 'minnie')).toBe(false);
    expect(await stop()).toBe(ExitCode.differs);
  });

  it('a wrong key changes nothing for the triggering call where the target does not interrupt', async () => {
    const { service, calls } = await setUp(api);
    writeFileSync(join(service.cwd, 'audit.key'), 'another-key');
    expect((await createSampleUser(service)).status).toBe(200);
    expect(calls()).toMatchObject([{ verified: false, status: 500 }]);
    expect(await userExists(service, 'minnie')).toBe(true);
  });

  it('a slow target hits its timeout', async () => {
    const { service } = await setUp(api, '--interrupt-on-error --timeout 60ms', '--delay 1h');
    const refused = await createSampleUser(service);
    expect([refused.status, refused.body.code]).toEqual([500, 2]);
    expect(refused.body.message).toContain('context deadline exceeded');
    expect(await userExists(service, 'minnie')).toBe(false);
  });

  it('an execution that is cleared calls no target, and a deleted target is gone', async () => {
    const { service, calls } = await setUp(api, '--interrupt-on-error');
    await service.run(`execution clear --request-method ${method} --api ${api}`);
    expect((await createSampleUser(service)).status).toBe(200);
    expect(calls()).toEqual([]);
    await service.run(`target delete audit --api ${api}`);
    const listed = await service.run(`target list --format json --api ${api}`);
    expect(JSON.parse(listed.out())).toEqual([]);
  });
});

describe('targets', () => {
  it('are listed without their keys, shown, changed, and given a new key that works at once', async () => {
    const { service, calls } = await setUp('auto', '--interrupt-on-error');
    const key = (): string => readFileSync(join(service.cwd, 'audit.key'), 'utf8').trim();
    const first = key();

    const table = await service.run('target list');
    expect(table.out()).toMatch(
      /^ID +NAME +KIND +TIMEOUT +ON ERROR +PAYLOAD +ENDPOINT\n\d+ +audit +webhook +10s +interrupt +json +http/,
    );
    const shown = await service.run('target get audit');
    expect(JSON.parse(shown.out())).toMatchObject({ name: 'audit', kind: 'webhook', timeout: '10s' });
    expect(table.out() + shown.out()).not.toContain(first);
    const withKey = await service.run('target get audit --show-key --key-file copy.key');
    expect(JSON.parse(withKey.out())).toMatchObject({ signingKey: first });
    expect(readFileSync(join(service.cwd, 'copy.key'), 'utf8')).toBe(`${first}\n`);

    await service.run('target update audit --timeout 20s --interrupt-on-error=false');
    const changed = JSON.parse((await service.run('target get audit')).out());
    expect(changed).toMatchObject({
      timeout: '20s',
      interruptOnError: false,
      kind: 'webhook',
      name: 'audit',
    });

    await expect(service.run('target rotate-key audit')).rejects.toMatchObject({ exitCode: ExitCode.usage });
    await service.run('target rotate-key audit --key-file audit.key');
    expect(key()).not.toBe(first);
    await createSampleUser(service);
    expect(calls()).toMatchObject([{ verified: true }]);
  });

  it('keep their key even where it was not asked for', async () => {
    const service = await startActionsService();
    const { events, out } = await service.run(
      'target create --name audit --endpoint https://hooks.example/a',
    );
    expect(Object.keys(JSON.parse(out()) as object)).toEqual(['id', 'name', 'api']);
    expect(events).toMatchObject([{ code: 'actions:key-kept', level: 'info' }]);
    const old = await service.run(
      'target create --name old --endpoint https://hooks.example/b --api v3alpha',
    );
    expect(old.events).toMatchObject([{ code: 'actions:key-lost', level: 'warning' }]);
  });

  it('are not created where the key cannot be kept', async () => {
    const service = await startActionsService();
    writeFileSync(join(service.cwd, 'audit.key'), 'needed');
    const create = 'target create --name audit --endpoint https://hooks.example/a --key-file';
    await expect(service.run(`${create} audit.key`)).rejects.toThrow('audit.key is there already');
    await expect(service.run(`${create} none/audit.key`)).rejects.toMatchObject({ code: 'output:no-folder' });
    expect(JSON.parse((await service.run('target list --format json')).out())).toEqual([]);
    expect(readFileSync(join(service.cwd, 'audit.key'), 'utf8')).toBe('needed');
  });

  it('that the service refuses leave no key file', async () => {
    const service = await startActionsService({ allowPrivateTargets: false });
    const refused = service.run(
      'target create --name audit --endpoint http://127.0.0.1:1/ --key-file audit.key',
    );
    await expect(refused).rejects.toMatchObject({
      id: 'COMMAND-NcJUKo',
      hint: expect.stringContaining('deny list'),
    });
    expect(existsSync(join(service.cwd, 'audit.key'))).toBe(false);
  });

  it.each([
    ['target create --name a --endpoint https://h --webhook --call', 'a target is one of'],
    ['target create --name a --endpoint https://h --async --interrupt-on-error', 'does not wait'],
    ['target create --name a --endpoint hooks.example', '--endpoint hooks.example: not an http'],
    ['target create --name a --endpoint https://h --timeout 5m', 'up to 270s'],
    ['target create --name a --endpoint https://h --timeout 0s', 'over 0s'],
    ['execution set --target a', 'exactly one condition'],
    ['execution set --target a --event-all --request-all', 'exactly one condition'],
    ['execution set --target a --request-method AddHumanUser', 'not a full method name'],
  ])(
    'and executions that make no sense are refused before the service is asked: %s',
    async (line, message) => {
      const service = await startActionsService();
      await expect(service.run(line)).rejects.toMatchObject({
        exitCode: ExitCode.usage,
        message: expect.stringContaining(message),
      });
    },
  );
});

describe('executions', () => {
  it('name what the service has, and what it has not is explained', async () => {
    const service = await startActionsService();
    expect((await service.run('execution names methods')).out()).toContain('UserService/AddHumanUser\n');
    await service.run('target create --name audit --endpoint https://hooks.example/a');
    const wrong = service.run(
      'execution set --request-method /service.user.v2.UserService/AddRobot --target audit',
    );
    await expect(wrong).rejects.toMatchObject({
      status: 404,
      hint: expect.stringContaining('names methods'),
    });
    const unknown = service.run(`execution set --request-method ${method} --target unknown`);
    await expect(unknown).rejects.toMatchObject({ code: 'actions:no-target' });
  });

  it('on events are called for users who are imported, on a token that carries the payload', async () => {
    const service = await startActionsService();
    const listener = await service.listen('--signing-key-file jwt.key');
    await service.run(
      `target create --name crm --endpoint ${listener.url} --payload jwt --async --key-file jwt.key`,
    );
    await service.run('execution set --event user.human.added --target crm');
    expect((await createSampleUser(service)).status).toBe(200);
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
});

describe('an actions file', () => {
  it('is planned first, applied on demand, and then changes nothing', async () => {
    const service = await startActionsService();
    const listener = await service.listen('--signing-key-file keys/audit.key');
    const write = (timeout: string): void =>
      writeFileSync(
        join(service.cwd, 'actions.yaml'),
        `targets:
  - { name: audit, endpoint: "${listener.url}", timeout: ${timeout}, interruptOnError: true }
executions:
  - { condition: { request: { method: ${method} } }, targets: [audit] }
`,
      );
    write('10s');
    const planned = await service.run('apply actions.yaml');
    expect(planned.exitCode).toBe(ExitCode.differs);
    expect(planned.out()).toBe(
      `+ target audit (webhook, 10s, ${listener.url})\n+ execution request ${method}: audit\n`,
    );
    expect(JSON.parse((await service.run('target list --format json')).out())).toEqual([]);

    const applied = await service.run('apply actions.yaml --yes --key-folder keys');
    expect(applied.exitCode).toBe(ExitCode.done);
    expect(applied.events).toMatchObject([{ code: 'actions:applied', text: 'Made 2 changes.' }]);
    expect((await createSampleUser(service)).status).toBe(200);
    expect(listener.calls()).toMatchObject([{ verified: true }]);

    const again = await service.run('apply actions.yaml --yes');
    expect([again.exitCode, again.out()]).toEqual([
      ExitCode.done,
      `= target audit\n= execution request ${method}: audit\n`,
    ]);

    write('20s');
    await service.run('target create --name stray --endpoint https://hooks.example/s');
    const pruned = await service.run('apply actions.yaml --yes --prune');
    expect(pruned.out()).toBe(
      `~ target audit: timeout 10s -> 20s\n= execution request ${method}: audit\n- target stray\n`,
    );
    const names = JSON.parse((await service.run('target list --format json')).out()) as { name: string }[];
    expect(names.map(({ name }) => name)).toEqual(['audit']);
  });
});
