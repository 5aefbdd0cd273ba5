/** The skill for coding agents, typed as it stands: it rehearses a migration. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { skillPath } from '../../scripts/machine-pages.ts';
import type { IdportEvent } from '../../src/events.ts';
import { createTestFolder } from '../support/folder.ts';
import { startInstance } from '../support/instance.ts';
import { stepsOf } from '../support/page.ts';
import { runProgram } from '../support/program.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const skill = readFileSync(join(root, skillPath), 'utf8');

it(
  'the commands of the skill, typed in their order, rehearse a migration',
  { timeout: 120_000 },
  async () => {
    const cwd = createTestFolder();
    copyFileSync(join(root, 'fixtures/keycloak/typical/realm.json'), join(cwd, 'realm.json'));
    const instance = await startInstance(createTestFolder(), 'skill', { profile: 'hosted', orgId: '1' });
    onTestFinished(() => instance.close());
    const key = JSON.stringify(await instance.server.createKey());
    const events: IdportEvent[] = [];
    for (const argv of stepsOf(skill).flatMap(({ commands }) => commands)) {
      const isServer = argv[0] === 'serve';
      const ran = await runProgram([...argv, ...(isServer ? ['--port=0'] : [])], {
        cwd,
        stopAtOutput: isServer,
        env: { IDPORT_URL: instance.url },
      });
      expect([argv[0], ran.problem?.message, ran.exitCode]).toEqual([argv[0], undefined, 0]);
      // This one goes on, under the key that the settings name.
      if (isServer) writeFileSync(join(cwd, 'secrets/rehearsal-key.json'), key, { mode: 0o600 });
      events.push(...ran.events);
    }
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'verify:end',
        users: expect.objectContaining({ same: 7, missing: 0 }) as object,
      }),
    );
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'undo:end', users: expect.objectContaining({ deleted: 7 }) as object }),
    );
  },
);
