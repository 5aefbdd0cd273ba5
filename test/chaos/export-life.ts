/** An export that is killed again and again: its file is there whole or not at all, and the next run gets it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Draw } from '../fuzz/draw.ts';
import { startInstance } from '../support/instance.ts';
import { endAt } from '../support/kill-runs.ts';
import { runProcess } from '../support/process.ts';
import { clearFaults, setFaults } from './faults.ts';
import { createLifeFolder, Troubles } from './trouble.ts';
import { bodyFor, checkUsers, passwordHash } from './users.ts';

/** Returns what went wrong. */
export async function liveExport(kills: number, draw: Draw): Promise<readonly string[]> {
  const cwd = createLifeFolder();
  const troubles = new Troubles();
  const users = 60 + draw.below(200);
  const source = await startInstance(cwd, 'source', { orgId: '100' });
  const target = await startInstance(cwd, 'target', { orgId: '100' });
  const send = async ({ url, server }: typeof source, body: string): Promise<void> => {
    const headers = { authorization: `Bearer ${server.tokens.iamOwner}`, 'content-type': 'application/json' };
    const answer = await fetch(`${url}/admin/v1/import`, { method: 'POST', headers, body });
    troubles.expect(answer.ok, `an import ended with ${answer.status}`);
  };
  const argv = ['export', ...source.flags, '--org', '100', '--with-passwords', '--output', 'export.json'];
  try {
    await send(source, bodyFor(users));
    for (let number = 0; number < kills; number++) {
      await setFaults(source, draw);
      const after = draw.below(900);
      const { stderr } = await runProcess(argv, { cwd, meanwhile: endAt({ signal: 'SIGKILL', after }) });
      troubles.readable('what it says', stderr, [passwordHash, source.server.tokens.iamOwner]);
      if (readdirSync(cwd).includes('export.json'))
        JSON.parse(readFileSync(join(cwd, 'export.json'), 'utf8'));
    }
    await clearFaults(source);
    const { exitCode, stderr } = await runProcess(argv, { cwd });
    troubles.expect(exitCode === 0, `the last run ended with ${exitCode}: ${stderr.slice(-600)}`);
    const expected = ['export.json', 'source.token', 'target.token'];
    troubles.same('the files', readdirSync(cwd).toSorted(), expected);
    const exported: unknown = JSON.parse(readFileSync(join(cwd, 'export.json'), 'utf8'));
    await send(target, JSON.stringify({ dataOrgs: exported, timeout: '10m' }));
    checkUsers(target.server, users, troubles);
  } finally {
    await source.close();
    await target.close();
    troubles.tidy(cwd);
  }
  return troubles.list;
}
