import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createTestFolder } from '../../support/folder.ts';
import { runProgram } from '../../support/program.ts';

const choices = fileURLToPath(new URL('../../../fixtures/keycloak/choices/realm.json', import.meta.url));

const userNames = (path: string): string[] => {
  const body = JSON.parse(readFileSync(path, 'utf8')) as {
    dataOrgs: { orgs: { humanUsers: { user: { userName: string } }[] }[] };
  };
  return body.dataOrgs.orgs.flatMap(({ humanUsers }) => humanUsers.map(({ user }) => user.userName));
};

it('who was rejected comes in with the fixed rejects file, and no other user', async () => {
  const cwd = createTestFolder();
  const first = await runProgram(
    ['migrate', 'keycloak', '--org=1', `--realm=${choices}`, '--rejects=rejects.ndjson'],
    { cwd },
  );
  expect(first.exitCode).toBe(3);
  expect(userNames(join(cwd, 'importBody.json'))).toEqual(['mia']);

  const rejects = readFileSync(join(cwd, 'rejects.ndjson'), 'utf8').trimEnd().split('\n');
  const fixed = rejects.map((line) => {
    const record = JSON.parse(line) as Record<string, unknown>;
    expect(record['idport:rejected']).toMatchObject({ input: choices });
    return JSON.stringify({
      ...record,
      email: 'fixed@example.org',
      username: `${String(record['username'])}.2`,
    });
  });
  writeFileSync(join(cwd, 'fixed.ndjson'), `${fixed.join('\n')}\n`);

  const second = await runProgram(
    ['migrate', 'keycloak', '--org=1', '--realm=fixed.ndjson', '--output=second.json', '--metadata=all'],
    { cwd },
  );
  expect(second.problem).toBeUndefined();
  expect(second.exitCode).toBe(0);
  expect(userNames(join(cwd, 'second.json'))).toEqual(['nomail.2', 'MIA.2']);
  expect(readFileSync(join(cwd, 'second.json'), 'utf8')).not.toContain('idport:rejected');
});
