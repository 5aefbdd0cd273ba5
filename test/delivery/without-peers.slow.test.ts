/** The package as `npm install idport` leaves it, without the optional peers: what needs one says how to get it. */
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { spawn } from 'node:child_process';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { createTestFolder, readProject, root } from '../support/folder.ts';
import { startInstance, type Instance } from '../support/instance.ts';
import { runProcess } from '../support/process.ts';
import { richOrg } from '../support/rich-org.ts';

const read = (file: string) => JSON.parse(readProject(file));
const { peerDependencies, peerDependenciesMeta } = read('package.json');

let cwd: string;
let instance: Instance;
beforeEach(async () => {
  cwd = createTestFolder();
  installWithoutPeers();
  instance = await startInstance(cwd, 'to');
  const org = richOrg('100', 'Acme', 'a', 3);
  writeFileSync(join(cwd, 'body.json'), JSON.stringify({ dataOrgs: { orgs: [org] }, timeout: '1m' }));
  const secrets = {
    'gcs.json': '{"client_email":"a@example.org","private_key":"key"}',
    'ldap.json': '{"url":"ldap://127.0.0.1:389","dn":"uid={user}"}',
    'http.json': '{"url":"http://127.0.0.1:9/","signingKey":"a-key-of-the-operator"}',
    'jit.key': 'a-key',
  };
  for (const [name, content] of Object.entries(secrets))
    writeFileSync(join(cwd, name), content, { mode: 0o600 });
});
afterEach(() => instance.close());

/** The built program with links to the dependencies of a plain installation. */
function installWithoutPeers() {
  cpSync(dirname(dirname(process.env['IDPORT_TEST_PROGRAM']!)), join(cwd, 'dist'), { recursive: true });
  cpSync(join(root, 'package.json'), join(cwd, 'package.json'));
  for (const [path, { dev }] of Object.entries<{ dev?: true }>(read('package-lock.json').packages)) {
    if (!/^node_modules\/[^/]+(?:\/[^/]+)?$/.test(path) || dev === true) continue;
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    symlinkSync(join(root, path), join(cwd, path));
  }
}

const idport = (...argv: string[]) =>
  runProcess([...argv, ...instance.flags], { cwd, stdin: '', program: join(cwd, 'dist/cli/start.js') });

it('imports without any optional package', async () => {
  const installed = readdirSync(join(cwd, 'node_modules'), { recursive: true });
  for (const name of Object.keys(peerDependencies)) {
    expect(installed).not.toContain(name);
    expect(peerDependenciesMeta[name]).toEqual({ optional: true });
  }
  const { exitCode, stderr } = await idport('import', 'body.json');
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('users')]);
});

const serve = ['jit', 'serve', '--signing-key-file=jit.key', '--listen=127.0.0.1:0', '--any-user'];

it.each([
  [
    'buckets need',
    '@google-cloud/storage',
    ['import', 'body.json', '--gcs=gs://bucket/body.json', '--gcs-key=gcs.json'],
  ],
  [
    'shared stores need',
    '@redis/client',
    ['import-users', 'body.json', '--rate=100', '--rate-store=redis://127.0.0.1:6379'],
  ],
  ['directories need', 'ldapts', [...serve, '--verifier=ldap:ldap.json']],
])('%s %s prints one line with the install command', async (who, name, argv) => {
  const { exitCode, stderr } = await idport(...argv);
  expect(exitCode).toBe(1);
  const wanted = `${name}@${/\d+/.exec(peerDependencies[name])![0]}`;
  expect(stderr.replaceAll(/\s+/g, ' ').trim()).toMatch(
    new RegExp(
      `error: ${who} the package ${wanted}, which is not installed hint: .* npx -p idport -p ${wanted} idport`,
    ),
  );
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(instance.server.state.store.users.has('a-user-0')).toBe(false);
});

it('serves logins without metrics, and tells so on the metrics page', async () => {
  const argv = [join(cwd, 'dist/cli/start.js'), ...serve, '--verifier=http:http.json', ...instance.flags];
  const child = spawn(process.execPath, argv, { cwd });
  onTestFinished(() => void child.kill());
  for await (const line of createInterface(child.stdout)) {
    const { type, url } = JSON.parse(line) as { type: string; url: string };
    if (type !== 'listening') continue;
    const answer = await fetch(new URL('metrics', url));
    expect([answer.status, await answer.text()]).toEqual([
      501,
      expect.stringContaining('metrics need the package prom-client@15, which is not installed'),
    ]);
    return;
  }
  throw new Error(await text(child.stderr));
});
