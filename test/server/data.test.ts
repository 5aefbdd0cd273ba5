/** State in a folder: what a restart and a killed process leave. */
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestFolder } from '../support/folder.ts';
import { createFullServer } from '../support/full-server.ts';
import { runProcess } from '../support/process.ts';

let folder: string;
let child: ChildProcess | undefined;
beforeEach(() => {
  folder = createTestFolder();
});
afterEach(() => {
  child?.kill('SIGKILL');
});

const record = (userName: string) => ({
  userName,
  profile: { firstName: 'A', lastName: 'B' },
  email: { email: `${userName}@a.example`, isEmailVerified: true },
});

describe('a server with a folder', () => {
  it('comes back with everything: users, tokens, targets, executions', async () => {
    const first = createFullServer({ data: folder });
    const { body } = await first.call('POST /management/v1/users/human/_import', record('ann'));
    const target = { name: 't', restWebhook: {}, endpoint: 'http://127.0.0.1:1/', timeout: '1s' };
    const { id } = (await first.call('POST /v2/actions/targets', target)).body;
    const condition = { event: { event: 'user.human.added' } };
    await first.call('PUT /v2/actions/executions', { condition, targets: [id] });
    await first.call('POST /management/v1/users/human/_import', record('ben'));
    await first.call(`DELETE /management/v1/users/${body.userId}`);
    await first.settled();
    await first.close();

    const second = createFullServer({ data: folder });
    expect(second.tokens).toEqual(first.tokens);
    expect(second.orgId).toBe(first.orgId);
    expect(second.restored).toBeGreaterThan(10);
    const { result } = (await second.call('POST /management/v1/users/_search', {})).body;
    expect(result.map(({ userName }: { userName: string }) => userName)).toContain('ben');
    expect(JSON.stringify(result)).not.toContain('ann');
    expect((await second.call(`GET /v2/actions/targets/${id}`)).body.target.name).toBe('t');
    const clash = await second.call('POST /management/v1/users/human/_import', record('BEN'));
    expect(clash.status).toBe(409);
    const made = await second.call('POST /management/v1/users/human/_import', record('eve'));
    expect(made.status).toBe(200);
    expect(made.body.userId).not.toBe(body.userId);
    await second.close();
  });

  it('sends no events again about users who were there before', async () => {
    const first = createFullServer({ data: folder });
    const target = { name: 't', restAsync: {}, endpoint: 'http://127.0.0.1:1/', timeout: '1s' };
    const { body } = await first.call('POST /management/v1/users/human/_import', record('ann'));
    await first.close();
    const second = createFullServer({ data: folder });
    const { id } = (await second.call('POST /v2/actions/targets', target)).body;
    await second.call('PUT /v2/actions/executions', { condition: { event: { all: true } }, targets: [id] });
    await second.call(`POST /management/v1/users/${body.userId}/_lock`);
    await second.settled();
    expect((await second.control('GET calls')).body.total).toBe(0);
    await second.close();
  });

  it('is empty again after a reset, also for the next start', async () => {
    const first = createFullServer({ data: folder });
    await first.call('POST /management/v1/users/human/_import', record('ann'));
    await first.close();
    const restarted = createFullServer({ data: folder });
    expect((await restarted.control('GET state')).body.users.human).toBe(1);
    await restarted.control('POST reset');
    await restarted.close();
    const second = createFullServer({ data: folder });
    expect(second.tokens).toEqual(first.tokens);
    expect((await second.call('GET /auth/v1/users/me')).status).toBe(200);
    expect((await second.control('GET state')).body.users).toMatchObject({ human: 0, machine: 4 });
    await second.close();
  });
});

describe('a server that was killed', () => {
  it('has kept everything that it answered', async () => {
    const argv = ['serve', '--port', '0', '--json', '--rate', 'none', '--data', folder];
    const start = async (): Promise<{ url: string; tokens: { iamOwner: string } }> => {
      const line = new Promise<string>((resolve, reject) => {
        const meanwhile = (running: ChildProcess): void => {
          child = running;
          createInterface(running.stdout!).once('line', resolve);
        };
        void runProcess(argv, { cwd: folder, meanwhile }).then(
          ({ stderr }) => reject(new Error(stderr)),
          reject,
        );
      });
      return JSON.parse(await line);
    };
    const first = await start();
    const headers = { authorization: `Bearer ${first.tokens.iamOwner}` };
    const answered: string[] = [];
    const most = 60;
    const busy = Array.from({ length: 4 }, async (_, worker) => {
      for (let i = 0; ; i++) {
        const body = JSON.stringify(record(`user-${worker}-${i}`));
        const answer = await fetch(`${first.url}/management/v1/users/human/_import`, {
          method: 'POST',
          headers,
          body,
        });
        answered.push(((await answer.json()) as { userId: string }).userId);
        if (answered.length === most) child?.kill('SIGKILL');
      }
    });
    await Promise.allSettled(busy);
    expect(answered.length).toBeGreaterThanOrEqual(most);

    const second = await start();
    expect(second.tokens).toEqual(first.tokens);
    for (const id of answered) {
      const answer = await fetch(`${second.url}/management/v1/users/${id}`, { headers });
      expect(answer.status).toBe(200);
    }
  }, 120_000);
});
