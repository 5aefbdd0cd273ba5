/** Standard output into a file on a full disk. A limit on file sizes imitates it: it cuts writes short as well. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keycloakUser, realmOf } from '../support/conversion.ts';
import { createTestFolder, root } from '../support/folder.ts';
import { userNames } from '../support/users-run.ts';

function run(argv: string, limit: string): { code: number | null; out: Buffer; stderr: string } {
  const cwd = createTestFolder();
  const users = userNames(20).map((name) => keycloakUser(name));
  writeFileSync(join(cwd, 'realm.json'), JSON.stringify(realmOf(...users)));
  const line = `${limit} "${process.execPath}" "${root}bin/idport.js" ${argv} > out`;
  const { status, stderr } = spawnSync('bash', ['-c', line], { cwd, encoding: 'utf8' });
  return { code: status, out: readFileSync(join(cwd, 'out')), stderr };
}

it('too few file descriptors are reported in one line', () => {
  const told = [17, 18, 19, 20, 21, 22, 24, 26].map((files) => {
    const { code, stderr } = run(
      'check body.json',
      `echo '{"dataOrgs":{"orgs":[{"orgId":"1"}]}}' > body.json; ulimit -n ${files};`,
    );
    // How many files Node itself needs differs by machine: below that it does not reach the program, and above it has enough.
    if (code !== 1 || /node:internal|Assertion failed|Segmentation|node:fs/.test(stderr)) return 'Node';
    return /^(?:note: [^]*\n)?(error: too many open files)\n  hint: .*\n$/.exec(stderr)?.[1] ?? stderr;
  });
  expect(new Set(told.filter((line) => line !== 'Node'))).toEqual(new Set(['error: too many open files']));
});

it('a deleted working directory is reported in one line', () => {
  const gone = createTestFolder();
  const line = `cd "${gone}"; rmdir "${gone}"; "${process.execPath}" "${root}bin/idport.js" sources`;
  const ran = spawnSync('bash', ['-c', line], { encoding: 'utf8' });
  expect(ran).toMatchObject({ status: 1, stderr: /^error: .*\n  hint: .*\n$/ });
});

it.each([
  'sources',
  'migrate keycloak --org=1 --realm=realm.json --output=-',
  'import --help',
  'explain password:none password:none password:none',
])('stdout on a full disk fails the run: idport %s', (argv) => {
  const whole = run(argv, '');
  expect(whole.code).toBe(0);
  expect(whole.out.length).toBeGreaterThan(1024);
  const cut = run(argv, 'ulimit -f 1;');
  expect(cut.out.length).toBeLessThanOrEqual(1024);
  expect(cut.code).toBe(1);
  expect(cut.stderr).toContain('standard output');
});
