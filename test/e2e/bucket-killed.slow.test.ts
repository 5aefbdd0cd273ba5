import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadJournal } from '../../src/journal/load.ts';
import { openWorkspace } from '../support/workspace.ts';
import { richOrg } from '../support/rich-org.ts';
import { startStorageService } from '../support/storage-service.ts';

/** IDPORT_KILLS=50 makes a long run of it. */
const kills = Number(process.env['IDPORT_KILLS'] ?? 3);
const users = 400;

it.each(Array.from({ length: kills }, (_, i) => [i]))(
  'import over a bucket killed at moment %i imports every user once when resumed',
  async (number) => {
    const storage = await startStorageService();
    onTestFinished(() => storage.close());
    // One user in five milliseconds: the job is still at work while it is watched.
    const workspace = await openWorkspace({ storageEndpoint: storage.endpoint, secondsPerUser: 0.005 });
    const { store } = workspace.server.state;
    workspace.write('gcs.json', storage.keyFile());
    workspace.write('body.json', { dataOrgs: { orgs: [richOrg('100', 'Acme', 'a', users)] }, timeout: '1m' });
    const journal = join(workspace.cwd, 'body.json.journal');
    const bucket = `--gcs=gs://moving-day/body.json --gcs-key=gcs.json --gcs-endpoint=${storage.endpoint}`;
    const line = `import body.json --json ${bucket}`;
    /** Moments of the run, each told by what can be seen from outside; killed some milliseconds after one of them. */
    const moments = [
      () => existsSync(journal),
      () => storage.requests.length > 0,
      () => storage.objects.has('body.json'),
      () => store.users.size > 5,
      () => store.users.size > users / 2,
    ];
    const isDue = moments[(2 * number + 1) % moments.length]!;
    const killed = await workspace.runProcess(line, {
      meanwhile: (child) => {
        const watch = setInterval(() => {
          if (!isDue()) return;
          clearInterval(watch);
          setTimeout(() => child.kill('SIGKILL'), (number * 37) % 120);
        }, 1);
        child.on('close', () => clearInterval(watch));
      },
    });
    expect(killed.exitCode).toBeNull();
    const { exitCode, stderr } = await workspace.runProcess(existsSync(journal) ? `${line} --resume` : line);
    expect([exitCode, stderr.includes('"problem"')]).toEqual([0, false]);
    const end = stderr.split('\n').find((text) => text.includes('"run:end"')) ?? '{}';
    expect(JSON.parse(end).tally).toMatchObject({ read: users + 1, rejected: 0, skipped: 0 });
    const there = Array.from({ length: users }, (_, i) => `a-user-${i}`).filter((id) => store.users.has(id));
    expect(there).toHaveLength(users);
    expect(await loadJournal(journal)).toMatchObject({ open: [], finished: true });
  },
  180_000,
);
