/** llms.txt and the skill for coding agents: made from the pages as they are, and the skill rehearses as it stands. */
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { formatLlms, formatSkill, skillPath } from '../../scripts/machine-pages.ts';
import type { IdportEvent } from '../../src/events.ts';
import { createTestFolder } from '../support/folder.ts';
import { startInstance } from '../support/instance.ts';
import { stepsOf } from '../support/page.ts';
import { runProgram } from '../support/program.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const skill = readFileSync(join(root, skillPath), 'utf8');

it('are what the pages say (else: npm run docs)', () => {
  expect(readFileSync(join(root, 'llms.txt'), 'utf8')).toBe(formatLlms());
  expect(skill).toBe(formatSkill());
});

it('every link of llms.txt leads to a file', () => {
  const paths = Array.from(formatLlms().matchAll(/\]\(([^)]*)\)/g), ([, path = '']) => path);
  expect(paths.length).toBeGreaterThan(40);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

it('the skill has the head by which it is found', () => {
  const [, head = ''] = /^---\n([^]*?)\n---\n/.exec(skill) ?? [];
  const { name, description } = parse(head) as { name: string; description: string };
  expect(name).toBe(basename(dirname(skillPath)));
  expect(description.length).toBeLessThan(1024);
});

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
